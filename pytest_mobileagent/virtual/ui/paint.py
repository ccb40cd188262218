"""What each kind of view looks like inside its bounds, over its background."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui import text as roboto
from pytest_mobileagent.virtual.ui.controls import (
    Button,
    CheckBox,
    Chip,
    Hand,
    Input,
    ProgressBar,
    RadioButton,
    Switch,
)
from pytest_mobileagent.virtual.ui.field import paint_field
from pytest_mobileagent.virtual.ui.leaves import areas, inside, track
from pytest_mobileagent.virtual.ui.metrics import Metrics, Rect, aligned, intersect, mirror
from pytest_mobileagent.virtual.ui.pictures import hand, spinner
from pytest_mobileagent.virtual.ui.views import Image, SeekBar, Text, View

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.ui.brush import Brush
    from pytest_mobileagent.virtual.ui.layout import Box

_BUTTONS = {  # background, ink
    "filled": ("primary", "on_primary"),
    "tonal": ("secondary_container", "on_secondary_container"),
    "outlined": ("", "primary"),
    "text": ("", "primary"),
}


_SHADOW = ((0, 1), (-0.7, 0.4), (0.7, 0.4), (0, 1.8))  # where it falls, in dp
_SHADE = (0, 0, 0, 90)


@singledispatch
def paint(view: View, box: Box, brush: Brush) -> None:
    """Paint the content of a view."""


paint.register(Input, paint_field)


@paint.register(Image)
def _(view: Image, box: Box, brush: Brush) -> None:
    room = inside(view, box.bounds, box.metrics)
    brush.source(view.source, room, brush.ink(view.color, view), box)


@paint.register(Text)
def _(view: Text, box: Box, brush: Brush) -> None:
    _text(view, box, brush, view.color)


@paint.register(Button)
def _(view: Button, box: Box, brush: Brush) -> None:
    fill, ink = _BUTTONS[view.style]
    metrics, (_left, top, _right, bottom) = brush.metrics, box.bounds
    seen, radius = box.visible or box.bounds, (bottom - top) // 2
    if fill and not view.background:
        color = brush.ink(fill if view.enabled else "outline", view)
        brush.canvas.fill(box.bounds, color, seen, radius)
    if view.style == "outlined" and not view.outline:
        color = brush.ink("outline", view)
        brush.canvas.outline(box.bounds, color, seen, radius, metrics.px(1))
    _text(view, box, brush, view.color or (ink if view.enabled else "on_surface"))


@paint.register(Chip)
def _(view: Chip, box: Box, brush: Brush) -> None:
    seen, radius = box.visible or box.bounds, brush.metrics.px(view.corner)
    chosen = view.checked or view.selected
    if chosen and not view.background:
        brush.canvas.fill(box.bounds, brush.theme("secondary_container"), seen, radius)
    elif not view.background:
        color = brush.ink("outline", view)
        brush.canvas.outline(box.bounds, color, seen, radius, brush.metrics.px(1))
    ink = "on_secondary_container" if chosen else view.color
    _text(view, box, brush, ink)
    if view.checked and not view.icon:
        _, place = areas(view, box.bounds, box.lines, box.metrics)
        brush.source("check", place, brush.ink(ink, view), box)


@paint.register(CheckBox)
def _(view: CheckBox, box: Box, brush: Brush) -> None:
    _text(view, box, brush, view.color)
    square = _glyph(view, 18, box, box.metrics)
    seen, px = box.visible or square, brush.metrics.px
    if view.checked:
        brush.canvas.fill(square, brush.ink("primary", view), seen, px(2))
        brush.source("check", square, brush.theme("on_primary"), box)
    else:
        ink = brush.ink("on_surface_variant", view)
        brush.canvas.outline(square, ink, seen, px(2), px(2))


@paint.register(RadioButton)
def _(view: RadioButton, box: Box, brush: Brush) -> None:
    _text(view, box, brush, view.color)
    ring = _glyph(view, 20, box, box.metrics)
    seen, px = box.visible or ring, brush.metrics.px
    ink = brush.ink("primary" if view.checked else "on_surface_variant", view)
    brush.canvas.outline(ring, ink, seen, px(10), px(2))
    if view.checked:
        dot = aligned("center", (px(10), px(10)), ring)
        brush.canvas.fill(dot, ink, seen, px(5))


@paint.register(Switch)
def _(view: Switch, box: Box, brush: Brush) -> None:
    _text(view, box, brush, view.color)
    _, (left, top, right, bottom) = areas(view, box.bounds, box.lines, box.metrics)
    rail, px = (left, top, right, bottom), brush.metrics.px
    seen, middle = box.visible or rail, (top + bottom) // 2
    if view.checked:
        brush.canvas.fill(rail, brush.ink("primary", view), seen, px(16))
        x, radius, ink = px(16), px(12), brush.theme("on_primary")
        x = left + x if box.metrics.rtl else right - x
    else:
        brush.canvas.fill(rail, brush.theme("surface_container_highest"), seen, px(16))
        brush.canvas.outline(rail, brush.ink("outline", view), seen, px(16), px(2))
        x, radius, ink = px(16), px(8), brush.ink("outline", view)
        x = right - x if box.metrics.rtl else left + x
    thumb = (x - radius, middle - radius, x + radius, middle + radius)
    brush.canvas.fill(thumb, ink, seen, radius)


@paint.register(SeekBar)
def _(view: SeekBar, box: Box, brush: Brush) -> None:
    start, end = track(view, box.bounds, box.metrics)
    px, middle = brush.metrics.px, (box.bounds[1] + box.bounds[3]) // 2
    x = start + round((end - start) * _part(view.value, view.maximum))
    seen, half = box.visible or box.bounds, px(2)
    rest = brush.theme("surface_container_highest")
    brush.canvas.fill((min(x, end), middle - half, max(x, end), middle + half), rest, seen, half)
    ink, radius = brush.ink("primary", view), px(10)
    done = (min(start, x), middle - half, max(start, x), middle + half)
    brush.canvas.fill(done, ink, seen, half)
    thumb = (x - radius, middle - radius, x + radius, middle + radius)
    brush.canvas.fill(thumb, ink, seen, radius)


@paint.register(ProgressBar)
def _(view: ProgressBar, box: Box, brush: Brush) -> None:
    left, top, right, bottom = room = inside(view, box.bounds, box.metrics)
    ink, seen = brush.theme("primary"), box.visible or room
    if view.value is None:
        size = min(right - left, bottom - top)
        ring = aligned("center", (size, size), room)
        brush.canvas.stamp(spinner(size, brush.metrics.px(4)), ring[:2], ink, seen)
        return
    radius = (bottom - top) // 2
    done = (left, top, left + round((right - left) * _part(view.value, view.maximum)), bottom)
    brush.canvas.fill(room, brush.theme("secondary_container"), seen, radius)
    brush.canvas.fill(mirror(done, room) if box.metrics.rtl else done, ink, seen, radius)


@paint.register(Hand)
def _(view: Hand, box: Box, brush: Brush) -> None:
    left, top, right, bottom = box.bounds
    size = min(right - left, bottom - top)
    picture = hand(size, view.turn, view.reach, brush.metrics.px(2))
    brush.canvas.stamp(picture, (left, top), brush.theme("primary"), box.visible or box.bounds)


def _part(value: float, maximum: float) -> float:
    return min(1, max(0, value / maximum))


def _text(view: Text, box: Box, brush: Brush, color: str) -> None:
    room, place = areas(view, box.bounds, box.lines, box.metrics)
    ink = brush.ink(color, view)
    if view.icon:
        brush.source(view.icon, place, ink, box)
    size = box.metrics.sp(view.size)
    below = (room[0], room[1], room[2], room[3] + size // 6)  # where some scripts reach
    clip = intersect(below, box.visible)
    if clip is None or not view.text:
        return
    words = "center_horizontal" if view.icon_top else view.gravity
    top = room[1] + round(size * roboto.FONT_PADDING / 2)
    for line in box.lines:
        mask = roboto.mask(line, size, view.bold)
        place = aligned(words, (mask.width, 0), room)
        left = mirror(place, room)[0] if box.metrics.rtl else place[0]
        if view.shadow:
            for right, down in _SHADOW:
                at = (left + brush.metrics.px(right), top + brush.metrics.px(down))
                brush.canvas.stamp(mask, at, _SHADE, clip)
        brush.canvas.stamp(mask, (left, top), ink, clip)
        if view.strike:
            middle = top + round(size * 0.7)
            through = (left, middle, left + mask.width, middle + max(1, size // 14))
            brush.canvas.fill(through, ink, clip)
        top += roboto.line_height(size)


def _glyph(view: View, size: float, box: Box, metrics: Metrics) -> Rect:
    _, place = areas(view, box.bounds, box.lines, metrics)
    return aligned("center", (metrics.px(size), metrics.px(size)), place)
