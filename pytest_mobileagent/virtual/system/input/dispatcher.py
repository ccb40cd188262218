"""Injected input: keys, text, and a finger whose touch events arrive one by one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.system.input.keymap import key, split_keys, typeable

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.clock import Clock
    from pytest_mobileagent.virtual.system.input.gestures import Gestures
    from pytest_mobileagent.virtual.system.input.ime import InputMethods
    from pytest_mobileagent.virtual.system.input.keys import Keys
    from pytest_mobileagent.virtual.system.keyguard import Keyguard
    from pytest_mobileagent.virtual.system.window.windows import Windows


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
        if not self.keyguard.draw([*self._path, (x, y)]):
            self.gestures.swipe(x1, y1, x, y, milliseconds)

    def cancel(self) -> None:
        """Discard the touch."""
        self._start = None
