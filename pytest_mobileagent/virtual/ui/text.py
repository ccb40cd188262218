"""Roboto: how wide a text is, where its lines break, and its pixels."""

from __future__ import annotations

import math
import re
from functools import cache, lru_cache
from pathlib import Path

import font_roboto
from PIL import Image, ImageFont

from pytest_mobileagent.virtual.ui.strokes import icon

# Of the font size: one line to the next, and what a TextView adds above and below the lines.
LINE = 1.172
FONT_PADDING = 0.155

# Signs that Roboto lacks, drawn as icons.
_SIGNS = {
    "\N{BLACK STAR}": "star",
    "\N{WHITE STAR}": "star_border",
    "\N{CHECK MARK}": "check",
    "\N{ERASE TO THE LEFT}": "backspace",
    "\N{LEFTWARDS ARROW}": "arrow_back",
    "\N{MULTIPLICATION X}": "close",
    "\N{RIGHTWARDS ARROW}": "arrow_forward",
}
_SIGN = re.compile(f"([{''.join(_SIGNS)}])")
_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


@cache
def _font(size: int, bold: bool) -> ImageFont.FreeTypeFont:
    path = Path(font_roboto.font_files["RobotoMedium" if bold else "Roboto"])
    return ImageFont.truetype(str(path), size, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(8192)
def width(text: str, size: int, bold: bool = False) -> int:
    """Give the width of a line in pixels, rounded up."""
    signs = len(_SIGN.findall(text))
    letters = _SIGN.sub("", text) if signs else text
    return math.ceil(_font(size, bold).getlength(letters)) + signs * size


def line_height(size: int) -> int:
    """Give the distance from one line to the next."""
    return round(size * LINE)


def height(lines: int, size: int) -> int:
    """Give the height of so many lines with the room around them."""
    return lines * line_height(size) + round(size * FONT_PADDING)


@lru_cache(4096)
def wrap(text: str, size: int, bold: bool, limit: int, max_lines: int = 0) -> tuple[str, ...]:
    """Break a text into lines of at most `limit` pixels, the last one cut off by an ellipsis."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        lines += _break(paragraph, size, bold, limit)
    if max_lines and len(lines) > max_lines:
        rest = " ".join(lines[max_lines - 1 :])
        lines = [*lines[: max_lines - 1], _shorten(rest, size, bold, limit)]
    return tuple(lines)


def _break(paragraph: str, size: int, bold: bool, limit: int) -> list[str]:
    if width(paragraph, size, bold) <= limit:
        return [paragraph]
    lines, line = [], ""
    for word in paragraph.split(" "):
        longer = f"{line} {word}" if line else word
        if width(longer, size, bold) <= limit:
            line = longer
            continue
        if line:
            lines.append(line)
        while word and width(word, size, bold) > limit:
            fit = fitting(word, size, bold, limit)
            lines.append(word[:fit])
            word = word[fit:]  # noqa: PLW2901 - the rest of a word longer than a line
        line = word
    return [*lines, line] if line or not lines else lines


def fitting(text: str, size: int, bold: bool, limit: int) -> int:
    """Give how many characters fit into `limit` pixels, one at least."""
    low, high = 1, max(1, len(text))
    while low < high:
        middle = (low + high + 1) // 2
        if width(text[:middle], size, bold) <= limit:
            low = middle
        else:
            high = middle - 1
    return low


def _shorten(line: str, size: int, bold: bool, limit: int) -> str:
    room = limit - width(_ELLIPSIS, size, bold)
    fit = fitting(line, size, bold, room) if width(line[:1], size, bold) <= room else 0
    return line[:fit].rstrip() + _ELLIPSIS


@lru_cache(2048)
def mask(text: str, size: int, bold: bool) -> Image.Image:
    """Give one line as a grey picture, `line_height` high and as wide as the text."""
    picture = Image.new("L", (width(text, size, bold) + 2, line_height(size)))
    baseline = round(size * 0.928)
    x = 0
    for part in _SIGN.split(text):
        if part in _SIGNS:
            picture.paste(icon(_SIGNS[part], size), (x, baseline - size * 7 // 8))
            x += size
        elif part:
            glyphs, (left, top) = _font(size, bold).getmask2(part, "L", anchor="ls")
            if all(glyphs.size):
                ink = Image.new("L", glyphs.size)
                ink.im.paste(glyphs, (0, 0, *glyphs.size))
                picture.paste(ink, (x + left, baseline + top))
            x += width(part, size, bold)
    return picture


def starts(text: str, lines: tuple[str, ...]) -> list[int]:
    """Give the index in a text at which each of its lines begins."""
    result, index = [], 0
    for line in lines:
        index = max(index, text.find(line, index))
        result.append(index)
        index += len(line)
    return result


def place_of(index: int, text: str, lines: tuple[str, ...]) -> tuple[int, int]:
    """Give line and column of an index into a text."""
    begins = starts(text, lines)
    line = max((i for i, begin in enumerate(begins) if begin <= index), default=0)
    return line, min(index - begins[line], len(lines[line]))


def column_at(line: str, x: float, size: int, bold: bool = False) -> int:
    """Give the column of a line that is nearest to x pixels from its start."""
    before = fitting(line, size, bold, int(x)) if width(line[:1], size, bold) <= x else 0
    if before >= len(line):
        return len(line)
    left, right = (width(line[:n], size, bold) for n in (before, before + 1))
    return before if x - left <= right - x else before + 1
