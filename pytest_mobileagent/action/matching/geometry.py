"""Points, boxes, directions and texts, as several matching rules compare them.

The order of the operations is that of the scorers: points on the very edge of a box or of a radius
fall on the side on which they fall there. An empty text is a part of every other, so that typing
nothing is right by most rules.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from pytest_mobileagent.action.action import Scroll, Swipe

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_mobileagent.action.action import Action, Direction
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
        """Whether a point lies inside, or on an edge."""
        return self.left <= point[0] <= self.right and self.top <= point[1] <= self.bottom

    def surrounds(self, point: Point) -> bool:
        """Whether a point lies inside, and on no edge."""
        return self.left < point[0] < self.right and self.top < point[1] < self.bottom

    @property
    def center(self) -> Point:
        """The point in the middle, as (x, y)."""
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2


def fraction(x: float, y: float, size: tuple[float, float]) -> Point:
    """Return a pixel in fractions of the screen, each axis by itself."""
    return x / size[0], y / size[1]


def fractions(bounds: Bounds, size: Size) -> Box:
    """Return a box in fractions of the screen, each axis by itself."""
    return Box(*fraction(*bounds[:2], size), *fraction(*bounds[2:], size))


def distance(one: Point, other: Point) -> float:
    """Return how far two points are from each other, in their own unit."""
    dx, dy = one[0] - other[0], one[1] - other[1]
    return math.sqrt(dx * dx + dy * dy)


def enlarged(box: Box, factor: float) -> Box:
    """Return a box that is `factor` times as wide and as high, around the same middle."""
    x, y = box.center
    width, height = (box.right - box.left) * factor, (box.bottom - box.top) * factor
    return Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def hits(point: Point, boxes: Iterable[Box]) -> bool:
    """Whether a point lies in one of the boxes, edges included."""
    return any(box.contains(point) for box in boxes)


def smallest_at(point: Point, boxes: Iterable[Box]) -> Box | None:
    """Return the smallest of the boxes that hold a point, edges included; None if none does."""
    return min((box for box in boxes if box.contains(point)), key=_area, default=None)


def _area(box: Box) -> float:
    return (box.right - box.left) * (box.bottom - box.top)


def overlap(one: Box, other: Box) -> float:
    """Return the intersection over the union of two boxes in pixels; none is below 1 px² there."""
    width = min(one.right, other.right) - max(one.left, other.left)
    height = min(one.bottom, other.bottom) - max(one.top, other.top)
    common = max(0, width) * max(0, height)
    return common / (max(_area(one), 1) + max(_area(other), 1) - common)


def stroke(action: Swipe | Scroll, size: tuple[float, float]) -> tuple[Point, Point]:
    """Return where a finger touches the screen and where it leaves it, in fractions of it.

    A scroll goes over half of the screen, a quarter to each side of its middle.
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

    A swipe is vertical if it moves at least `bias` times as far vertically as horizontally, each
    in fractions of a screen of `size`.
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
    """Whether one of two texts is a part of the other."""
    return one in other or other in one


def alike(one: str, other: str) -> bool:
    """Whether one of two texts is a part of the other; cases and outer spaces do not matter."""
    return one_in_other(one.lower().strip(), other.lower().strip())


def indel_similarity(one: str, other: str) -> float:
    """Return how much two texts have in common in order, 0-1: `Levenshtein.ratio` in Python."""
    from rapidfuzz.distance import Indel  # only some rules need it

    return Indel.normalized_similarity(one, other)


def edit_similarity(one: str, other: str) -> float:
    """Return 1 minus the Levenshtein distance over the length of the longer text, 0-1."""
    from rapidfuzz.distance import Levenshtein  # only some rules need it

    return 1 - Levenshtein.distance(one, other) / max(len(one), len(other), 1)


def common_characters(one: str, other: str) -> int:
    """Return how many characters two texts have in common, in any order, repeated ones too."""
    return (Counter(one) & Counter(other)).total()
