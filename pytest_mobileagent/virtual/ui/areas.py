"""Where the content of a laid-out view is placed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui import text as roboto
from pytest_mobileagent.virtual.ui.controls import Input
from pytest_mobileagent.virtual.ui.leaves import ornament
from pytest_mobileagent.virtual.ui.metrics import Rect, aligned, mirror, shrink
from pytest_mobileagent.virtual.ui.views import Text

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.ui.layout import Box


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
