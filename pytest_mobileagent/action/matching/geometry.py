"""Points, boxes, directions and strings, compared as several matching rules do.

Operations are in the same order as in the scorers, so that points exactly on the edge of a box or
of a radius give the same result. As "" is a part of any string, most rules accept typing nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from pytest_mobileagent.action.gestures import Scroll, Swipe

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.action.gestures import Direction
    from pytest_mobileagent.action.matching import Size
    from pytest_mobileagent.screen.element import Bounds


Point = tuple[float, float]


class Box(NamedTuple):
    """A rectangle in any unit; its edges belong to it."""

    left: float
    top: float
    right: float
    bottom: float

    def contains(self, point: Point) -> bool:
        """Return whether a point lies inside or on an edge."""
        return self.left <= point[0] <= self.right and self.top <= point[1] <= self.bottom

    def surrounds(self, point: Point) -> bool:
        """Return whether a point lies inside and not on an edge."""
        return self.left < point[0] < self.right and self.top < point[1] < self.bottom

    @property
    def center(self) -> Point:
        """The point in the middle, as (x, y)."""
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2


def fraction(x: float, y: float, size: tuple[float, float]) -> Point:
    """Return a pixel in fractions of the screen, each axis separately."""
    return x / size[0], y / size[1]


def fractions(bounds: Bounds, size: Size) -> Box:
    """Return a box in fractions of the screen, each axis separately."""
    return Box(*fraction(*bounds[:2], size), *fraction(*bounds[2:], size))


def distance(one: Point, other: Point) -> float:
    """Return the distance of two points, in their own unit."""
    dx, dy = one[0] - other[0], one[1] - other[1]
    return math.sqrt(dx * dx + dy * dy)


def enlarged(box: Box, factor: float) -> Box:
    """Return a box with `factor` times the width and height, around the same centre."""
    x, y = box.center
    width, height = (box.right - box.left) * factor, (box.bottom - box.top) * factor
    return Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def hits(point: Point, boxes: Iterable[Box]) -> bool:
    """Return whether a point lies in one of the boxes, edges included."""
    return any(box.contains(point) for box in boxes)


def smallest_at(point: Point, boxes: Iterable[Box]) -> Box | None:
    """Return the smallest box that contains a point, edges included, or None."""
    return min((box for box in boxes if box.contains(point)), key=_area, default=None)


def _area(box: Box) -> float:
    return (box.right - box.left) * (box.bottom - box.top)


def overlap(one: Box, other: Box) -> float:
    """Return the intersection over union of two boxes in pixels, each counted as at least 1 px²."""
    width = min(one.right, other.right) - max(one.left, other.left)
    height = min(one.bottom, other.bottom) - max(one.top, other.top)
    common = max(0, width) * max(0, height)
    return common / (max(_area(one), 1) + max(_area(other), 1) - common)


def stroke(action: Swipe | Scroll, size: tuple[float, float]) -> tuple[Point, Point]:
    """Return where a finger touches the screen and where it leaves it, in fractions of the screen.

    A scroll covers half of the screen, a quarter on each side of its middle.
    """
    if isinstance(action, Swipe):
        return fraction(action.x1, action.y1, size), fraction(action.x2, action.y2, size)
    x, y = fraction(*action.at, size) if action.at else (0.5, 0.5)
    dx, dy = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}[action.direction]
    return (x - dx / 4, y - dy / 4), (x + dx / 4, y + dy / 4)


def direction(
    action: Action | None, size: tuple[float, float] = (1, 1), *, bias: float = 1.0
) -> Direction | None:
    """Return the finger's direction; None if it does not move.

    A vertical swipe moves at least `bias` times as far as horizontally, in fractions of `size`.
    """
    if isinstance(action, Scroll):
        return action.direction
    if not isinstance(action, Swipe):
        return None
    (x1, y1), (x2, y2) = stroke(action, size)
    if (x1, y1) == (x2, y2):
        return None
    if abs(y2 - y1) >= bias * abs(x2 - x1):
        return "up" if y2 < y1 else "down"
    return "left" if x2 < x1 else "right"


def one_in_other(one: str, other: str) -> bool:
    """Return whether one of two strings is a part of the other."""
    return one in other or other in one


def one_in_other_caseless(one: str, other: str) -> bool:
    """Return whether one of two strings is a part of the other, ignoring case and outer spaces."""
    return one_in_other(one.lower().strip(), other.lower().strip())


def indel_similarity(one: str, other: str) -> float:
    """Return the similarity of two strings by common subsequence, 0-1 (`Levenshtein.ratio`)."""
    from rapidfuzz.distance import Indel  # only some rules need it

    return Indel.normalized_similarity(one, other)


def edit_similarity(one: str, other: str) -> float:
    """Return 1 minus the Levenshtein distance divided by the length of the longer text, 0-1."""
    from rapidfuzz.distance import Levenshtein  # only some rules need it

    return 1 - Levenshtein.distance(one, other) / max(len(one), len(other), 1)


def common_characters(one: str, other: str) -> int:
    """Return the number of characters that two texts share, in any order, counting repetitions."""
    return (Counter(one) & Counter(other)).total()
