"""The notification shade with quick settings, and notifications as it and heads-ups show them."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from pytest_mobileagent.virtual.content.intent import NEW_TASK, Intent
from pytest_mobileagent.virtual.systemui.system_ui import SYSTEM_UI, SystemUi
from pytest_mobileagent.virtual.ui import (
    MATCH,
    WRAP,
    Button,
    Card,
    Column,
    Grid,
    Image,
    ImageButton,
    Input,
    Row,
    Scroll,
    SeekBar,
    Space,
    Text,
    View,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.system.notifications import Notification
    from pytest_mobileagent.virtual.ui.views import Edges


def notice(ui: SystemUi, shown: Notification, *, expanded: bool, floating: bool = False) -> View:
    """Build a notification's row; `floating` is for a heads-up notification over an app."""
    t = ui.t
    app = ui.packages.app(shown.package)
    head: list[View] = [
        Image(app.icon or "android", id="android:id/icon", size=20),
        Text(app.name, id="android:id/app_name_text", size=12, margin=(8, 0), max_lines=1),
        Text(_age(ui, shown), id="android:id/time", size=12, color="on_surface_variant"),
        Space(height=0),
    ]
    if (shown.long_text or shown.deeds) and not floating:
        icon, word = ("expand_less", "Collapse") if expanded else ("expand_more", "Expand")
        button = ImageButton(icon, id="android:id/expand_button", desc=t(word), size=20, padding=4)
        button.on_click = partial(ui.shade.toggle, shown)
        head.append(button)
    full = (expanded or floating) and bool(shown.long_text)
    text = shown.long_text if full else shown.text
    words = Text(text, color="on_surface_variant", width=MATCH, visible=bool(text))
    words.id, words.max_lines = ("android:id/big_text", 0) if full else ("android:id/text", 1)
    title = Text(shown.title, id="android:id/title", bold=True, max_lines=1, width=MATCH)
    title.margin, title.visible = (0, 6, 0, 0), bool(shown.title)
    parts: list[View] = [Row(head, id="android:id/notification_top_line"), title, words]
    if shown.deeds and (expanded or floating):
        parts.append(_deeds(ui, shown))
    if ui.shade.replying == shown.key and not floating:
        parts.append(_field(ui, shown))
    card = Card(parts, key=f"notice:{shown.key}", id="expandableNotificationRow", padding=16)
    card.margin, card.background = (0, 4), "surface"
    card.on_click = partial(ui.notifications.open, shown)
    card.class_name = "android.widget.FrameLayout"
    return card


def _age(ui: SystemUi, shown: Notification) -> str:
    t = ui.t
    minutes = int(ui.clock.time() - shown.time) // 60
    if minutes < 1:
        return t("now")
    return t("{n}m", n=minutes) if minutes < 60 else t("{n}h", n=minutes // 60)


def _deeds(ui: SystemUi, shown: Notification) -> View:
    buttons: list[View] = []
    for at, deed in enumerate(shown.deeds):
        act = partial(ui.notifications.do, shown, deed)
        if deed.reply:
            act = partial(ui.shade.answer, shown)
        button = Button(deed.label, id="android:id/action0", style="text", padding=(12, 10))
        if deed.color:
            button.style, button.background, button.color = "filled", deed.color, "#ffffff"
            button.corner, button.margin = 20, (0, 0, 8, 0)
        button.key, button.on_click = f"deed:{shown.key}:{at}", act
        buttons.append(button)
    return Row(buttons, id="android:id/actions", margin=(0, 6, 0, 0), width=WRAP)


def _field(ui: SystemUi, shown: Notification) -> View:
    field = Input(ui.shade.reply, id="remote_input_text", action="send", weight=1)
    field.key, field.on_change = f"reply:{shown.key}", ui.shade.typed
    field.hint = next((deed.reply for deed in shown.deeds if deed.reply), "")
    send = ImageButton("send", id="remote_input_send", desc=ui.t("Send"))
    field.on_submit = send.on_click = partial(ui.shade.send, shown)
    return Row([field, send], id="remote_input_content", margin=(0, 8, 0, 0))


def heads_up(ui: SystemUi, shown: Notification) -> View:
    """Build the heads-up notification that is shown over an app for some seconds."""
    card = notice(ui, shown, expanded=False, floating=True)
    card.margin = (8, 32, 8, 0)
    card.elevation, card.corner, card.align = 6, 28, "top"
    return card


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile: whether it is on, what a tap does, and its page in Settings."""

    label: str
    icon: str
    on: bool
    flip: Callable[[bool], object]
    page: str = ""  # action of the intent that opens the page
    detail: str = ""  # shown under the label while the tile is on


def tiles(ui: SystemUi) -> tuple[Tile, ...]:
    """Return the tiles in their current state and order."""
    radios, settings, display = ui.radios, ui.settings, ui.display

    def switch(namespace: str, key: str) -> tuple[bool, Callable[[bool], object]]:
        return settings.on(namespace, key), lambda on: settings.put(namespace, key, str(int(on)))

    def set_wifi(on: bool) -> None:
        radios.set_wifi(on, package=SYSTEM_UI, uid=ui.packages[SYSTEM_UI].uid)

    def set_rotation(free: bool) -> None:
        (display.free_rotation if free else display.lock_rotation)()

    def set_dark(on: bool) -> None:
        display.dark = on

    page = "android.settings."
    return (
        Tile("Wi-Fi", "wifi", radios.wifi, set_wifi, f"{page}WIFI_SETTINGS", "AndroidWifi"),
        Tile("Bluetooth", "bluetooth", radios.bluetooth, radios.set_bluetooth,
             f"{page}BLUETOOTH_SETTINGS"),
        Tile("Do Not Disturb", "remove", *switch("global", "zen_mode"), f"{page}ZEN_MODE_SETTINGS"),
        Tile("Flashlight", "lightbulb", radios.torch, radios.set_torch),
        Tile("Airplane mode", "airplane", settings.on("global", "airplane_mode_on"),
             radios.set_airplane, f"{page}AIRPLANE_MODE_SETTINGS"),
        Tile("Auto-rotate", "phone_android", settings.on("system", "accelerometer_rotation"),
             set_rotation, f"{page}DISPLAY_SETTINGS"),
        Tile("Battery Saver", "battery", *switch("global", "low_power"),
             f"{page}BATTERY_SAVER_SETTINGS"),
        Tile("Dark theme", "moon", display.dark, set_dark, f"{page}DISPLAY_SETTINGS"),
    )  # fmt: skip


FIRST = 4  # tiles that are shown before quick settings are fully expanded


@dataclass(eq=False)
class TileView(Row):
    """A tile as a checkable view."""

    _: KW_ONLY
    checked: bool = False
    min_height: float = 64
    margin: Edges = 4
    padding: Edges = (14, 4)
    corner: float = 32

    kind: ClassVar[str] = "android.widget.Switch"
    checkable: ClassVar[bool] = True

    @property
    def is_checked(self) -> bool:
        """Whether the tile is switched on."""
        return self.checked


def tile_view(tile: Tile, ui: SystemUi) -> View:
    """Build the view of a tile: its icon and texts in a pill."""
    on, label = tile.on, ui.t(tile.label)
    state = tile.detail if tile.detail and on else ui.t("On" if on else "Off")
    ink = "on_primary" if on else "on_surface"
    words = [
        Text(label, id="tile_label", color=ink, bold=True, max_lines=2, width=MATCH),
        Text(state, id="app_label", color=ink, size=12, max_lines=1, width=MATCH),
    ]
    column = Column(words, id="label_group", margin=(10, 0, 0, 0), weight=1)
    parts = [Image(tile.icon, id="icon", color=ink), column]
    view = TileView(parts, checked=on, key=f"tile:{tile.label}", desc=f"{label}, {state}")
    view.background = "primary" if on else "surface_container_highest"
    view.on_click = partial(tile.flip, not on)
    view.on_long_click = partial(_open_page, ui, tile) if tile.page else None
    return view


def _open_page(ui: SystemUi, tile: Tile) -> None:
    intent = Intent(tile.page, flags=NEW_TASK)
    if ui.packages.resolve(intent):
        ui.shade.push()
        ui.activities.start(intent, uid=1000)


SETTINGS = "com.android.settings"
BRIGHTEST = 255
SCRIM = "#99000000"  # covers the area below the panel; a tap there closes the shade
BELOW = 48  # dp below the panel, for a finger and for the navigation bar
SIDES, TILE = 16, 130  # dp beside the panel, and minimum width of a tile


def shade(ui: SystemUi) -> View:
    """Build the shade: a panel as high as its content, over the dimmed app."""
    parts = [_header(ui), _quick_settings(ui)]
    parts.append(_footer(ui) if ui.shade.full else _stack(ui))
    panel = Column(parts, id="notification_panel", padding=(SIDES, 32, SIDES, 16))
    panel.background = "surface_container"
    rest, least = (View(width=MATCH, background=SCRIM, on_click=ui.shade.close) for _ in range(2))
    rest.id, rest.height, rest.weight = "scrim_behind", MATCH, 1
    least.height = BELOW
    upper = Column([panel, rest], height=MATCH, weight=1)
    return Column([upper, least], id="notification_shade", height=MATCH)


def _header(ui: SystemUi) -> View:
    locale = ui.locales.current
    parts: list[View] = [
        Text(ui.time_text(), id="clock", size=24, margin=(8, 0)),
        Text(locale.date(ui.clock.now(), "EEE, MMM d"), id="date", margin=(8, 0)),
        Space(height=0),
    ]
    if ui.shade.full:
        charge = locale.digits(f"{ui.power.level}%")
        parts.append(Text(charge, id="batteryRemainingIcon", margin=(8, 0)))
    return Row(parts, id="header", height=56)


def _quick_settings(ui: SystemUi) -> View:
    shown = tiles(ui)
    shown = shown if ui.shade.full else shown[:FIRST]
    panel = "quick_settings_panel" if ui.shade.full else "quick_qs_panel"
    metrics = ui.display.metrics
    room = metrics.width_px / metrics.density - 2 * SIDES
    columns = max(2, min(FIRST, int(room / (TILE * max(1, metrics.font_scale)))))
    parts: list[View] = [Grid([tile_view(tile, ui) for tile in shown], columns, id=panel)]
    if ui.shade.full:
        parts.insert(0, _brightness(ui))
    return Column(parts, id="quick_settings_container" if ui.shade.full else "qs_frame")


def _brightness(ui: SystemUi) -> View:
    level = float(ui.settings.text("system", "screen_brightness", "102"))
    bar = SeekBar(level, BRIGHTEST, ui.power.set_brightness, id="slider", margin=(0, 0, 0, 8))
    bar.desc = ui.t("Display brightness")
    return bar


def _footer(ui: SystemUi) -> View:
    parts: list[View] = [Space(height=0)]
    if SETTINGS in ui.packages:
        gear = ImageButton("settings", id="settings_button", desc=ui.t("Settings"))
        gear.on_click = partial(_open_settings, ui)
        parts.append(gear)
    return Row(parts, id="qs_footer_actions", margin=(0, 12))


def _open_settings(ui: SystemUi) -> None:
    ui.shade.close()
    ui.activities.launch(SETTINGS, uid=1000)


def _stack(ui: SystemUi) -> View:
    shown = ui.notifications.posted
    if not shown:
        return Text(ui.t("No notifications"), id="no_notifications", margin=(8, 24), width=MATCH)
    rows = [notice(ui, each, expanded=ui.shade.is_expanded(each)) for each in shown]
    manage = Button(ui.t("Manage"), id="manage_text", style="text", visible=SETTINGS in ui.packages)
    manage.on_click = partial(_open_settings, ui)
    buttons: list[View] = [manage, Space(height=0)]
    if any(not each.ongoing for each in shown):
        clear = Button(ui.t("Clear all"), id="dismiss_text", style="text")
        clear.on_click = partial(_clear, ui)
        buttons.append(clear)
    body = Column([*rows, Row(buttons)])
    return Scroll(body, id="notification_stack_scroller", margin=(0, 12, 0, 0))


def _clear(ui: SystemUi) -> None:
    ui.notifications.cancel_all()
    if not ui.notifications.posted:
        ui.shade.close()
