"""Lays out a tree of views on the screen.

Widths are passed down from parent to child and heights are passed up: a view is measured for the
available width, which determines where its text wraps; a Column stacks the heights. All of this is
computed from left to right; for right-to-left layouts, each view's children are then mirrored.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui import text as roboto
from pytest_mobileagent.virtual.ui.arrange import Measure, arrange
from pytest_mobileagent.virtual.ui.controls import Input
from pytest_mobileagent.virtual.ui.leaves import lines, ornament
from pytest_mobileagent.virtual.ui.metrics import Metrics, Rect, aligned, intersect, mirror, shrink
from pytest_mobileagent.virtual.ui.views import (
    MATCH,
    Column,
    HScroll,
    List,
    Scroll,
    SeekBar,
    Text,
    View,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(slots=True)
class UiState:
    """The state of a window's views that survives rebuilds, by the keys of their boxes."""

    scroll: dict[str, float] = field(default_factory=dict)  # pixels from the start
    focused: str | None = None
    cursor: int = 0  # index into the focused text, where typed text is inserted
    anchor: int | None = None  # the other end of a selection
    menu: str | None = None  # key of the view whose menu is open
    reveal: str | None = None  # key of the row that the next layout scrolls to
    title: str = ""  # of a dialog; a different title means a different dialog


@dataclass(slots=True)  # `frozen` would take most of the time of a layout
class Box:
    """A view with its place on the screen, which nothing changes."""

    view: View
    key: str
    bounds: Rect  # may extend beyond the screen or a scrolling parent
    visible: Rect | None  # the visible part of the bounds
    touch: Rect | None  # the area that accepts touches, if the view does
    metrics: Metrics  # of the display the view was laid out for
    children: tuple[Box, ...] = ()
    lines: tuple[str, ...] = ()  # its text, wrapped
    focused: bool = False
    selection: tuple[int, int] = (0, 0)  # from the anchor to the cursor, if the view is focused
    offset: float = 0  # how far a scrolling view is scrolled
    reach: float = 0  # its maximum

    def walk(self) -> Iterator[Box]:
        """Yield this box and all its descendants, in drawing order."""
        ahead = [self]
        while ahead:
            box = ahead.pop()
            yield box
            ahead += box.children[::-1]

    def find(self, key: str) -> Box | None:
        """Return the box with a key, or None."""
        return next((box for box in self.walk() if box.key == key), None)


def layout(root: View, bounds: Rect, metrics: Metrics, state: UiState) -> Box:
    """Place `root` in `bounds` by its own width, height, margin and align, with all descendants.

    Windows are laid out on the whole screen: content with width and height MATCH fills it, a dialog
    is centred, and a keyboard is placed at the bottom.
    """
    room = shrink(bounds, metrics.edges(root.margin))
    available = (room[2] - room[0], room[3] - room[1])
    measure = Measure(metrics, root, available[0])
    wanted = measure(root, available[0])
    size = [
        available[axis] if asked == MATCH else min(wanted[axis], available[axis])
        for axis, asked in enumerate((root.width, root.height))
    ]
    place = _Placing(metrics, state, measure)
    rect = aligned(root.align, (size[0], size[1]), room)
    return place.view(root, mirror(rect, bounds) if metrics.rtl else rect, bounds, "")


class _Placing:
    """A layout pass over a tree."""

    def __init__(self, metrics: Metrics, state: UiState, measure: Measure) -> None:
        self.metrics = metrics
        self.state = state
        self.measure = measure
        self.keys: set[str] = set()

    def view(self, view: View, bounds: Rect, clip: Rect | None, path: str) -> Box:
        metrics = self.metrics
        if view.direction == "ltr" and metrics.rtl:
            self.metrics = replace(metrics, rtl=False)
        try:
            return self._view(view, bounds, clip, path)
        finally:
            self.metrics = metrics

    def _view(self, view: View, bounds: Rect, clip: Rect | None, path: str) -> Box:
        key = self._key(view, path)
        visible = intersect(bounds, clip)
        inner = shrink(bounds, self.metrics.edges(view.padding))
        focused = key == self.state.focused
        offset, reach, children = 0.0, 0.0, tuple[Box, ...]()
        if view.children:
            offset, reach, children = self._children(view, bounds, visible, key)
        cursor = min(self.state.cursor, len(getattr(view, "text", "")))
        anchor = cursor if self.state.anchor is None else self.state.anchor
        return Box(
            view,
            key,
            bounds,
            visible,
            self._touch(view, bounds, clip) if visible else None,
            self.metrics,
            children,
            lines(view, inner[2] - inner[0], self.metrics),
            focused,
            (anchor, cursor) if focused else (0, 0),
            offset,
            reach,
        )

    def _key(self, view: View, path: str) -> str:
        key = view.key or view.id or path
        if key in self.keys or (not view.key and "]" in path):  # rows contain the same ids
            key = path
        self.keys.add(key)
        return key

    def _children(
        self, view: View, outer: Rect, visible: Rect | None, key: str
    ) -> tuple[float, float, tuple[Box, ...]]:
        inner = shrink(outer, self.metrics.edges(view.padding))
        width, height = inner[2] - inner[0], inner[3] - inner[1]
        size, rects = arrange(view, width, height, self.measure, exact=True)
        axis = 0 if isinstance(view, HScroll) else 1
        offset = reach = 0.0
        if isinstance(view, Scroll | List | Column):
            reach = max(0, size[axis] - (width, height)[axis])
            if isinstance(view, List):
                self._scroll_to_row(view, rects, height, key)
            offset = min(max(0, self.state.scroll.get(key, 0)), reach)
        left, top = inner[0] - int(offset) * (axis == 0), inner[1] - int(offset) * (axis == 1)
        boxes: list[Box] = []
        for place, (child, rect) in enumerate(zip(view.children, rects, strict=True)):
            if rect is None:
                continue
            bounds = (rect[0] + left, rect[1] + top, rect[2] + left, rect[3] + top)
            bounds = mirror(bounds, outer) if self.metrics.rtl else bounds
            path = f"{key}/{place}"
            if isinstance(view, List):  # a row out of view is detached, unless focused
                path = f"{key}[{place}]"
                if not intersect(bounds, visible) and not self._focused_in(child, path):
                    continue
            boxes.append(self.view(child, bounds, visible, path))
        return offset, reach, tuple(boxes)

    def _focused_in(self, row: View, path: str) -> bool:
        """Return whether a row, or a view inside it, has the focus."""
        focused = self.state.focused or ""
        return bool(focused) and (focused.startswith(path) or _holds_key(row, focused))

    def _scroll_to_row(self, view: List, rects: list[Rect | None], height: int, key: str) -> None:
        """Scroll just far enough to show the row that is to be revealed."""
        for row, rect in zip(view.children, rects, strict=True):
            if rect and row.key and row.key == self.state.reveal:
                offset = min(max(self.state.scroll.get(key, 0), rect[3] - height), rect[1])
                self.state.scroll[key], self.state.reveal = offset, None

    def _touch(self, view: View, bounds: Rect, clip: Rect | None) -> Rect | None:
        touched = view.clickable or view.long_clickable or view.on_touch
        if not touched and not isinstance(view, SeekBar):
            return None
        if view.touch_padding is None:
            least = self.metrics.px(48)
            x = max(0, least - (bounds[2] - bounds[0])) // 2
            y = max(0, least - (bounds[3] - bounds[1])) // 2
        else:
            x = y = self.metrics.px(view.touch_padding)
        return intersect((bounds[0] - x, bounds[1] - y, bounds[2] + x, bounds[3] + y), clip)


def _holds_key(view: View, key: str) -> bool:
    return view.key == key or any(_holds_key(child, key) for child in view.children)


def inside(box: Box) -> Rect:
    """Return the view's bounds without its padding."""
    room = shrink(box.bounds, box.metrics.edges(box.view.padding))
    return mirror(room, box.bounds) if box.metrics.rtl else room


def track(box: Box) -> tuple[int, int]:
    """Return the x coordinates of the centre of a SeekBar's thumb at 0 and at the maximum."""
    left, _, right, _ = inside(box)
    ends = left + box.metrics.px(16), right - box.metrics.px(16)
    return ends[::-1] if box.metrics.rtl else ends


def areas(box: Box) -> tuple[Rect, Rect]:
    """Return the areas of a view's lines of text and of its ornament."""
    text, picture = _areas(box)
    if box.metrics.rtl:
        return mirror(text, box.bounds), mirror(picture, box.bounds)
    return text, picture


def _areas(box: Box) -> tuple[Rect, Rect]:
    view, metrics = box.view, box.metrics
    room = shrink(box.bounds, metrics.edges(view.padding))
    if not isinstance(view, Text | Input):
        return room, room
    beside, size = ornament(view), metrics.sp(view.size)
    wide, high, gap = (metrics.px(beside.width), metrics.px(beside.height), metrics.px(beside.gap))
    bold = isinstance(view, Text) and view.bold
    text = max((roboto.width(line, size, bold) for line in box.lines), default=0)
    tall = roboto.height(len(box.lines), size)
    if beside.side == "top":
        block = aligned(view.gravity, (max(text, wide), high + gap + tall), room)
        picture = aligned("center_horizontal", (wide, high), block)
        return (block[0], block[1] + high + gap, block[2], block[3]), picture
    if isinstance(view, Input):
        tall = min(tall, room[3] - room[1])  # a longer text scrolls with the cursor
        area = (room[2] - room[0], max(high, tall))
        block = aligned("center_vertical", area, _upper(view, box, room, tall))
    else:
        block = aligned(view.gravity, (wide + gap + text, max(high, tall)), room)
    left, top, right, bottom = block
    if beside.side == "end":
        picture = aligned("center_vertical|end", (wide, high), room)
        block = (left, top, right - wide - gap, bottom)
    else:
        picture = aligned("center_vertical", (wide, high), block)
        block = (left + wide + gap, top, right, bottom)
    return aligned("center_vertical", (block[2] - block[0], tall), block), picture


def _upper(view: Input, box: Box, room: Rect, tall: int) -> Rect:
    """Return the part of a field in which its text is placed: the top of a multi-line field."""
    if not view.multiline:
        return room
    _, above, _, below = box.metrics.edges(view.padding)
    least = box.metrics.px(view.min_height) - above - below
    return (room[0], room[1], room[2], room[1] + max(tall, least))
