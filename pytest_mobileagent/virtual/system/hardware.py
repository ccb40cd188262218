"""The emulated hardware that the console controls: orientation and location."""

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
    """A position as GPS reports it: degrees, metres, knots."""

    longitude: float = -122.084
    latitude: float = 37.421998
    altitude: float = 5.0
    satellites: int = 1
    velocity: float = 0.0
    uptime: float = 0.0  # when the position was determined


@dataclass(eq=False)
class Hardware(Kept):
    """The phone's physical state, which the console controls."""

    KEPT = ("turns", "fix")

    changes: Changes
    display: Display
    turns: int = 0  # quarter turns, counter-clockwise
    fix: Fix = Fix()

    @property
    def acceleration(self) -> tuple[float, float]:
        """The gravity that the accelerometer measures along the x (right) and y (top) axes."""
        return ((0.0, GRAVITY), (GRAVITY, 0.0), (0.0, -GRAVITY), (-GRAVITY, 0.0))[self.turns]

    def rotate(self) -> None:
        """Turn the phone a quarter turn clockwise; the display follows if auto-rotate is on."""
        self.turns = (self.turns - 1) % 4
        self.display.turned(self.turns)
        self.changes.note()

    def locate(self, fix: Fix) -> None:
        """Set the phone's position."""
        self.fix = fix
        self.changes.note()

    def load(self, saved: dict[str, Any]) -> None:
        """Restore the state; the display is rotated to match."""
        super().load(saved)
        self.display.turned(self.turns)
