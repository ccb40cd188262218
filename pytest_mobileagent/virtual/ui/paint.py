"""Paint laid-out windows into a picture in the style of a Material 3 app."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui import text as roboto
from pytest_mobileagent.virtual.ui.canvas import Brush, Canvas, hand
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
from pytest_mobileagent.virtual.ui.editing import paint_field
from pytest_mobileagent.virtual.ui.layout import areas, inside, track
from pytest_mobileagent.virtual.ui.metrics import Metrics, Rect, aligned, intersect, mirror
from pytest_mobileagent.virtual.ui.theme import theme
from pytest_mobileagent.virtual.ui.views import Drawing, Image, SeekBar, Text, View

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PIL.Image import Image as Picture

    from pytest_mobileagent.virtual.ui.layout import Box
    from pytest_mobileagent.virtual.ui.theme import RGBA, Theme

_BUTTONS = {  # background, ink
    "filled": ("primary", "on_primary"),
    "tonal": ("secondary_container", "on_secondary_container"),
    "outlined": ("", "primary"),
    "text": ("", "primary"),
}
_SHADOW = ((0, 1), (-0.7, 0.4), (0.7, 0.4), (0, 1.8))  # offsets in dp
_SHADE = (0, 0, 0, 90)
OPAQUE = 255  # translucent backgrounds have no shadow


def draw(windows: Iterable[Box], metrics: Metrics) -> Picture:
    """Paint windows, from the lowest up, each in its own theme, into an RGB picture."""
    return paint_all(windows, metrics).picture


def paint_all(windows: Iterable[Box], metrics: Metrics) -> Canvas:
    """Paint windows, from the lowest up, each in its own theme, on a canvas."""
    canvas = Canvas(metrics.width_px, metrics.height_px)
    for window in windows:
        _draw(window, canvas, theme(window.metrics.accent, window.metrics.dark))
    return canvas


def _draw(box: Box, canvas: Canvas, colors: Theme) -> None:
    if box.visible is None:
        return
    view, px = box.view, box.metrics.px
    radius = px(view.corner)
    if view.elevation and view.background and colors(view.background)[3] == OPAQUE:
        canvas.shadow(box.bounds, radius, px(view.elevation))
    with canvas.clipped(box.visible):
        with canvas.rounded(box.bounds, radius if box.children else 0):
            if view.background:
                canvas.fill(box.bounds, colors(view.background), radius)
            paint(view, Brush(canvas, colors, box))
            for child in sorted(box.children, key=lambda child: child.view.elevation):
                _draw(child, canvas, colors)
        if view.outline:
            canvas.outline(box.bounds, colors(view.outline), radius, px(1))


@singledispatch
def paint(view: View, brush: Brush) -> None:
    """Paint the content of a view, over its background."""


paint.register(Input, paint_field)


@paint.register(Image)
def _(view: Image, brush: Brush) -> None:
    brush.source(view.source, inside(brush.box), brush.ink(view.color))


@paint.register(Drawing)
def _(view: Drawing, brush: Brush) -> None:
    left, top, right, bottom = bounds = brush.box.bounds
    if view.draw and right > left and bottom > top:
        picture = view.draw(right - left, bottom - top)
        brush.canvas.show(picture.copy(), bounds, brush.metrics.px(view.corner))


@paint.register(Text)
def _(view: Text, brush: Brush) -> None:
    _text(view, brush, view.color)


@paint.register(Button)
def _(view: Button, brush: Brush) -> None:
    fill, ink = _BUTTONS[view.style]
    bounds, canvas = brush.box.bounds, brush.canvas
    radius = (bounds[3] - bounds[1]) // 2
    if fill and not view.background:
        canvas.fill(bounds, brush.ink(fill if view.enabled else "outline"), radius)
    if view.style == "outlined" and not view.outline:
        canvas.outline(bounds, brush.ink("outline"), radius, brush.metrics.px(1))
    _text(view, brush, view.color or (ink if view.enabled else "on_surface"))


@paint.register(Chip)
def _(view: Chip, brush: Brush) -> None:
    bounds, px = brush.box.bounds, brush.metrics.px
    chosen = view.checked or view.selected
    if chosen and not view.background:
        brush.canvas.fill(bounds, brush.theme("secondary_container"), px(view.corner))
    elif not view.background:
        brush.canvas.outline(bounds, brush.ink("outline"), px(view.corner), px(1))
    ink = "on_secondary_container" if chosen else view.color
    _text(view, brush, ink)
    if view.checked and not view.icon:
        _, place = areas(brush.box)
        brush.source("check", place, brush.ink(ink))


@paint.register(CheckBox)
def _(view: CheckBox, brush: Brush) -> None:
    _text(view, brush, view.color)
    square, px = _glyph(18, brush), brush.metrics.px
    if view.checked:
        brush.canvas.fill(square, brush.ink("primary"), px(2))
        brush.source("check", square, brush.theme("on_primary"))
    else:
        brush.canvas.outline(square, brush.ink("on_surface_variant"), px(2), px(2))


@paint.register(RadioButton)
def _(view: RadioButton, brush: Brush) -> None:
    _text(view, brush, view.color)
    ring, px = _glyph(20, brush), brush.metrics.px
    ink = brush.ink("primary" if view.checked else "on_surface_variant")
    brush.canvas.outline(ring, ink, px(10), px(2))
    if view.checked:
        brush.canvas.fill(aligned("center", (px(10), px(10)), ring), ink, px(5))


@paint.register(Switch)
def _(view: Switch, brush: Brush) -> None:
    _text(view, brush, view.color)
    _, rail = areas(brush.box)
    left, top, right, bottom = rail
    px, canvas = brush.metrics.px, brush.canvas
    if view.checked:
        canvas.fill(rail, brush.ink("primary"), px(16))
        radius, ink = px(12), brush.theme("on_primary")
    else:
        canvas.fill(rail, brush.theme("surface_container_highest"), px(16))
        canvas.outline(rail, brush.ink("outline"), px(16), px(2))
        radius, ink = px(8), brush.ink("outline")
    at_right = view.checked != brush.metrics.rtl
    x = right - px(16) if at_right else left + px(16)
    _disc((x, (top + bottom) // 2), radius, ink, canvas)


@paint.register(SeekBar)
def _(view: SeekBar, brush: Brush) -> None:
    start, end = track(brush.box)
    px, canvas, (_, top, _, bottom) = brush.metrics.px, brush.canvas, brush.box.bounds
    middle, half = (top + bottom) // 2, px(2)
    x = start + round((end - start) * _part(view.value, view.maximum))
    rest = (min(x, end), middle - half, max(x, end), middle + half)
    canvas.fill(rest, brush.theme("surface_container_highest"), half)
    done = (min(start, x), middle - half, max(start, x), middle + half)
    canvas.fill(done, brush.ink("primary"), half)
    _disc((x, middle), px(10), brush.ink("primary"), canvas)


@paint.register(ProgressBar)
def _(view: ProgressBar, brush: Brush) -> None:
    left, top, right, bottom = room = inside(brush.box)
    radius = (bottom - top) // 2
    done = (left, top, left + round((right - left) * _part(view.value, view.maximum)), bottom)
    brush.canvas.fill(room, brush.theme("secondary_container"), radius)
    done = mirror(done, room) if brush.metrics.rtl else done
    brush.canvas.fill(done, brush.theme("primary"), radius)


@paint.register(Hand)
def _(view: Hand, brush: Brush) -> None:
    left, top, right, bottom = brush.box.bounds
    picture = hand(min(right - left, bottom - top), view.turn, view.reach, brush.metrics.px(2))
    brush.canvas.stamp(picture, (left, top), brush.theme("primary"))


def _part(value: float, maximum: float) -> float:
    return min(1, max(0, value / maximum))


def _disc(middle: tuple[int, int], radius: int, ink: RGBA, canvas: Canvas) -> None:
    x, y = middle
    canvas.fill((x - radius, y - radius, x + radius, y + radius), ink, radius)


def _glyph(size: float, brush: Brush) -> Rect:
    """Return the rectangle of a tick box or radio button of a size in dp."""
    _, place = areas(brush.box)
    pixels = brush.metrics.px(size)
    return aligned("center", (pixels, pixels), place)


def _text(view: Text, brush: Brush, color: str) -> None:
    room, place = areas(brush.box)
    ink, size = brush.ink(color), brush.metrics.sp(view.size)
    if view.icon:
        brush.source(view.icon, place, ink)
    below = (room[0], room[1], room[2], room[3] + size // 6)  # some scripts extend below the line
    clip = intersect(below, brush.box.visible)
    if clip and view.text:
        with brush.canvas.clipped(clip):
            _lines(view, brush, room, size, ink)


def _lines(view: Text, brush: Brush, room: Rect, size: int, ink: RGBA) -> None:
    words = "center_horizontal" if view.icon_top else view.gravity
    canvas, px = brush.canvas, brush.metrics.px
    top = room[1] + round(size * roboto.FONT_PADDING / 2)
    for line in brush.box.lines:
        mask, width = roboto.mask(line, size, view.bold), roboto.width(line, size, view.bold)
        place = aligned(words, (width, 0), room)  # the mask has room for what a letter overhangs
        left = mirror(place, room)[0] if brush.metrics.rtl else place[0]
        if view.shadow:
            for right, down in _SHADOW:
                canvas.stamp(mask, (left + px(right), top + px(down)), _SHADE)
        canvas.stamp(mask, (left, top), ink)
        if view.strike:
            middle = top + round(size * 0.7)
            canvas.fill((left, middle, left + width, middle + max(1, size // 14)), ink)
        top += roboto.line_height(size)
