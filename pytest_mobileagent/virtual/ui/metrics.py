"""The display metrics, and the geometry that layout and drawing share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.ui.views import Edges

Rect: TypeAlias = tuple[int, int, int, int]  # left, top, right, bottom: pixels of the screen

_NO_EDGES = (0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Metrics:
    """The display: its size, density (pixels per dp, that is, dpi / 160) and theme."""

    width_px: int = 1080
    height_px: int = 2400
    density: float = 2.625
    font_scale: float = 1.0
    dark: bool = False
    accent: str = "#6750a4"
    rtl: bool = False  # right-to-left layout

    @property
    def screen(self) -> Rect:
        """The rectangle of the whole screen."""
        return (0, 0, self.width_px, self.height_px)

    @property
    def wide(self) -> bool:
        """Whether the display is wider than high, as a phone in landscape is."""
        return self.width_px > self.height_px

    def px(self, dp: float) -> int:
        """Convert dp to pixels."""
        return int(dp * self.density + 0.5)

    def sp(self, size: float) -> int:
        """Convert a text size in sp to pixels."""
        return max(1, int(size * self.density * self.font_scale + 0.5))

    def edges(self, edges: Edges) -> Rect:
        """Convert padding or margin to pixels: start, top, end and bottom."""
        return _edges(edges, self.density) if edges else _NO_EDGES


def shrink(rect: Rect, edges: Rect) -> Rect:
    """Shrink a rectangle by its edges; the result is empty if they exceed its size."""
    left, top = rect[0] + edges[0], rect[1] + edges[1]
    return (left, top, max(left, rect[2] - edges[2]), max(top, rect[3] - edges[3]))


@lru_cache(1 << 12)
def _edges(edges: Edges, density: float) -> Rect:
    each = edges if isinstance(edges, tuple) else (edges, edges)
    each = each if len(each) == 4 else each * 2
    left, top, right, bottom = (int(dp * density + 0.5) for dp in each)
    return (left, top, right, bottom)


def mirror(rect: Rect, room: Rect) -> Rect:
    """Return a rectangle mirrored horizontally within a room."""
    both = room[0] + room[2]
    return (both - rect[2], rect[1], both - rect[0], rect[3])


def intersect(one: Rect, other: Rect | None) -> Rect | None:
    """Return the intersection of two rectangles, or None if they do not overlap."""
    if other is None:
        return None
    left, top = max(one[0], other[0]), max(one[1], other[1])
    right, bottom = min(one[2], other[2]), min(one[3], other[3])
    return (left, top, right, bottom) if left < right and top < bottom else None


def holds(rect: Rect | None, x: float, y: float) -> bool:
    """Return whether a point is inside a rectangle."""
    return rect is not None and rect[0] <= x < rect[2] and rect[1] <= y < rect[3]


def aligned(words: str, size: tuple[int, int], room: Rect) -> Rect:
    """Align a size within a room by Android's gravity keywords, where start is left."""
    left, top, right, bottom = room
    spare_x, spare_y = right - left - size[0], bottom - top - size[1]
    for word in words.split("|") if words else ():
        if word == "end":
            left += spare_x
        elif word == "bottom":
            top += spare_y
        if word in {"center", "center_horizontal"}:
            left += spare_x // 2
        if word in {"center", "center_vertical"}:
            top += spare_y // 2
    return (left, top, left + size[0], top + size[1])
