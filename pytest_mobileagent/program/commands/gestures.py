"""What the way of one finger amounts to: a tap, a long press, a swipe."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pytest_mobileagent.action.action import LongPress, Swipe, Tap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.action.action import Action

STILL = 10  # pixels: a finger that moves no further rests
HELD = 0.5  # seconds: a finger that rests that long makes a long press (Android: 0.4)
_STRAIGHT = 40  # pixels that a way may keep off the line between its ends


def stroke(points: Sequence[tuple[float, int, int]]) -> Action | None:
    """Return the action of a finger that went down, moved and up: (seconds, x, y) of each event.

    None if its way is not straight, so that no action says it.
    """
    begin, x1, y1 = points[0]
    end, x2, y2 = points[-1]
    seconds = max(0.0, end - begin)
    if all(math.dist((x, y), (x1, y1)) <= STILL for _, x, y in points):
        return LongPress(x1, y1, round(seconds, 3)) if seconds >= HELD else Tap(x1, y1)
    if any(_off(x, y, (x1, y1), (x2, y2)) > _STRAIGHT for _, x, y in points):
        return None
    return Swipe(x1, y1, x2, y2, round(seconds, 3))


def _off(x: int, y: int, begin: tuple[int, int], end: tuple[int, int]) -> float:
    """How far a point is from the line between two others."""
    dx, dy = end[0] - begin[0], end[1] - begin[1]
    square = dx * dx + dy * dy
    if not square:
        return math.dist((x, y), begin)
    along = max(0.0, min(1.0, ((x - begin[0]) * dx + (y - begin[1]) * dy) / square))
    return math.dist((x, y), (begin[0] + along * dx, begin[1] + along * dy))
