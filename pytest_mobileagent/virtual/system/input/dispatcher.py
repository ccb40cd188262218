"""Injected input: keys, text, a finger, and the kernel's events of a touch screen."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.system.input.keys import key, split_keys, typeable

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.clock import Clock
    from pytest_mobileagent.virtual.system.configuration import Display
    from pytest_mobileagent.virtual.system.input.gestures import Gestures
    from pytest_mobileagent.virtual.system.input.ime import InputMethods
    from pytest_mobileagent.virtual.system.input.keys import Keys
    from pytest_mobileagent.virtual.system.keyguard import Keyguard
    from pytest_mobileagent.virtual.system.windows import Windows


@dataclass(frozen=True, eq=False)
class Dispatcher:
    """Input from a keyboard, with event listeners notified immediately."""

    clock: Clock
    ime: InputMethods
    keyguard: Keyguard
    windows: Windows
    keys: Keys

    def key(self, word: str | int, meta: int = 0) -> None:
        """Press a key, given by name or code."""
        with self.windows.watched():
            self.keys.press(key(word, meta))

    def type_text(self, text: str) -> None:
        """Type on the virtual keyboard; ValueError, before anything is typed, if it lacks a key."""
        if not typeable(text):
            raise ValueError("Attempt to get length of null array")
        if self.keyguard.takes_keys:
            for letter in text:
                self.key("ENTER") if letter == "\n" else self.keyguard.press(letter)
            return
        if self.ime.typed(text):
            return
        for run in split_keys(text):
            if run in ("\n", "\t"):
                self.key("ENTER" if run == "\n" else "TAB")
            else:
                with self.windows.watched(by_keys=True):
                    self.clock.input_happened()
                    self.ime.commit(run)


@dataclass(eq=False)
class Finger:
    """A finger whose down, move and up events arrive one by one."""

    clock: Clock
    keyguard: Keyguard
    gestures: Gestures
    _start: tuple[float, float, float] | None = None  # x, y, uptime
    _path: list[tuple[float, float]] = field(default_factory=list)

    def down(self, x: float, y: float) -> None:
        """Touch the screen."""
        self._start = x, y, self.clock.uptime()
        self._path = [(x, y)]

    def move(self, x: float, y: float) -> None:
        """Move the finger; the effect is determined when the finger is lifted."""
        self._path.append((x, y))

    def up(self, x: float, y: float) -> None:
        """Lift the finger, which completes a tap, a long press or a swipe."""
        if self._start is None:
            return
        x1, y1, since = self._start
        milliseconds = round((self.clock.uptime() - since) * 1000)
        self._start = None
        path = [*self._path, (x, y)]
        if not self.keyguard.draw(path) and not self.gestures.trace(path, milliseconds):
            self.gestures.swipe(x1, y1, x, y, milliseconds)

    def cancel(self) -> None:
        """Discard the touch."""
        self._start = None


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
