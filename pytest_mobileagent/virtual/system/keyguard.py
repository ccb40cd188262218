"""The keyguard: how the phone is locked and unlocked."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal

from pytest_mobileagent.virtual.content.intent import Intent
from pytest_mobileagent.virtual.snapshots import Kept
from pytest_mobileagent.virtual.ui.layout import UiState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.kernel.clock import Clock
    from pytest_mobileagent.virtual.system.activities import Activities
    from pytest_mobileagent.virtual.system.hardware import Power
    from pytest_mobileagent.virtual.system.input.ime import InputMethods
    from pytest_mobileagent.virtual.system.interfaces import FocusService
    from pytest_mobileagent.virtual.system.ipc import Broadcasts
    from pytest_mobileagent.virtual.system.notifications import Notifications, Shade

Method = Literal["none", "swipe", "pattern", "pin", "password"]
TRIES: Final = 5  # wrong answers before the user has to wait
WAIT: Final = 30.0  # seconds
LEAST: Final = 4  # minimum number of digits, letters or dots in a credential
WRONG: Final = {"pin": "Wrong PIN", "password": "Wrong password", "pattern": "Wrong pattern"}
REACH: Final = 0.35  # in cells: how close to a dot's centre a finger has to pass


class BadCredential(ValueError):
    """The chosen credential is too weak; the message is Android's."""


@dataclass(eq=False)
class Keyguard(Kept):
    """Locks the phone when the screen goes off, unless it is disabled.

    Without a credential, a swipe unlocks the phone.
    """

    KEPT = (
        "disabled", "kind", "_secret", "locked", "asking", "typed", "message", "_failures",
        "_until", "_pending", "ui",
    )  # fmt: skip

    clock: Clock
    power: Power
    changes: Changes
    broadcasts: Broadcasts
    ime: InputMethods
    activities: Activities
    notifications: Notifications
    shade: Shade
    disabled: bool = False
    kind: str = ""  # of the credential: pattern, pin, password
    _secret: str = ""
    locked: bool = False
    asking: bool = False  # the bouncer, which asks for the credential, is shown
    typed: str = ""
    message: str = ""
    _failures: int = 0
    _until: float = 0.0  # uptime until which answers are rejected
    _pending: str = ""  # key of the notification to open once the phone is unlocked
    ui: UiState = field(default_factory=UiState)

    def __post_init__(self) -> None:
        """Lock whenever the screen goes off."""
        self.power.on_sleep = self.lock

    def link(self, windows: FocusService) -> None:
        """Connect the window service, to find where patterns are drawn."""
        self._windows = windows

    @property
    def method(self) -> Method:
        """The way to unlock the phone."""
        if self.kind:
            return self.kind  # type: ignore[return-value] # one of the three
        return "none" if self.disabled else "swipe"

    @property
    def secure(self) -> bool:
        """Whether a credential is required."""
        return bool(self.kind)

    @property
    def showing(self) -> bool:
        """Whether the keyguard covers the screen; some activities are shown above it."""
        return self.locked and not self.activities.top.activity.show_when_locked

    # Locking and unlocking

    def lock(self) -> None:
        """Lock the phone, as happens when the screen goes off."""
        if self.method == "none":
            return
        self.locked = True
        self._clear()
        self.shade.close()
        self.notifications.hide()

    def dismiss(self, pending: str = "") -> None:
        """Unlock the phone, or ask for the credential first."""
        if not self.locked:
            return
        self._pending = pending
        if self.secure:
            self.asking = True
            if self.kind == "password":
                self.ui.focused = "passwordEntry"
                self.ime.show()
            self.changes.note()
        else:
            self._open()

    def back(self) -> None:
        """Close the bouncer."""
        self._clear()
        self.changes.note()

    def _open(self) -> None:
        self.locked, self._failures = False, 0
        pending, self._pending = self._pending, ""
        self._clear()
        posted = {each.key: each for each in self.notifications.posted}
        if pending in posted:
            self.notifications.open(posted[pending])
        self.broadcasts.send(Intent("android.intent.action.USER_PRESENT"))
        self.changes.note()

    def _clear(self) -> None:
        self.asking, self.typed, self.message = False, "", ""
        self.ui = UiState()
        self.ime.hide()

    # Answers

    @property
    def takes_keys(self) -> bool:
        """Whether keys go to the PIN, which has no text field."""
        return self.showing and self.asking and self.kind == "pin"

    def press(self, digit: str) -> None:
        """Append a typed character to the answer."""
        self.typed += digit
        self.changes.note()

    def keep(self, text: str) -> None:
        """Store the text of the password field."""
        self.typed = text

    def delete(self) -> None:
        """Delete the last digit."""
        self.typed = self.typed[:-1]
        self.changes.note()

    def enter(self, *_: object) -> None:
        """Try the typed answer."""
        if self.typed:
            self.try_(self.typed)

    def waiting(self) -> int:
        """Return the seconds until answers are accepted again."""
        return max(0, round(self._until - self.clock.uptime() + 0.499))

    def try_(self, answer: str) -> bool:
        """Try an answer: unlock the phone, or show that the answer was wrong."""
        self.typed = ""
        if self.waiting():
            return False
        if answer == self._secret:
            self._open()
            return True
        self._failures += 1
        self.message = WRONG[self.kind]
        if self._failures % TRIES == 0:
            self._until = self.clock.uptime() + WAIT
        self.changes.note()
        return False

    def draw(self, points: Sequence[tuple[float, float]]) -> bool:
        """Try the pattern drawn by a finger; return False if no pattern is asked for."""
        if not (self.showing and self.asking and self.kind == "pattern"):
            return False
        window = self._windows.find("keyguard")
        field = window.box.find("lockPatternView") if window else None
        if field is None:
            return False
        left, top, right, bottom = field.bounds
        drawn = dots_of(points, (left, top, (right - left) / 3, (bottom - top) / 3))
        if len(drawn) >= LEAST:
            self.try_(drawn)
        return True

    # The credential

    def set(self, kind: Literal["pattern", "pin", "password"], secret: str) -> None:
        """Set a credential; BadCredential, with Android's message, if it is too weak."""
        self.check(kind, secret)
        self.kind, self._secret = kind, secret

    @staticmethod
    def check(kind: Literal["pattern", "pin", "password"], secret: str) -> None:
        """Raise BadCredential, with Android's message, if a credential is too weak."""
        if len(secret) < LEAST:
            raise BadCredential(f"Password too short; required: {LEAST}")
        if kind == "pin" and not secret.isdecimal():
            raise BadCredential("Invalid character")

    def clear(self) -> None:
        """Remove the credential."""
        self.kind = self._secret = ""

    def is_right(self, answer: str) -> bool:
        """Return whether an answer is the credential; without a credential, whether it is empty."""
        return answer == self._secret


def dots_of(points: Sequence[tuple[float, float]], grid: tuple[float, float, float, float]) -> str:
    """Return the numbers of the dots that lines through some points pass, each dot once.

    The grid consists of its left and upper edge, and the width and height of a cell.
    """
    left, top, width, height = grid
    found = ""
    for (x1, y1), (x2, y2) in pairwise(points):
        steps = max(1, int(max(abs(x2 - x1), abs(y2 - y1)) / 8))
        for step in range(steps + 1):
            x = (x1 + (x2 - x1) * step / steps - left) / width
            y = (y1 + (y2 - y1) * step / steps - top) / height
            column, row = int(x), int(y)
            near = abs(x - column - 0.5) < REACH and abs(y - row - 0.5) < REACH
            if near and 0 <= column < 3 and 0 <= row < 3:
                dot = str(row * 3 + column + 1)
                found += "" if dot in found else dot
    return found
