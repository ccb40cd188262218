"""How much room the content of a view without children needs, and where in the view it lies."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING, NamedTuple

from pytest_mobileagent.virtual.ui import text as roboto
from pytest_mobileagent.virtual.ui.controls import (
    CheckBox,
    Chip,
    Input,
    ProgressBar,
    RadioButton,
    Switch,
)
from pytest_mobileagent.virtual.ui.metrics import Metrics, Rect, aligned, mirror, shrink
from pytest_mobileagent.virtual.ui.views import Image, SeekBar, Text, View

if TYPE_CHECKING:
    Size = tuple[int, int]


class Ornament(NamedTuple):
    """What stands beside a text (an icon, a tick box), in dp; `side` of the text."""

    width: float
    height: float
    gap: float
    side: str


_NONE = Ornament(0, 0, 0, "start")


def ornament(view: View) -> Ornament:
    """Tell what stands beside the text of a view."""
    if isinstance(view, CheckBox | RadioButton):
        return Ornament(32, 32, 4 if view.text else 0, "start")
    if isinstance(view, Switch):
        return Ornament(52, 32, 16 if view.text else 0, "end")
    if isinstance(view, Text) and view.icon:
        size = view.icon_size
        return Ornament(size, size, 8 if view.text else 0, "top" if view.icon_top else "start")
    if isinstance(view, Chip) and view.checked:
        return Ornament(view.icon_size, view.icon_size, 8, "start")
    if isinstance(view, Input) and view.icon:
        return Ornament(24, 24, 12, "start")
    return _NONE


@singledispatch
def content_size(view: View, limit: int, metrics: Metrics) -> Size:  # noqa: ARG001 - by type
    """Give the size of the content in at most `limit` pixels of width, without padding."""
    return (0, 0)


@content_size.register(Image)
def _(view: Image, limit: int, metrics: Metrics) -> Size:  # noqa: ARG001 - not shrunk
    return (metrics.px(view.size), metrics.px(view.size))


@content_size.register(SeekBar)
def _(view: SeekBar, limit: int, metrics: Metrics) -> Size:  # noqa: ARG001 - takes what it gets
    return (metrics.px(160), metrics.px(48))


@content_size.register(ProgressBar)
def _(view: ProgressBar, limit: int, metrics: Metrics) -> Size:
    if view.value is None:
        return (metrics.px(48), metrics.px(48))
    return (limit, metrics.px(4))


@content_size.register(Input)
def _(view: Input, limit: int, metrics: Metrics) -> Size:
    rows = len(lines(view, limit, metrics)) if view.multiline else 1
    return (limit, roboto.height(rows, metrics.sp(view.size)))


@content_size.register(Text)
def _(view: Text, limit: int, metrics: Metrics) -> Size:
    size = metrics.sp(view.size)
    beside = ornament(view)
    wide, high, gap = (metrics.px(beside.width), metrics.px(beside.height), metrics.px(beside.gap))
    wrapped = lines(view, limit, metrics)
    text = max((roboto.width(line, size, view.bold) for line in wrapped), default=0)
    tall = roboto.height(len(wrapped), size) if view.text or not high else 0
    if beside.side == "top":
        return (max(wide, text), high + gap + tall)
    return (wide + gap + text, max(high, tall))


def lines(view: View, limit: int, metrics: Metrics) -> tuple[str, ...]:
    """Break the text of a view for a content area `limit` pixels wide."""
    if not isinstance(view, Text | Input):
        return ()
    beside = ornament(view)
    if beside.side != "top":
        limit -= metrics.px(beside.width) + metrics.px(beside.gap)
    if isinstance(view, Input):
        if not view.multiline:
            return (view.label.replace("\n", " "),)
        return roboto.wrap(view.label, metrics.sp(view.size), False, max(limit, 1))
    size = metrics.sp(view.size)
    return roboto.wrap(view.text, size, view.bold, max(limit, 1), view.max_lines)


def areas(
    view: View, bounds: Rect, wrapped: tuple[str, ...], metrics: Metrics
) -> tuple[Rect, Rect]:
    """Give where the lines of a text lie, and where its ornament."""
    text, picture = _areas(view, bounds, wrapped, metrics)
    return (mirror(text, bounds), mirror(picture, bounds)) if metrics.rtl else (text, picture)


def _areas(
    view: View, bounds: Rect, wrapped: tuple[str, ...], metrics: Metrics
) -> tuple[Rect, Rect]:
    room = shrink(bounds, metrics.edges(view.padding))
    beside = ornament(view)
    wide, high, gap = (metrics.px(beside.width), metrics.px(beside.height), metrics.px(beside.gap))
    if not isinstance(view, Text | Input):
        return room, room
    size = metrics.sp(view.size)
    text = max((roboto.width(line, size, _bold(view)) for line in wrapped), default=0)
    tall = roboto.height(len(wrapped), size)
    if beside.side == "top":
        block = aligned(view.gravity, (max(text, wide), high + gap + tall), room)
        picture = aligned("center_horizontal", (wide, high), block)
        return (block[0], block[1] + high + gap, block[2], block[3]), picture
    if isinstance(view, Input):
        tall = min(tall, room[3] - room[1])  # a longer text is scrolled by its cursor
        area = (room[2] - room[0], max(high, tall))
        block = aligned("center_vertical", area, _upper(view, room, tall, metrics))
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


def _upper(view: Input, room: Rect, tall: int, metrics: Metrics) -> Rect:
    """Give the part of a field that its text stands in: of one with many lines, the top."""
    if not view.multiline:
        return room
    _, above, _, below = metrics.edges(view.padding)
    least = metrics.px(view.min_height) - above - below
    return (room[0], room[1], room[2], room[1] + max(tall, least))


def _bold(view: Text | Input) -> bool:
    return isinstance(view, Text) and view.bold


def track(view: View, bounds: Rect, metrics: Metrics) -> tuple[int, int]:
    """Give where the middle of a SeekBar's thumb is at nothing and at its maximum."""
    left, _, right, _ = inside(view, bounds, metrics)
    ends = left + metrics.px(16), right - metrics.px(16)
    return ends[::-1] if metrics.rtl else ends


def inside(view: View, bounds: Rect, metrics: Metrics) -> Rect:
    """Give what a view's padding leaves of its bounds."""
    room = shrink(bounds, metrics.edges(view.padding))
    return mirror(room, bounds) if metrics.rtl else room
