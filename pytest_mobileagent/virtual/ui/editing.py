"""Text fields: how keys edit them, where their text is placed, and how they are painted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui import text as roboto
from pytest_mobileagent.virtual.ui.layout import areas
from pytest_mobileagent.virtual.ui.metrics import intersect

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.ui.canvas import Brush
    from pytest_mobileagent.virtual.ui.controls import Input
    from pytest_mobileagent.virtual.ui.layout import Box, UiState
    from pytest_mobileagent.virtual.ui.theme import RGBA


def selection(field: Input, state: UiState) -> tuple[int, int]:
    """Return the start and end index of the selection; both are the cursor if it is empty."""
    cursor = min(state.cursor, len(field.text))
    anchor = cursor if state.anchor is None else min(state.anchor, len(field.text))
    return min(anchor, cursor), max(anchor, cursor)


def insert(field: Input, text: str, state: UiState) -> None:
    """Insert text at the cursor, replacing the selection if there is one."""
    _replace(field, selection(field, state), _fitting(field, text), state)


def set_text(field: Input, text: str, state: UiState) -> None:
    """Replace the whole text."""
    _replace(field, (0, len(field.text)), _fitting(field, text), state)


def _fitting(field: Input, text: str) -> str:
    """Remove the characters that the field does not accept."""
    if field.numeric:
        text = "".join(char for char in text if char.isdigit() or (field.decimal and char == "."))
    return text if field.multiline else text.replace("\n", "")


def delete(field: Input, state: UiState, *, forward: bool = False) -> None:
    """Delete the selection, or else the character before (`forward`: after) the cursor."""
    start, end = selection(field, state)
    if start == end:
        start, end = (start, end + 1) if forward else (max(0, start - 1), end)
    _replace(field, (start, end), "", state)


def move(field: Input, state: UiState, to: str) -> None:
    """Move the cursor "left", "right", "home" or "end", or select "all"."""
    start, end = selection(field, state)
    length = len(field.text)
    state.anchor = 0 if to == "all" and length else None
    state.cursor = {
        "left": start if start < end else max(0, start - 1),
        "right": end if start < end else min(length, end + 1),
        "home": field.text.rfind("\n", 0, start) + 1,
        "end": min(field.text.find("\n", end) % (length + 1), length),
        "all": length,
    }[to]


def submit(field: Input) -> bool:
    """Perform the keyboard's action; return False if the field defines none."""
    if field.on_submit is None:
        return False
    field.on_submit(field.text)
    return True


def _replace(field: Input, span: tuple[int, int], text: str, state: UiState) -> None:
    if not field.enabled or field.on_change is None:
        return
    start, end = span
    new = field.text[:start] + text + field.text[end:]
    state.cursor, state.anchor = start + len(text), None
    if new != field.text:
        field.on_change(new)


def paint_field(view: Input, brush: Brush) -> None:
    """Paint a text field."""
    box, canvas, px = brush.box, brush.canvas, brush.metrics.px
    _frame(view, brush)
    room, icon = areas(box)
    brush.source(view.icon, icon, brush.ink("on_surface_variant"))
    clip = intersect(room, box.visible)
    if clip is None:
        return
    size = brush.metrics.sp(view.size)
    shift, top = origin(view, box)
    with canvas.clipped(clip):
        if box.focused:
            _selection(view, brush)
        if view.text or not _floats(view, box):
            ink = brush.ink(view.color if view.text else "on_surface_variant")
            for number, line in enumerate(box.lines):
                at = line_left(line, box, size) + shift, top + number * roboto.line_height(size)
                canvas.stamp(roboto.mask(line, size, False), at, ink)
    if box.focused:
        x, y = _spot(view, box)
        caret = (x + shift, top + y, x + shift + px(2), top + y + roboto.line_height(size))
        canvas.fill(caret, brush.theme("primary"))


def origin(view: Input, box: Box) -> tuple[int, int]:
    """Return the shift of the lines that shows the cursor, and the top of the first line."""
    room, _ = areas(box)
    size = box.metrics.sp(view.size)
    top = room[1] + round(size * roboto.FONT_PADDING / 2)
    if not box.focused:
        return 0, top
    x, y = _spot(view, box)
    if view.multiline:
        return 0, top - max(0, y + roboto.line_height(size) - (room[3] - top))
    return (room[2] if x > room[2] else max(x, room[0])) - x, top


def line_left(line: str, box: Box, size: int) -> int:
    """Return the x coordinate at which a line begins; lines are aligned to the field's start."""
    room, _ = areas(box)
    return room[2] - roboto.width(line, size) if box.metrics.rtl else room[0]


def _spot(view: Input, box: Box) -> tuple[int, int]:
    """Return the cursor's x, before the shift, and its y relative to the top of the first line."""
    size = box.metrics.sp(view.size)
    if not view.text:
        return line_left("", box, size), 0
    number, column = roboto.place_of(box.selection[1], view.shown, box.lines)
    line = box.lines[number]
    x = line_left(line, box, size) + roboto.x_of(column, line, size)
    return x, number * roboto.line_height(size)


def _selection(view: Input, brush: Brush) -> None:
    box, size = brush.box, brush.metrics.sp(view.size)
    tall = roboto.line_height(size)
    shift, top = origin(view, box)
    begins = roboto.starts(view.shown, box.lines) if view.text else []
    for number, (begin, line) in enumerate(zip(begins, box.lines, strict=False)):
        left = line_left(line, box, size) + shift
        ends = [min(max(0, edge - begin), len(line)) for edge in box.selection]
        x1, x2 = sorted(left + roboto.x_of(end, line, size) for end in ends)
        y = top + number * tall
        brush.canvas.fill((x1, y, x2, y + tall), (*brush.theme("primary")[:3], 90))


def _frame(view: Input, brush: Brush) -> None:
    box, px, canvas = brush.box, brush.metrics.px, brush.canvas
    left, _, right, bottom = box.bounds
    ink = brush.ink("primary" if box.focused else "outline")
    pen, radius = px(2 if box.focused else 1), px(view.corner)
    if view.style == "outlined":
        canvas.outline(box.bounds, ink, radius, pen)
    elif view.style == "filled":
        if not view.background:
            canvas.fill(box.bounds, brush.theme("surface_container_highest"), radius)
        if view.corner <= 4:  # fully rounded ones, such as search bars, have no line
            canvas.fill((left, bottom - pen, right, bottom), ink)
    if _floats(view, box):
        _label(view, ink, brush)


def _floats(view: Input, box: Box) -> bool:
    """Return whether the hint has moved up into the frame."""
    return bool(view.style == "outlined" and view.hint and (view.text or box.focused))


def _label(view: Input, ink: RGBA, brush: Brush) -> None:
    """Paint the hint in small letters across the upper edge, interrupting the frame's line."""
    box, px, canvas = brush.box, brush.metrics.px, brush.canvas
    mask = roboto.mask(view.hint, brush.metrics.sp(12), False)
    left, top = box.bounds[0] + px(16), box.bounds[1] - mask.height // 2
    if box.metrics.rtl:
        left = box.bounds[2] - px(16) - mask.width
    gap = (left - px(4), top, left + mask.width + px(4), top + mask.height)
    clip = intersect(gap, box.metrics.screen) if box.visible == box.bounds else None
    if clip:
        with canvas.clipped(clip):
            canvas.fill(gap, canvas.color_at(left - px(4), top))
            canvas.stamp(mask, (left, top), ink)
