"""The canonical actions with a finger on the screen.

Coordinates are pixels of the screen that the agent saw, (0, 0) at the top left. Directions are
those of the finger: scrolling "up" moves the finger up and reveals content further down.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Direction = Literal["up", "down", "left", "right"]


@dataclass(frozen=True, slots=True)
class Tap:
    """Touch the pixel (x, y) and release it."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class LongPress:
    """Touch the pixel (x, y) and hold it for `seconds`."""

    x: int
    y: int
    seconds: float = 1.0


@dataclass(frozen=True, slots=True)
class DoubleTap:
    """Tap the pixel (x, y) twice, fast enough for Android to treat it as one gesture."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Swipe:
    """Move a finger from (x1, y1) to (x2, y2) within `seconds`."""

    x1: int
    y1: int
    x2: int
    y2: int
    seconds: float = 0.3


@dataclass(frozen=True, slots=True)
class Scroll:
    """Move a finger across half of the screen, through `at` or the screen's centre."""

    direction: Direction
    at: tuple[int, int] | None = None


Touch = Tap | LongPress | DoubleTap | Swipe | Scroll


def scroll_path(action: Scroll, size: tuple[int, int]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return where a scrolling finger starts and ends on a screen of `size` pixels.

    It moves across half of the screen, and avoids the edges, where Android has its own gestures.
    """
    width, height = size
    x, y = action.at or (width // 2, height // 2)
    ways = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
    right, down = ways[action.direction]
    reach_x, reach_y = right * width // 4, down * height // 4
    x = min(max(x, abs(reach_x) + width // 20), width - 1 - abs(reach_x) - width // 20)
    y = min(max(y, abs(reach_y) + height // 20), height - 1 - abs(reach_y) - height // 20)
    return (x - reach_x, y - reach_y), (x + reach_x, y + reach_y)
