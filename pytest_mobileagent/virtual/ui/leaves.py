"""The size of the content of views without children."""

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
from pytest_mobileagent.virtual.ui.views import Image, SeekBar, Text, View

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.ui.metrics import Metrics

    Size = tuple[int, int]


class Ornament(NamedTuple):
    """A decoration beside text (icon, tick box), in dp; `side` is its position."""

    width: float
    height: float
    gap: float
    side: str


_NONE = Ornament(0, 0, 0, "start")


def ornament(view: View) -> Ornament:
    """Return the ornament beside a view's text."""
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
    """Return the size of the content, without padding, in at most `limit` pixels of width."""
    return (0, 0)


@content_size.register(Image)
def _(view: Image, limit: int, metrics: Metrics) -> Size:  # noqa: ARG001 - not shrunk
    return (metrics.px(view.size), metrics.px(view.size))


@content_size.register(SeekBar)
def _(view: SeekBar, limit: int, metrics: Metrics) -> Size:  # noqa: ARG001 - fills the width
    return (metrics.px(160), metrics.px(48))


@content_size.register(ProgressBar)
def _(view: ProgressBar, limit: int, metrics: Metrics) -> Size:  # noqa: ARG001 - fills the width
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
    """Break a view's text into lines for a content area `limit` pixels wide."""
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
