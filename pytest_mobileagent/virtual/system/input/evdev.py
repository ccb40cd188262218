"""The kernel's input events: a touch screen with the multi-touch protocol, and keys."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.system.input.dispatcher import Dispatcher, Finger
    from pytest_mobileagent.virtual.system.window.display import Display

EV_SYN, EV_KEY, EV_ABS = 0, 1, 3
ABSOLUTE = {"ABS_X": 0x00, "ABS_Y": 0x01, "ABS_MT_SLOT": 0x2F, "ABS_MT_TOUCH_MAJOR": 0x30,
            "ABS_MT_POSITION_X": 0x35, "ABS_MT_POSITION_Y": 0x36, "ABS_MT_TRACKING_ID": 0x39,
            "ABS_MT_PRESSURE": 0x3A}  # fmt: skip
_LAYOUT = (resources.files(__package__) / "generic.kl").read_text("utf-8")
KEYS = {  # Linux key names, with their codes and Android's names
    name: (int(code), meaning)
    for name, code, meaning in (line.split() for line in _LAYOUT.splitlines()[1:])
}
BTN_TOUCH = 0x14A
NAMES = dict(KEYS.values())
DEVICE, DEVICE_NAME = "/dev/input/event1", "virtio_input_multi_touch_1"
FULL = 32767  # the touch screen's coordinates range from 0 to this across the display, on both axes


@dataclass(eq=False)
class Touchscreen:
    """Converts events to touches: a finger is down from its tracking id until this becomes -1."""

    display: Display
    dispatcher: Dispatcher
    finger: Finger
    _x: int = 0
    _y: int = 0
    _wanted: bool = False
    _down: bool = False
    _moved: bool = False

    def event(self, type_: int, code: int, value: int) -> None:
        """Process an event; touches take effect at the report that ends a packet."""
        if type_ == EV_KEY and code == BTN_TOUCH:
            self._wanted = bool(value)
        elif type_ == EV_KEY and value == 1 and code in NAMES:
            self.dispatcher.key(f"KEYCODE_{NAMES[code]}")
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
        finger, (x, y) = self.finger, self._pixels()
        if self._wanted and not self._down:
            finger.down(x, y)
        elif self._wanted and self._moved:
            finger.move(x, y)
        elif self._down and not self._wanted:
            finger.up(x, y)
        self._down, self._moved = self._wanted, False

    def _pixels(self) -> tuple[int, int]:
        metrics = self.display.metrics
        scale = FULL + 1
        return self._x * metrics.width_px // scale, self._y * metrics.height_px // scale
