"""The notification shade with quick settings, over everything else."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.systemui.notices import notice
from pytest_mobileagent.virtual.systemui.tiles import FIRST, tile_view, tiles
from pytest_mobileagent.virtual.ui import (
    MATCH,
    Button,
    Column,
    Grid,
    ImageButton,
    Row,
    Scroll,
    SeekBar,
    Space,
    Text,
    View,
)

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.systemui.system_ui import SystemUi

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
    date = locale.date(ui.clock.now(), "EEE, MMM d")
    parts: list[View] = [
        Text(ui.time_text(), id="clock", size=24, margin=(8, 0)),
        Text(date, id="date", margin=(8, 0)),
        Space(height=0),
    ]
    charge = f"{ui.power.level}%"
    if ui.shade.full:
        parts.append(Text(locale.digits(charge), id="batteryRemainingIcon", margin=(8, 0)))
    return Row(parts, id="header", height=56)


def _quick_settings(ui: SystemUi) -> View:
    shown = tiles(ui)
    shown = shown if ui.shade.full else shown[:FIRST]
    panel = "quick_settings_panel" if ui.shade.full else "quick_qs_panel"
    metrics = ui.display.metrics
    room = metrics.width_px / metrics.density - 2 * SIDES
    columns = max(2, min(FIRST, int(room / (TILE * max(1, metrics.font_scale)))))
    grid = Grid([tile_view(tile, ui) for tile in shown], columns, id=panel)
    parts: list[View] = [grid]
    if ui.shade.full:
        parts.insert(0, _brightness(ui))
    return Column(parts, id="quick_settings_container" if ui.shade.full else "qs_frame")


def _brightness(ui: SystemUi) -> View:
    return SeekBar(
        float(ui.settings.text("system", "screen_brightness", "102")),
        BRIGHTEST,
        ui.power.set_brightness,
        id="slider",
        desc=ui.t("Display brightness"),
        margin=(0, 0, 0, 8),
    )


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
        words = ui.t("No notifications")
        return Text(words, id="no_notifications", margin=(8, 24), width=MATCH)
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
