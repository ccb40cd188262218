"""The emulated hardware that the console works on: sensors, position, the network's speed."""

from __future__ import annotations

from dataclasses import dataclass, field
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

    KEPT = ("turns", "sensors", "fix", "registered")

    changes: Changes
    display: Display
    turns: int = 0  # quarters, counter-clockwise
    sensors: dict[str, list[float]] = field(
        default_factory=lambda: {name: list(rest) for name, rest in SENSORS.items()}
    )
    fix: Fix = Fix()
    registered: dict[str, str] = field(default_factory=lambda: {"voice": "home", "data": "home"})

    def rotate(self) -> None:
        """Turn the phone by a quarter, clockwise."""
        self.turn((self.turns - 1) % 4)

    def turn(self, turns: int) -> None:
        """Hold the phone so; the display follows if the user lets it."""
        self.turns = turns
        self.sensors["acceleration"] = list(UPRIGHT[turns])
        self._tell()

    def sense(self, name: str, values: list[float]) -> None:
        """Let a sensor measure something."""
        self.sensors[name][: len(values)] = values
        if name == "acceleration":
            self._feel(*self.sensors[name][:2])

    def _feel(self, x: float, y: float) -> None:
        """Tell from gravity how the phone is held; lying flat, it stays as it was."""
        if max(abs(x), abs(y)) > GRAVITY / 2:
            sideways = abs(x) > abs(y)
            self.turns = (1 if x > 0 else 3) if sideways else (0 if y > 0 else 2)
        self._tell()

    def _tell(self) -> None:
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
