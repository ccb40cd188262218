"""The emulated hardware that the console works on: how the phone is held, and where it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.snapshots.kept import Kept

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.system.window.display import Display

GRAVITY = 9.81
# The acceleration that a phone feels which is turned by so many quarters, counter-clockwise.
UPRIGHT = ((0.0, GRAVITY, 0.0), (GRAVITY, 0.0, 0.0), (0.0, -GRAVITY, 0.0), (-GRAVITY, 0.0, 0.0))
SENSORS: dict[str, tuple[float, ...]] = {
    "acceleration": UPRIGHT[0],
    "gyroscope": (0.0, 0.0, 0.0),
    "magnetic-field": (0.0, 9.9, -47.75),
    "orientation": (0.0, 0.0, 0.0),
    "temperature": (0.0,),
    "proximity": (1.0,),
    "light": (0.0,),
    "pressure": (0.0,),
    "humidity": (0.0,),
    "magnetic-field-uncalibrated": (0.0, 9.9, -47.75),
    "gyroscope-uncalibrated": (0.0, 0.0, 0.0),
    "hinge-angle0": (0.0,),
    "heart-rate": (0.0,),
}


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
    def sensors(self) -> dict[str, tuple[float, ...]]:
        """What the sensors measure: the phone lies still, but for being turned."""
        return {**SENSORS, "acceleration": UPRIGHT[self.turns]}

    def rotate(self) -> None:
        """Turn the phone by a quarter, clockwise."""
        self.turn((self.turns - 1) % 4)

    def turn(self, turns: int) -> None:
        """Hold the phone so; the display follows if the user lets it."""
        self.turns = turns
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
