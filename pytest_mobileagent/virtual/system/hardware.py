"""The emulated hardware that the console works on: how the phone is held, and where it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.snapshots.kept import Kept

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.system.window.display import Display

GRAVITY = 9.81


@dataclass(frozen=True, slots=True)
class Fix:
    """A position as GPS gives it: degrees, metres, knots."""

    longitude: float = -122.084
    latitude: float = 37.421998
    altitude: float = 5.0
    satellites: int = 1
    velocity: float = 0.0
    uptime: float = 0.0  # when it was found


@dataclass(eq=False)
class Hardware(Kept):
    """What somebody outside can do to the phone's body and surroundings."""

    KEPT = ("turns", "fix")

    changes: Changes
    display: Display
    turns: int = 0  # quarters, counter-clockwise
    fix: Fix = Fix()

    @property
    def acceleration(self) -> tuple[float, float]:
        """What the phone feels of gravity, to its right and to its top."""
        return ((0.0, GRAVITY), (GRAVITY, 0.0), (0.0, -GRAVITY), (-GRAVITY, 0.0))[self.turns]

    def rotate(self) -> None:
        """Turn the phone by a quarter, clockwise; the display follows if the user lets it."""
        self.turns = (self.turns - 1) % 4
        self.display.turned(self.turns)
        self.changes.note()

    def locate(self, fix: Fix) -> None:
        """Put the phone somewhere on earth."""
        self.fix = fix
        self.changes.note()

    def load(self, saved: dict[str, Any]) -> None:
        """Take all of it back; the display is as the phone is held."""
        super().load(saved)
        self.display.turned(self.turns)
