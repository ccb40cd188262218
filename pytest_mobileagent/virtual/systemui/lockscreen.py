"""The lock screen, and the bouncer that asks for the PIN, pattern or password."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.systemui.shade import notice
from pytest_mobileagent.virtual.systemui.system_ui import wallpaper
from pytest_mobileagent.virtual.ui import (
    MATCH,
    Button,
    Column,
    Frame,
    Grid,
    Image,
    Input,
    Panes,
    Row,
    Space,
    Text,
    View,
)

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.systemui.system_ui import SystemUi

PAD = (*"123456789", "delete", "0", "enter")
LETTERS = {"2": "ABC", "3": "DEF", "4": "GHI", "5": "JKL", "6": "MNO", "7": "PQRS", "8": "TUV",
           "9": "WXYZ", "0": "+"}  # fmt: skip
PROMPTS = {"pin": "Enter your PIN", "password": "Enter your password",
           "pattern": "Draw your pattern"}  # fmt: skip
SHOWN_NOTICES = 3
INK = "#ffffff"


def lockscreen(ui: SystemUi) -> View:
    """Build the screen that is shown while the phone is locked."""
    content = _bouncer(ui) if ui.keyguard.asking else _cover(ui)
    shade = "#cc202124" if ui.keyguard.asking else "#66000000"
    dim = View(width=MATCH, height=MATCH, background=shade)
    picture = Image(wallpaper(ui.files), width=MATCH, height=MATCH)
    picture.class_name = "android.view.View"
    return Frame([picture, dim, content], id="keyguard_root_view", height=MATCH)


def _cover(ui: SystemUi) -> View:
    now, locale = ui.clock.now(), ui.locales.current
    shown = ui.settings.text("secure", "lock_screen_show_notifications", "1") == "1"
    posted = ui.notifications.posted[:SHOWN_NOTICES] if shown else []
    time = _line(ui.time_text(), "lockscreen_clock_view", 72)
    date = _line(locale.date(now, "EEE, MMM d"), "date", 18)
    clock = Column([time, date], id="keyguard_status_view", padding=(0, 24))
    lock = Image("lock", id="lock_icon_view", color=INK, size=28, align="center")
    lock.desc = ui.t("Device locked") if ui.keyguard.secure else ui.t("Unlock")
    charge = locale.digits(f"{ui.power.level}%")
    if ui.power.charging:
        charge = ui.t("{level} • Charging", level=charge)
    swipe = _line(ui.t("Swipe up to open"), "keyguard_indication_text")
    level = _line(charge, "keyguard_indication_text_bottom", 12)
    hint = Column([swipe, level], id="keyguard_indication_area", padding=(0, 16))
    notices = Column([notice(ui, each, expanded=False) for each in posted], padding=(8, 0))
    seal = Frame([lock], height=48)
    if ui.display.metrics.wide:
        clock.padding = (0, 0)
        whole = Column([seal, clock, Space(), hint], height=MATCH)
        panes = [whole, notices] if posted else [whole]
        return Panes(panes, id="notification_panel", padding=(16, 32, 16, 12))
    whole = Column([seal, clock, notices, Space(), hint], id="notification_panel", height=MATCH)
    whole.padding = (16, 48, 16, 24)
    return whole


def _line(text: str, id: str, size: float = 14) -> Text:
    return Text(text, id=id, size=size, color=INK, width=MATCH, gravity="center_horizontal")


def _bouncer(ui: SystemUi) -> View:
    keyguard = ui.keyguard
    if seconds := keyguard.waiting():
        words = ui.t("Try again in {n} seconds.", n=seconds)
    else:
        words = ui.t(keyguard.message or PROMPTS[keyguard.kind])
    message = _line(words, "bouncer_primary_message_area", 18)
    body = {"pin": _pin, "password": _password, "pattern": _pattern}[keyguard.kind](ui)
    wide = ui.display.metrics.wide
    above = Column([Space(), message, Space(height=MATCH if wide else 8)], weight=1, height=MATCH)
    container = Panes([above, body], id="keyguard_bouncer_container", gravity="center_vertical")
    keyboard = (190 if wide else 300) if keyguard.kind == "password" else 0  # height in dp
    container.padding = (24, 32, 24, 32 + keyboard)
    return container


def _pin(ui: SystemUi) -> View:
    typed = _line("\N{BULLET}" * len(ui.keyguard.typed), "pinEntry", 32)
    typed.gravity, typed.height, typed.min_height = "center", 72, 40
    typed.class_name = "android.widget.EditText"
    keys = [_key(ui, name) for name in PAD]
    metrics = ui.display.metrics
    width = min(300, metrics.width_px / metrics.density - 48)
    rows = [
        Row(keys[at : at + 3], height=88, min_height=52, width=width, direction="ltr")
        for at in range(0, len(keys), 3)
    ]
    view = Column([typed, *rows], id="keyguard_pin_view", gravity="center_horizontal")
    view.margin = (0, 0, 0, 32)
    return view


def _key(ui: SystemUi, name: str) -> View:
    keyguard = ui.keyguard
    key: View
    acts = {
        "delete": ("backspace", "delete_button", "Delete", keyguard.delete),
        "enter": ("keyboard_return", "key_enter", "Enter", keyguard.enter),
    }
    if name in acts:
        icon, key_id, desc, act = acts[name]
        key = Frame([Image(icon, color=INK, align="center")], id=key_id, desc=ui.t(desc))
        key.on_click, key.class_name = act, "android.widget.ImageButton"
    else:
        metrics = ui.display.metrics
        size = (24 if metrics.wide else 28) / max(1, metrics.font_scale)  # scales with the keys
        digit = Text(name, id="digit_text", size=size, color=INK)
        letters = Text(LETTERS.get(name, ""), id="klondike_text", size=size * 0.36, color=INK)
        key = Column([digit, letters], id=f"key{name}", desc=name, gravity="center")
        key.on_click = partial(keyguard.press, name)
    key.width, key.height, key.margin = MATCH, MATCH, (6, 3)
    key.corner = 22 if ui.display.metrics.wide else 38
    key.background = "#33ffffff"
    return key


def _password(ui: SystemUi) -> View:
    field = Input(ui.keyguard.typed, id="passwordEntry", key="passwordEntry", password=True)
    field.on_change, field.on_submit = ui.keyguard.keep, ui.keyguard.enter
    field.color, field.margin = INK, (24, 24)
    return Column([field], id="keyguard_password_view")


def _pattern(ui: SystemUi) -> View:
    cell = 72 if ui.display.metrics.wide else 100
    dot = partial(View, width=14, height=14, corner=7, background=INK, align="center")
    dots = [Frame([dot()], height=cell) for _ in range(9)]
    grid = Grid(dots, 3, id="lockPatternView", key="lockPatternView", margin=(0, 8))
    grid.width = 3 * cell
    grid.class_name, grid.desc = "android.view.View", ui.t("Pattern area.")
    cancel = Button(ui.t("Cancel"), style="text", color=INK, on_click=ui.keyguard.back)
    return Column([grid, cancel], id="keyguard_pattern_view", gravity="center_horizontal")
