"""The looks of a text field: frame, floating label, text, selection and cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui import text as roboto
from pytest_mobileagent.virtual.ui.leaves import areas
from pytest_mobileagent.virtual.ui.metrics import Rect, intersect

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.ui.brush import Brush
    from pytest_mobileagent.virtual.ui.controls import Input
    from pytest_mobileagent.virtual.ui.layout import Box
    from pytest_mobileagent.virtual.ui.theme import RGBA


def paint_field(view: Input, box: Box, brush: Brush) -> None:
    """Paint a text field."""
    _frame(view, box, brush)
    room, icon = areas(view, box.bounds, box.lines, box.metrics)
    clip = intersect(room, box.visible)
    if view.icon:
        brush.source(view.icon, icon, brush.ink("on_surface_variant", view), box)
    if clip is None:
        return
    size = brush.metrics.sp(view.size)
    shift, top = origin(view, box, room, size)
    if box.focused:
        _selection(view, box, (room, shift, top), clip, brush)
    ink = brush.ink(view.color if view.text else "on_surface_variant", view)
    if view.text or not _floats(view, box):
        y = top
        for line in box.lines:
            left = line_left(line, box, room, size) + shift
            brush.canvas.stamp(roboto.mask(line, size, False), (left, y), ink, clip)
            y += roboto.line_height(size)
    if box.focused:
        x, y = _spot(view, box, room, size)
        x, y, pen = x + shift, top + y, brush.metrics.px(2)
        caret = (x, y, x + pen, y + roboto.line_height(size))
        brush.canvas.fill(caret, brush.theme("primary"), box.visible or caret)


def origin(view: Input, box: Box, room: Rect, size: int) -> tuple[int, int]:
    """Give how far lines are shifted, and where the first one's top is.

    Of a text too long for the field the part with the cursor is shown.
    """
    top = room[1] + round(size * roboto.FONT_PADDING / 2)
    if not box.focused:
        return 0, top
    x, y = _spot(view, box, room, size)
    if view.multiline:
        return 0, top - max(0, y + roboto.line_height(size) - (room[3] - top))
    return (room[2] if x > room[2] else max(x, room[0])) - x, top


def line_left(line: str, box: Box, room: Rect, size: int) -> int:
    """Give where a line begins at the left: lines stand at the start of the field."""
    return room[2] - roboto.width(line, size) if box.metrics.rtl else room[0]


def _spot(view: Input, box: Box, room: Rect, size: int) -> tuple[int, int]:
    """Give the cursor's x, not yet shifted, and its y from the first line's top."""
    if not view.text:
        return room[2] if box.metrics.rtl else room[0], 0
    line, column = roboto.place_of(box.selection[1], view.shown, box.lines)
    x = line_left(box.lines[line], box, room, size) + roboto.x_of(column, box.lines[line], size)
    return x, line * roboto.line_height(size)


def _selection(
    view: Input, box: Box, start: tuple[Rect, int, int], clip: Rect, brush: Brush
) -> None:
    first, last = sorted(box.selection)
    room, shift, top = start
    size = brush.metrics.sp(view.size)
    tall = roboto.line_height(size)
    begins = roboto.starts(view.shown, box.lines) if view.text else []
    for number, (begin, line) in enumerate(zip(begins, box.lines, strict=False)):
        left = line_left(line, box, room, size) + shift
        ends = [min(max(0, edge - begin), len(line)) for edge in (first, last)]
        x1, x2 = sorted(left + roboto.x_of(end, line, size) for end in ends)
        y = top + number * tall
        brush.canvas.fill((x1, y, x2, y + tall), _faint(brush.theme("primary")), clip)


def _frame(view: Input, box: Box, brush: Brush) -> None:
    left, _top, right, bottom = box.bounds
    px, seen = brush.metrics.px, box.visible or box.bounds
    ink = brush.ink("primary" if box.focused else "outline", view)
    pen, radius = px(2 if box.focused else 1), px(view.corner)
    if view.style == "outlined":
        brush.canvas.outline(box.bounds, ink, seen, radius, pen)
    elif view.style == "filled":
        if not view.background:
            color = brush.theme("surface_container_highest")
            brush.canvas.fill(box.bounds, color, seen, radius)
        if view.corner <= 4:  # a search bar, all round, has no line
            brush.canvas.fill((left, bottom - pen, right, bottom), ink, seen)
    if _floats(view, box):
        _label(view, box, ink, brush)


def _floats(view: Input, box: Box) -> bool:
    """Tell whether the hint has moved up into the frame."""
    return bool(view.style == "outlined" and view.hint and (view.text or box.focused))


def _label(view: Input, box: Box, ink: RGBA, brush: Brush) -> None:
    """Paint the hint small, half over the upper edge, where it interrupts the line."""
    mask = roboto.mask(view.hint, brush.metrics.sp(12), False)
    px = brush.metrics.px
    left, top = box.bounds[0] + px(16), box.bounds[1] - mask.height // 2
    if box.metrics.rtl:
        left = box.bounds[2] - px(16) - mask.width
    gap = (left - px(4), top, left + mask.width + px(4), top + mask.height)
    clip = intersect(gap, brush.metrics.screen) if box.visible == box.bounds else None
    if clip is None:
        return
    brush.canvas.fill(gap, brush.canvas.color_at(left - px(4), top), clip)
    brush.canvas.stamp(mask, (left, top), ink, clip)


def _faint(color: RGBA) -> RGBA:
    return (*color[:3], 90)
