"""Scales and encodes pictures for a model, and draws marks on them, in the papers' conventions.

Bounds of marks are in pixels of the screen, so the picture must have the screen's size: draw first,
then scale. Labels use Pillow's built-in font, which is the same on every machine. A dialect's
`Frame` needs the size of a scaled picture as `shown`, to map points back to the screen.
"""

from __future__ import annotations

import colorsys
import functools
import io
import math
from typing import TYPE_CHECKING, Literal

from pytest_mobileagent.screen.element import Bounds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

    from pytest_mobileagent.perception.marks import Mark


def encode(image: Image, kind: Literal["png", "jpeg"] = "png", quality: int = 85) -> bytes:
    """Return an image as the bytes of a PNG or JPEG file; `quality` is for JPEG."""
    stream = io.BytesIO()
    if kind == "png":
        image.save(stream, "png", compress_level=1)  # many times faster than the default
    else:
        rgb = image if image.mode in {"RGB", "L"} else image.convert("RGB")
        rgb.save(stream, "jpeg", quality=quality)
    return stream.getvalue()


def resized(image: Image, size: tuple[int, int]) -> Image:
    """Return the image resized to (width, height) pixels, without keeping its aspect ratio."""
    from PIL import Image as image_

    return image.copy() if image.size == size else image.resize(size, image_.Resampling.BILINEAR)


def scaled(image: Image, factor: float) -> Image:
    """Return the image with its sides multiplied by `factor`, rounded down, at least one pixel."""
    width, height = image.size
    return resized(image, (max(1, int(width * factor)), max(1, int(height * factor))))


def fit(image: Image, longest: int) -> Image:
    """Return the image, scaled down if its longer side has more than `longest` pixels."""
    width, height = image.size
    if max(width, height) <= longest:
        return image.copy()
    factor = longest / max(width, height)
    return resized(image, (max(1, round(width * factor)), max(1, round(height * factor))))


def square(image: Image, side: int) -> Image:
    """Return the image resized to a square, for models with a fixed input size."""
    return resized(image, (side, side))


def smart_size(
    width: int,
    height: int,
    factor: int = 28,
    least: int = 100 * 28 * 28,
    most: int = 16384 * 28 * 28,
) -> tuple[int, int]:
    """Return the size (width, height) to which Qwen's vision models resize a picture.

    Both sides become the nearest multiples of `factor`. If the result has fewer than `least` or
    more than `most` pixels, the picture is scaled, keeping its aspect ratio as far as possible.
    Source: `smart_resize` of Qwen2-VL (arXiv:2409.12191), with the bounds that UI-TARS uses.

    Raises:
        ValueError: if one side is over 200 times as long as the other, or less than one pixel.
    """
    if min(width, height) < 1 or max(width, height) > 200 * min(width, height):
        raise ValueError(f"a picture of {width}x{height} pixels is too narrow for smart resizing")
    wide, high = (max(factor, round(side / factor) * factor) for side in (width, height))
    if wide * high > most:
        shrink = math.sqrt(width * height / most)
        wide, high = (
            max(factor, math.floor(side / shrink / factor) * factor) for side in (width, height)
        )
    elif wide * high < least:
        grow = math.sqrt(least / (width * height))
        wide, high = (math.ceil(side * grow / factor) * factor for side in (width, height))
    return wide, high


Color = tuple[int, int, int]
Point = tuple[int, int]

_BLACK: Color = (0, 0, 0)
_WHITE: Color = (255, 255, 255)
_DARK: Color = (10, 10, 10)
_LIGHT: Color = (255, 250, 250)
_GREEN: Color = (0, 255, 0)
_GRID: Color = (113, 116, 255)
_LABEL: Color = (190, 215, 121)
_RED: Color = (255, 0, 0)
_BLUE: Color = (0, 0, 255)


def draw_appagent(image: Image, marks: Iterable[Mark], dark: bool = False) -> Image:
    """Return the picture with each number 10 pixels right of and below its element's centre.

    Digits are light on a dark, half-transparent background, or dark on a light one for apps that
    are `dark`; there are no rectangles. Source: AppAgent's released code (`draw_bbox_multi`), which
    drops labels that would cross an edge; here, they are moved inside.
    """
    from PIL import Image as image_

    ink, paper = (_DARK, _LIGHT) if dark else (_LIGHT, _DARK)
    font, margin = default_font(30), 10
    drawn, draw = _copy(image)
    for mark in marks:
        width, height = _extent(font, mark.label)
        x, y = mark.bounds.center
        box = _inside(Bounds(x, y, x + width + 2 * margin, y + height + 2 * margin), drawn.size)
        below = drawn.crop(box)
        drawn.paste(image_.blend(below, image_.new("RGB", below.size, paper), 0.5), box[:2])
        _write(draw, (box.left + margin, box.top + margin), mark.label, font, ink)
    return drawn


def draw_grid(image: Image, cells: Iterable[Mark]) -> Image:
    """Return the picture with AppAgent's grid: thin lines, and a number at each cell's top left.

    Source: AppAgent's released code (`draw_grid`).
    """
    drawn, draw = _copy(image)
    for cell in cells:
        left, top = cell.bounds[:2]
        _outline(draw, cell.bounds, drawn.size, _GRID, 1)
        font = default_font(max(8, min(cell.bounds.width // 4, 60)))
        x = left + cell.bounds.width // 20
        y = top + cell.bounds.height * 3 // 10 - _extent(font, "0")[1]
        _write(draw, (x + 3, y + 3), cell.label, font, _BLACK)
        _write(draw, (x, y), cell.label, font, _GRID)
    return drawn


def draw_m3a(image: Image, marks: Iterable[Mark]) -> Image:
    """Return the picture with a green rectangle for each mark, and a white tag at its top left.

    The tag has 35x25 pixels, and digits that fit. Source: AndroidWorld (`add_ui_element_mark`).
    """
    drawn, draw = _copy(image)
    for mark in marks:
        left, top = mark.bounds[:2]
        _outline(draw, mark.bounds, drawn.size, _GREEN, 2)
        draw.rectangle((left + 1, top + 1, left + 35, top + 25), fill=_WHITE)
        size = next((s for s in (26, 22, 18) if _extent(default_font(s), mark.label)[0] < 33), 15)
        font = default_font(size)
        _write(draw, (left + 3, top + 22 - _extent(font, "0")[1]), mark.label, font, _BLACK)
    return drawn


def draw_som(image: Image, marks: Iterable[Mark]) -> Image:
    """Return the picture with a coloured rectangle and a filled label for each mark.

    Lines are 5 pixels wide; labels are 50 pixels high, at the top left. Marks next to each other in
    the list have very different colours. Source: A3's helper (AITK, `draw_mark`; random colours).
    """
    drawn, draw = _copy(image)
    font = default_font(46)
    for place, mark in enumerate(marks):
        left, top = mark.bounds[:2]
        _outline(draw, mark.bounds, drawn.size, _color(place), 5)
        width, height = _extent(font, mark.label)
        draw.rectangle((left, top, left + width + 4, top + 50), fill=_LABEL)
        _write(draw, (left + 2, top + (50 - height) // 2), mark.label, font, _BLACK)
    return drawn


def draw_letters(image: Image, marks: Iterable[Mark]) -> Image:
    """Return the picture with a red rectangle for each mark, and a label at its bottom left.

    Source: SeeAct (arXiv:2401.01614, image annotation); that of AndroidWorld only lists elements.
    """
    drawn, draw = _copy(image)
    font = default_font(30)
    for mark in marks:
        left, _, _, bottom = mark.bounds
        _outline(draw, mark.bounds, drawn.size, _RED, 3)
        width, height = _extent(font, mark.label)
        box = _inside(Bounds(left, bottom - height - 8, left + width + 8, bottom), drawn.size)
        draw.rectangle(box, fill=_BLACK)
        _write(draw, (box.left + 4, box.top + 4), mark.label, font, _WHITE)
    return drawn


def draw_touches(
    image: Image, dots: Iterable[Point], paths: Iterable[tuple[Point, Point]]
) -> Image:
    """Return the picture with a red dot at each point, and a red arrow along each finger's path.

    A dot's diameter is a thirtieth of the picture's shorter side; it has a white rim. Source:
    SPA-Bench (arXiv:2410.15164, appendix D.4.4), for taps and long presses; arrows are ours.
    """
    drawn, draw = _copy(image)
    radius = max(4, min(drawn.size) // 60)
    for start, end in paths:
        _arrow(draw, _on(start, drawn.size), _on(end, drawn.size), radius)
    for point in dots:
        x, y = _on(point, drawn.size)
        box = (x - radius, y - radius, x + radius, y + radius)
        draw.ellipse(box, fill=_RED, outline=_WHITE, width=max(1, radius // 4))
    return drawn


def draw_strip(image: Image, words: str) -> Image:
    """Return the picture with words on a white strip below it, under a blue line.

    The built-in font only has ASCII. Source: SPA-Bench (arXiv:2410.15164, appendix D.4.5).
    """
    from PIL import Image as image_
    from PIL import ImageDraw as image_draw

    size, margin, rule = 18, 8, 4
    font = default_font(size)
    lines = _wrapped(words, font, image.width - 2 * margin)
    height = rule + 2 * margin + len(lines) * (size + 4)
    drawn = image_.new("RGB", (image.width, image.height + height), _WHITE)
    drawn.paste(image)
    draw = image_draw.Draw(drawn)
    draw.rectangle((0, image.height, image.width, image.height + rule - 1), fill=_BLUE)
    for number, line in enumerate(lines):
        place = (margin, image.height + rule + margin + number * (size + 4))
        draw.text(place, line, fill=_BLACK, font=font)
    return drawn


def _arrow(draw: ImageDraw, start: Point, end: Point, radius: int) -> None:
    """Draw the path of a finger: a line from a ring at its start to an arrowhead at its end."""
    width = max(3, radius // 2)
    draw.line((*start, *end), fill=_RED, width=width)
    x, y = start
    draw.ellipse((x - radius, y - radius, x + radius, y + radius), outline=_RED, width=width)
    angle = math.atan2(end[1] - start[1], end[0] - start[0])
    sides = (
        (end[0] - 3 * radius * math.cos(angle + turn), end[1] - 3 * radius * math.sin(angle + turn))
        for turn in (0.45, -0.45)
    )
    draw.polygon([end, *sides], fill=_RED)


def _on(point: Point, size: tuple[int, int]) -> Point:
    """Return the nearest point of the picture, since gestures may end outside the screen."""
    return max(0, min(point[0], size[0] - 1)), max(0, min(point[1], size[1] - 1))


def _wrapped(words: str, font: FreeTypeFont, width: int) -> Sequence[str]:
    """Return the words in lines of at most `width` pixels; words that are too long are split."""
    lines = [""]
    for word in words.split():
        rest = word
        if lines[-1] and font.getlength(f"{lines[-1]} {rest}") <= width:
            lines[-1] += f" {rest}"
            continue
        if lines[-1]:
            lines.append("")
        while font.getlength(rest) > width and len(rest) > 1:
            shorter = range(len(rest) - 1, 0, -1)
            fits = next(n for n in shorter if n == 1 or font.getlength(rest[:n]) <= width)
            lines[-1:] = [rest[:fits], ""]
            rest = rest[fits:]
        lines[-1] = rest
    return lines


def _copy(image: Image) -> tuple[Image, ImageDraw]:
    from PIL import ImageDraw

    drawn = image.convert("RGB") if image.mode != "RGB" else image.copy()
    return drawn, ImageDraw.Draw(drawn)


def _outline(draw: ImageDraw, box: Bounds, size: tuple[int, int], color: Color, width: int) -> None:
    """Draw a rectangle, whose sides may be swapped or far outside the picture."""
    columns = sorted(max(-9, min(side, size[0] + 9)) for side in (box.left, box.right))
    rows = sorted(max(-9, min(side, size[1] + 9)) for side in (box.top, box.bottom))
    draw.rectangle((columns[0], rows[0], columns[1], rows[1]), outline=color, width=width)


def _color(place: int) -> Color:
    """Return a strong colour that differs clearly from the previous one (golden-ratio steps)."""
    red, green, blue = colorsys.hsv_to_rgb(place * 0.618034 % 1, 1, 0.9)
    return round(red * 255), round(green * 255), round(blue * 255)


def _inside(box: Bounds, size: tuple[int, int]) -> Bounds:
    """Return the box, moved as little as needed to lie inside a picture of this size."""
    left = max(0, min(box.left, size[0] - box.width))
    top = max(0, min(box.top, size[1] - box.height))
    return Bounds(left, top, min(size[0], left + box.width), min(size[1], top + box.height))


@functools.cache
def default_font(size: int) -> FreeTypeFont:
    """Return Pillow's built-in font in a size in pixels; it is the same on every machine."""
    from PIL import ImageFont

    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont)
    return font


@functools.lru_cache(maxsize=4096)
def _extent(font: FreeTypeFont, label: str) -> tuple[int, int]:
    """Return the width and height of a label's ink, in pixels."""
    left, top, right, bottom = font.getbbox(label)
    return int(right - left), int(bottom - top)


def _write(
    draw: ImageDraw, place: tuple[int, int], label: str, font: FreeTypeFont, ink: Color
) -> None:
    """Draw a label, with the top left corner of its ink at a place."""
    left, top, _, _ = font.getbbox(label)
    draw.text((place[0] - left, place[1] - top), label, fill=ink, font=font)
