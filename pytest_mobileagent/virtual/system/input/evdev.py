"""The kernel's input events: a touch screen that follows the multi-touch protocol, and keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone

EV_SYN, EV_KEY, EV_ABS = 0, 1, 3
TYPES = {"EV_SYN": EV_SYN, "EV_KEY": EV_KEY, "EV_REL": 2, "EV_ABS": EV_ABS, "EV_MSC": 4,
         "EV_SW": 5, "EV_LED": 0x11, "EV_SND": 0x12, "EV_REP": 0x14}  # fmt: skip
ABSOLUTE = {
    "ABS_X": 0x00,
    "ABS_Y": 0x01,
    "ABS_MT_SLOT": 0x2F,
    "ABS_MT_TOUCH_MAJOR": 0x30,
    "ABS_MT_POSITION_X": 0x35,
    "ABS_MT_POSITION_Y": 0x36,
    "ABS_MT_TRACKING_ID": 0x39,
    "ABS_MT_PRESSURE": 0x3A,
}
KEYS = {  # of Linux, and the names of Android's that they mean
    "KEY_ESC": (1, "BACK"),
    "KEY_BACKSPACE": (14, "DEL"),
    "KEY_TAB": (15, "TAB"),
    "KEY_ENTER": (28, "ENTER"),
    "KEY_SPACE": (57, "SPACE"),
    "KEY_HOME": (102, "HOME"),
    "KEY_UP": (103, "DPAD_UP"),
    "KEY_LEFT": (105, "DPAD_LEFT"),
    "KEY_RIGHT": (106, "DPAD_RIGHT"),
    "KEY_DOWN": (108, "DPAD_DOWN"),
    "KEY_MUTE": (113, "VOLUME_MUTE"),
    "KEY_VOLUMEDOWN": (114, "VOLUME_DOWN"),
    "KEY_VOLUMEUP": (115, "VOLUME_UP"),
    "KEY_POWER": (116, "POWER"),
    "KEY_MENU": (139, "MENU"),
    "KEY_SLEEP": (142, "SLEEP"),
    "KEY_WAKEUP": (143, "WAKEUP"),
    "KEY_BACK": (158, "BACK"),
    "KEY_HOMEPAGE": (172, "HOME"),
    "KEY_APPSELECT": (580, "APP_SWITCH"),
    "KEY_MINUS": (12, "MINUS"),
    "KEY_EQUAL": (13, "EQUALS"),
    "KEY_LEFTBRACE": (26, "LEFT_BRACKET"),
    "KEY_RIGHTBRACE": (27, "RIGHT_BRACKET"),
    "KEY_LEFTCTRL": (29, "CTRL_LEFT"),
    "KEY_SEMICOLON": (39, "SEMICOLON"),
    "KEY_APOSTROPHE": (40, "APOSTROPHE"),
    "KEY_GRAVE": (41, "GRAVE"),
    "KEY_LEFTSHIFT": (42, "SHIFT_LEFT"),
    "KEY_BACKSLASH": (43, "BACKSLASH"),
    "KEY_COMMA": (51, "COMMA"),
    "KEY_DOT": (52, "PERIOD"),
    "KEY_SLASH": (53, "SLASH"),
    "KEY_RIGHTSHIFT": (54, "SHIFT_RIGHT"),
    "KEY_RIGHTCTRL": (97, "CTRL_RIGHT"),
    "KEY_DELETE": (111, "FORWARD_DEL"),
}
for _first, _row in ((2, "1234567890"), (16, "QWERTYUIOP"), (30, "ASDFGHJKL"), (44, "ZXCVBNM")):
    KEYS |= {f"KEY_{letter}": (code, letter) for code, letter in enumerate(_row, _first)}
BTN_TOUCH = 0x14A
CODES: dict[str, dict[str, int]] = {
    "EV_SYN": {"SYN_REPORT": 0, "SYN_CONFIG": 1, "SYN_MT_REPORT": 2},
    "EV_KEY": {**{name: code for name, (code, _) in KEYS.items()}, "BTN_TOUCH": BTN_TOUCH},
    "EV_ABS": ABSOLUTE,
}
NAMES = dict(KEYS.values())
DEVICE, DEVICE_NAME = "/dev/input/event1", "virtio_input_multi_touch_1"
FULL = 32767  # the touch screen counts from 0 to here across the display, in both directions


class Touchscreen:
    """Turns events into touches: a finger is down from its tracking id until this becomes -1."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._x = self._y = 0
        self._wanted = self._down = False
        self._moved = False

    def event(self, type_: int, code: int, value: int) -> None:
        """Take one event; touches count at the report that ends a packet."""
        if type_ == EV_KEY and code == BTN_TOUCH:
            self._wanted = bool(value)
        elif type_ == EV_KEY and value == 1 and code in NAMES:
            self._phone.key(f"KEYCODE_{NAMES[code]}")
        elif type_ == EV_ABS:
            self._position(code, value)
        elif type_ == EV_SYN and code == 0:
            self._report()

    def _position(self, code: int, value: int) -> None:
        if code in (ABSOLUTE["ABS_MT_POSITION_X"], ABSOLUTE["ABS_X"]):
            self._x, self._moved = value, True
        elif code in (ABSOLUTE["ABS_MT_POSITION_Y"], ABSOLUTE["ABS_Y"]):
            self._y, self._moved = value, True
        elif code == ABSOLUTE["ABS_MT_TRACKING_ID"]:
            self._wanted = 0 <= value < 0xFFFFFFFF

    def _report(self) -> None:
        finger, (x, y) = self._phone.finger, self._pixels()
        if self._wanted and not self._down:
            finger.down(x, y)
        elif self._wanted and self._moved:
            finger.move(x, y)
        elif self._down and not self._wanted:
            finger.up(x, y)
        self._down, self._moved = self._wanted, False

    def _pixels(self) -> tuple[int, int]:
        metrics = self._phone.display.metrics
        scale = FULL + 1
        return self._x * metrics.width_px // scale, self._y * metrics.height_px // scale
