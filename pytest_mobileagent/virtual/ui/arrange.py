"""How each kind of group divides its room among its children.

Layout calls `arrange` for two purposes. Without `exact`, the room is a limit, and the question is
which size the group prefers. With `exact`, the room is the group's actual size, and the question
is where the children go. Rectangles are relative to the room; an invisible child has none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

from pytest_mobileagent.virtual.ui.leaves import content_size
from pytest_mobileagent.virtual.ui.metrics import Metrics, Rect, aligned, shrink
from pytest_mobileagent.virtual.ui.views import (
    MATCH,
    WRAP,
    Column,
    Grid,
    HScroll,
    List,
    Panes,
    Row,
    Scroll,
    View,
)

Size: TypeAlias = tuple[int, int]
Arranged: TypeAlias = tuple[Size, list[Rect]]

BOUNDLESS = 1_000_000  # pixels: no limit
LEAST = 96  # dp; a Column scrolls rather than give less to a child that takes the remaining room


class Measure:
    """Returns the preferred size of a view for a width; caches sizes for one layout pass."""

    def __init__(self, metrics: Metrics, root: View, widest: int) -> None:
        self.metrics = metrics
        self._root = root  # never wider than the available room, whatever its width
        self._widest = widest
        self._known: dict[tuple[int, int], Size] = {}

    def __call__(self, view: View, limit: int) -> Size:
        """Return the size of a view, including its padding, for `limit` pixels of width."""
        asked = (id(view), limit)
        if (known := self._known.get(asked)) is None:
            known = self._known[asked] = self._size(view, limit)
        return known

    def _size(self, view: View, limit: int) -> Size:
        px = self.metrics.px
        if view.width >= 0:
            limit = min(px(view.width), self._widest) if view is self._root else px(view.width)
        width, height = limit, px(view.height)
        if view.width < 0 or view.height < 0:
            left, top, right, bottom = self.metrics.edges(view.padding)
            room = max(0, limit - left - right)
            if view.children:
                inner, _ = arrange(view, room, None, self, exact=view.width >= 0)
            else:
                inner = content_size(view, room, self.metrics)
            if view.width < 0:
                width = min(limit, inner[0] + left + right)
            if view.height < 0:
                height = inner[1] + top + bottom
        return width, max(height, px(view.min_height))

    def least(self, view: View, limit: int) -> int:
        """Return the height to which a view can shrink: `min_height` if it has a fixed height."""
        likes, px = self(view, limit)[1], self.metrics.px
        if view.height >= 0:
            return min(likes, px(view.min_height) or likes)
        if isinstance(view, List) or type(view) is Scroll:
            return min(likes, px(LEAST))
        if not view.children or isinstance(view, Grid | Scroll):
            return likes
        left, top, right, bottom = self.metrics.edges(view.padding)
        items = self.items(view)
        stacked = isinstance(view, Column) and not (isinstance(view, Panes) and self.metrics.wide)
        room = (limit - left - right) // (1 if stacked else max(1, len(items)))
        parts = [i.above + self.least(i.view, max(0, room - i.beside)) for i in items]
        return min(likes, (sum(parts) if stacked else max(parts, default=0)) + top + bottom)

    def items(self, view: View) -> list[_Item]:
        """Return the visible children."""
        edges = self.metrics.edges
        return [_Item(child, edges(child.margin)) for child in view.children if child.visible]


def arrange(
    view: View, width: int, height: int | None, measure: Measure, *, exact: bool
) -> tuple[Size, list[Rect | None]]:
    """Return the size of a group's content, and the rectangles of its children in it."""
    items = measure.items(view)
    room = _Room(width, height, view.gravity, measure, exact)
    if isinstance(view, Scroll):
        size, rects = _scrolled(items, room, sideways=isinstance(view, HScroll))
    elif isinstance(view, List | Grid) and view.columns > 1:
        fit = width // measure.metrics.px(view.cell) if view.cell else 0
        size, rects = _grid(items, room, max(view.columns, fit))
    elif isinstance(view, List):
        size, rects = _column(items, replace(room, height=None))
    elif isinstance(view, Panes) and measure.metrics.wide:
        size, rects = _row(items, room, even=True)
    elif isinstance(view, Column):
        size, rects = _column(items, room, scrolls=not view.clickable)
    elif isinstance(view, Row):
        size, rects = _row(items, room)
    else:
        size, rects = _frame(items, room)
    placed = iter(rects)
    return size, [next(placed) if child.visible else None for child in view.children]


@dataclass(slots=True)
class _Room:
    """The room to divide; with `height` None, the height is unlimited."""

    width: int
    height: int | None
    gravity: str
    measure: Measure
    exact: bool

    def ask(self, items: list[_Item]) -> None:
        """Measure every child for the full width."""
        for item in items:
            item.ask(self.measure, self.width - item.beside)


@dataclass(slots=True)
class _Item:
    """A visible child, with its margins in pixels and the size it is given."""

    view: View
    margin: Rect
    width: int = 0
    height: int = 0

    @property
    def beside(self) -> int:
        return self.margin[0] + self.margin[2]

    @property
    def above(self) -> int:
        return self.margin[1] + self.margin[3]

    def ask(self, measure: Measure, limit: int) -> None:
        self.width, self.height = measure(self.view, max(0, limit))

    def place(self, left: int, top: int, right: int, bottom: int, room: _Room) -> Rect:
        """Return the child's rectangle in a cell; it is cut down if it would exceed the cell."""
        cell = shrink((left, top, right, bottom), self.margin)
        wide, tall = cell[2] - cell[0], cell[3] - cell[1]
        view = self.view
        if view.width >= 0 or (view.width == MATCH and not room.exact):
            wide = self.width
        elif view.width == WRAP:
            wide = min(wide, self.width)
        if view.height >= 0:
            tall = max(min(tall, self.height), room.measure.metrics.px(view.min_height))
            tall = tall if view.min_height else self.height
        elif view.height == WRAP:
            tall = min(tall, self.height)
        return aligned(view.align or room.gravity, (wide, tall), cell)


def _column(items: list[_Item], room: _Room, *, scrolls: bool = False) -> Arranged:
    room.ask(items)
    width = room.width if room.exact else max((i.width + i.beside for i in items), default=0)
    heights = [item.height + item.above for item in items]
    top = 0
    if room.height is not None:
        weights = [item.view.weight or float(item.view.height == MATCH) for item in items]
        whole = room.height
        if scrolls and room.exact:
            heights, whole = _fitted(items, heights, weights, room)
        liked = [BOUNDLESS if i.view.weight else h for i, h in zip(items, heights, strict=True)]
        heights = _shares(liked, weights, whole)
        top = aligned(room.gravity, (0, sum(heights)), (0, 0, 0, whole))[1]
    rects = []
    for item, height in zip(items, heights, strict=True):
        if item.view.weight:
            item.height = max(0, height - item.above)
        rects.append(item.place(0, top, width, top + height, room))
        top += height
    return (width, sum(heights)), rects


def _fitted(
    items: list[_Item], heights: list[int], weights: list[float], room: _Room
) -> tuple[list[int], int]:
    """Shrink the children that can shrink if the room is too low; also return the height needed."""
    assert room.height is not None
    flexible = room.measure.metrics.px(LEAST)
    wanted = [min(h, flexible) if w else h for h, w in zip(heights, weights, strict=True)]
    needed = sum(wanted)
    if needed <= room.height:
        return heights, room.height
    spare = [
        max(0, h - i.above - room.measure.least(i.view, max(0, room.width - i.beside)))
        for i, h in zip(items, wanted, strict=True)
    ]
    part = min(1.0, (needed - room.height) / max(1, sum(spare)))
    cuts = [-int(-each * part) for each in spare]
    heights = [height - cut for height, cut in zip(heights, cuts, strict=True)]
    return heights, max(room.height, needed - sum(cuts))


def _row(items: list[_Item], room: _Room, *, even: bool = False) -> Arranged:
    weights = [item.view.weight or float(item.view.width == MATCH) for item in items]
    rest = room.width
    for item, weight in zip(items, weights, strict=True):
        if not weight:
            item.ask(room.measure, rest - item.beside)
            rest -= item.width + item.beside
    greedy = [bool(item.view.weight) or (even and item.view.width == MATCH) for item in items]
    liked = [BOUNDLESS if g else i.width + i.beside for i, g in zip(items, greedy, strict=True)]
    widths = _shares(liked, weights, room.width)
    for item, width in zip(items, widths, strict=True):
        item.ask(room.measure, width - item.beside)
        if room.exact and item.view.weight:
            item.width = max(0, width - item.beside)
    if not room.exact:
        widths = [item.width + item.beside for item in items]
    height = max((item.height + item.above for item in items), default=0)
    if room.height is not None:
        height = room.height
    left = aligned(room.gravity, (sum(widths), 0), (0, 0, room.width, 0))[0] if room.exact else 0
    rects = []
    for item, width in zip(items, widths, strict=True):
        rects.append(item.place(left, 0, left + width, height, room))
        left += width
    return (sum(widths), height), rects


def _shares(sizes: list[int], weights: list[float], room: int) -> list[int]:
    """Divide room: first among children without a weight, then the rest among the others.

    Of these, a child that prefers less than its share leaves the rest to those that prefer more;
    room that no child needs is shared out at the end.
    """
    shares = [0] * len(sizes)
    for i, weight in enumerate(weights):
        if not weight:
            shares[i] = min(sizes[i], max(0, room))
            room -= shares[i]
    flexible = sorted((i for i, weight in enumerate(weights) if weight), key=sizes.__getitem__)
    for limit in (sizes, [BOUNDLESS] * len(sizes)):
        total = sum(weights)
        for i in flexible:
            part = min(limit[i], max(0, int(room * weights[i] / total)))
            shares[i] += part
            room -= part
            total -= weights[i]
    return shares


def _frame(items: list[_Item], room: _Room) -> Arranged:
    room.ask(items)
    width = room.width if room.exact else max((i.width + i.beside for i in items), default=0)
    height = room.height
    if height is None:
        height = max((item.height + item.above for item in items), default=0)
    return (width, height), [item.place(0, 0, width, height, room) for item in items]


def _grid(items: list[_Item], room: _Room, columns: int) -> Arranged:
    rects = []
    top = 0
    edges = [room.width * column // columns for column in range(columns + 1)]
    cells = list(pairwise(edges))
    for start in range(0, len(items), columns):
        line = list(zip(items[start : start + columns], cells, strict=False))
        for item, (left, right) in line:
            item.ask(room.measure, right - left - item.beside)
        height = max(item.height + item.above for item, _ in line)
        rects += [item.place(x[0], top, x[1], top + height, room) for item, x in line]
        top += height
    return (room.width, top), rects


def _scrolled(items: list[_Item], room: _Room, *, sideways: bool) -> Arranged:
    """Place the only child at its preferred length, but no shorter than the visible part."""
    if not items:
        return (0, 0), []
    (item,) = items
    item.ask(room.measure, BOUNDLESS if sideways else room.width - item.beside)
    width, height = item.width + item.beside, item.height + item.above
    if sideways:
        width = max(width, room.width) if room.exact and item.view.width == MATCH else width
        height = height if room.height is None else room.height
    else:
        width = room.width if room.exact else width
        fills = room.height is not None and item.view.height == MATCH
        height = max(height, room.height or 0) if fills else height
    return (width, height), [item.place(0, 0, width, height, room)]
