"""The shape of text: the order, width, wrapping and masks of its characters."""

from __future__ import annotations

import math
import re
import unicodedata
from functools import lru_cache
from itertools import groupby
from typing import Final, TypeAlias

from PIL import Image, ImageFont

from pytest_mobileagent.virtual.ui.fonts import FOREIGN, Family, font, parts, roboto
from pytest_mobileagent.virtual.ui.theme import icon

RIGHT_TO_LEFT: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
EMBEDDED: Final = re.compile("\u202a[^\u202c]*\u202c?")
Face: TypeAlias = tuple[Family | None, int, bool]  # with its size, and whether it is bold
_MARKS = "\u202a\u202c"
_RTL = {"R", "AL"}
_NUMBERS = {"EN", "AN"}
_JOINTS = {"CS", "ES", "ET"}  # belong to the numbers next to them


def base(text: str) -> int:
    """Return the level of a line by its first strong letter: 1 if right-to-left, else 0."""
    kinds = map(unicodedata.bidirectional, EMBEDDED.sub("", text))
    return int(next((kind for kind in kinds if kind == "L" or kind in _RTL), "L") in _RTL)


def visual(text: str) -> list[tuple[str, bool]]:
    """Return the runs of a line from left to right, each with whether it is right-to-left.

    The characters within a run are in logical order. This is a subset of the Unicode bidirectional
    algorithm: letters of right-to-left scripts have odd levels and others even ones, numbers keep
    their order, and a neutral character takes the direction of its neighbours if both agree,
    otherwise that of the line. Of the explicit marks, only LRE and PDF (U+202A, U+202C) are
    supported.
    """
    levels = _levels(text)
    runs = [
        ["".join(sign for sign, _ in group if sign not in _MARKS), level]
        for level, group in groupby(zip(text, levels, strict=True), key=lambda pair: pair[1])
    ]
    for level in range(max(levels, default=0), 0, -1):  # down to the lowest odd one
        at = 0
        while at < len(runs):
            end = at
            while end < len(runs) and int(runs[end][1]) >= level:
                end += 1
            runs[at:end] = reversed(runs[at:end])
            at = max(end, at + 1)
    return [(str(run), bool(int(level) % 2)) for run, level in runs]


def _levels(text: str) -> list[int]:
    line = "R" if base(text) else "L"
    kinds = _numbers(_letters(text), line)
    _brackets(text, kinds, line)
    _neutrals(kinds, line)
    of = {"R": 1, "L": 0 if line == "L" else 2, "EN": 2, "AN": 2}
    return [of[kind] for kind in kinds]


def _letters(text: str) -> list[str]:
    """Classify each character as L, R, a number (EN, AN), a number separator, or neutral (N)."""
    kinds: list[str] = []
    for sign in text:
        kind = unicodedata.bidirectional(sign)
        if kind == "NSM":  # a combining mark has the direction of its letter
            kind = kinds[-1] if kinds else "N"
        known = ("L", *_NUMBERS, *_JOINTS)
        kinds.append("R" if kind in _RTL else kind if kind in known else "N")
    for pair in EMBEDDED.finditer(text):
        kinds[pair.start() : pair.end()] = ["L"] * len(pair[0])
    return kinds


def _numbers(kinds: list[str], line: str) -> list[str]:
    """Merge separators into numbers, and treat numbers after left-to-right letters as letters."""
    for at, kind in enumerate(kinds):
        if kind in _JOINTS:
            sides = [kinds[i] for i in (at - 1, at + 1) if 0 <= i < len(kinds)]
            numbers = [side for side in sides if side in _NUMBERS]
            joined = len(numbers) == 2 or (numbers and kind == "ET")
            kinds[at] = numbers[0] if joined else "N"
    before = line
    for at, kind in enumerate(kinds):
        before = kind if kind in ("L", "R") else before
        if kind == "EN" and before == "L":
            kinds[at] = "L"
    return kinds


def _brackets(text: str, kinds: list[str], line: str) -> None:
    """Assign the direction of the contents of a pair of brackets to the brackets themselves."""
    opened: list[int] = []
    for at, sign in enumerate(text):
        if sign in "([{":
            opened.append(at)
        elif sign in ")]}" and opened:
            start = opened.pop()
            inside = {_side(kind) for kind in kinds[start + 1 : at]} - {"N"}
            other = "L" if line == "R" else "R"
            earlier = [_side(kind) for kind in kinds[:start] if _side(kind) != "N"]
            if line in inside or (inside and [line, *earlier][-1] != other):
                kinds[start] = kinds[at] = line
            elif inside:
                kinds[start] = kinds[at] = other


def _neutrals(kinds: list[str], line: str) -> None:
    """Resolve neutral characters to their neighbours' direction if both agree, else the line's."""
    end = 0
    for kind, group in groupby(kinds.copy()):
        start, end = end, end + len(list(group))
        if kind == "N":
            before = _side(kinds[start - 1]) if start else line
            after = _side(kinds[end]) if end < len(kinds) else line
            kinds[start:end] = [before if before == after else line] * (end - start)


def _side(kind: str) -> str:
    return "R" if kind in _NUMBERS else kind


# As parts of the font size: line spacing, and a TextView's padding above and below the lines.
LINE = 1.172
FONT_PADDING = 0.155

# Characters that Roboto lacks, drawn as icons.
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
_SPECIAL = re.compile(f"{FOREIGN.pattern}|{_SIGN.pattern}")  # characters not in Roboto
_GLUE = " .,:!?-()[]{}"
_MIRRORED = str.maketrans("()[]{}<>", ")(][}{><")
_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"

# Lines break at spaces and around every Chinese character, but not after an opening bracket.
_WORDS = re.compile(
    "[\u300a\u300c\u300e\u3010\uff08]*[\u2e80-\u9fff\uf900-\ufaff]"
    "[\u3001\u3002\u300b\u300d\u300f\u3011\uff01\uff09\uff0c\uff1a\uff1b\uff1f]* ?"
    "|[^\u2e80-\u9fff\uf900-\ufaff ]+ ?| "
)


@lru_cache(8192)
def width(text: str, size: int, bold: bool = False) -> int:
    """Return the width of a line in pixels, rounded up."""
    if _SPECIAL.search(text):
        return sum(_run_width(run, family, size, bold) for run, family, _ in _runs(text))
    return math.ceil(roboto(size, bold).getlength(text))


def _runs(text: str) -> list[tuple[str, Family | None, bool]]:
    """Return the runs drawn at once, from left to right, with family and right-to-left flag."""
    mixed = RIGHT_TO_LEFT.search(text)
    runs = []
    for run, leftwards in visual(text) if mixed else [(text, False)]:
        way = -1 if leftwards else 1
        for whole, family in (_joined(run) if leftwards else list(parts(run)))[::way]:
            pieces = [whole] if family else _SIGN.split(whole)
            runs += [(piece, family, leftwards) for piece in pieces[::way] if piece]
    return runs


def _joined(run: str) -> list[tuple[str, Family | None]]:
    """Split a run by font, keeping spaces and punctuation with the preceding letters."""
    pieces: list[tuple[str, Family | None]] = []
    for piece, family in parts(run):
        if pieces and (family == pieces[-1][1] or (family is None and not piece.strip(_GLUE))):
            pieces[-1] = (pieces[-1][0] + piece, pieces[-1][1])
        else:
            pieces.append((piece, family))
    return pieces


@lru_cache(4096)
def _run_width(run: str, family: Family | None, size: int, bold: bool) -> int:
    if run in _SIGNS:
        return size
    chosen = font(family, size, bold)
    return math.ceil(chosen.getlength(_joined_up(run, family, chosen)))


def _joined_up(run: str, family: Family | None, chosen: ImageFont.FreeTypeFont) -> str:
    """Return the glyphs to draw: joined forms of Arabic letters if raqm cannot join them."""
    if family is None or not family.joins or chosen.layout_engine == ImageFont.Layout.RAQM:
        return run
    import arabic_reshaper  # only needed if Pillow lacks raqm, or raqm lacks FriBiDi

    return str(arabic_reshaper.reshape(run))


def line_height(size: int) -> int:
    """Return the distance in pixels from one line to the next."""
    return round(size * LINE)


def height(lines: int, size: int) -> int:
    """Return the height of a number of lines, including the padding around them."""
    return lines * line_height(size) + round(size * FONT_PADDING)


@lru_cache(4096)
def wrap(text: str, size: int, bold: bool, limit: int, max_lines: int = 0) -> tuple[str, ...]:
    """Break text into lines of at most `limit` pixels; the last one may end in an ellipsis."""
    lines = [line for each in text.split("\n") for line in _break(each, size, bold, limit)]
    if max_lines and len(lines) > max_lines:
        rest = " ".join(lines[max_lines - 1 :])
        lines = [*lines[: max_lines - 1], _shorten(rest, size, bold, limit)]
    return tuple(lines)


def _break(paragraph: str, size: int, bold: bool, limit: int) -> list[str]:
    if width(paragraph, size, bold) <= limit:
        return [paragraph]
    lines, line = [], ""
    for word in _WORDS.findall(paragraph):
        longer = line + word
        if width(longer.rstrip(" "), size, bold) <= limit:
            line = longer
            continue
        if line:
            lines.append(line.rstrip(" "))
        rest = word.rstrip(" ")
        while rest and width(rest, size, bold) > limit:
            fit = fitting(rest, size, bold, limit)
            lines.append(rest[:fit])
            rest = rest[fit:]
        line = rest + word[len(word.rstrip(" ")) :]
    line = line.rstrip(" ")
    return [*lines, line] if line or not lines else lines


def fitting(text: str, size: int, bold: bool, limit: int) -> int:
    """Return how many characters fit into `limit` pixels, at least 1."""
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
    """Return the mask of a line, as wide as the text; some letters extend below the line."""
    below = round(size * 0.2) if FOREIGN.search(text) else 0
    picture = Image.new("L", (width(text, size, bold) + 2, line_height(size) + below))
    x, baseline = 0, round(size * 0.928)
    for run, family, leftwards in _runs(text):
        if run in _SIGNS:
            picture.paste(icon(_SIGNS[run], size), (x, baseline - size * 7 // 8))
        else:
            _write(picture, (x, baseline), run, (family, size, bold), leftwards)
        x += _run_width(run, family, size, bold)
    return picture


def _write(
    picture: Image.Image, at: tuple[int, int], run: str, face: Face, leftwards: bool
) -> None:
    family, size, bold = face
    chosen = font(family, size, bold)
    shaped = chosen.layout_engine == ImageFont.Layout.RAQM
    direction = ("rtl" if leftwards else "ltr") if shaped else None
    run = _joined_up(run, family, chosen)
    if leftwards and not shaped:
        run = run[::-1].translate(_MIRRORED)
    heavier = bold and family is not None and not shaped  # the font has a single weight
    for shift in (0, max(1, size // 28)) if heavier else (0,):
        glyphs, (left, top) = chosen.getmask2(run, "L", direction=direction, anchor="ls")
        if all(glyphs.size):
            ink = Image.new("L", glyphs.size)
            ink.im.paste(glyphs, (0, 0, *glyphs.size))
            picture.paste(ink, (at[0] + shift + left, at[1] + top), ink)


def starts(text: str, lines: tuple[str, ...]) -> list[int]:
    """Return the index in the text at which each of its lines begins."""
    result, index = [], 0
    for line in lines:
        index = max(index, text.find(line, index))
        result.append(index)
        index += len(line)
        while text[index : index + 1] == " ":  # those at which a line was broken
            index += 1
        index += text[index : index + 1] == "\n"
    return result


def place_of(index: int, text: str, lines: tuple[str, ...]) -> tuple[int, int]:
    """Return the line and column of an index into the text."""
    begins = starts(text, lines)
    line = max((i for i, begin in enumerate(begins) if begin <= index), default=0)
    return line, min(index - begins[line], len(lines[line]))


def x_of(column: int, line: str, size: int) -> int:
    """Return the x offset, in pixels from a line's left end, of a column."""
    before = width(line[:column], size) if column else 0
    return width(line, size) - before if base(line) else before


def column_at(line: str, x: float, size: int) -> int:
    """Return the column of a line that is nearest to `x` pixels from its left end."""
    if base(line):
        x = width(line, size) - x
    before = fitting(line, size, False, int(x)) if width(line[:1], size) <= x else 0
    if before >= len(line):
        return len(line)
    left, right = (width(line[:n], size) for n in (before, before + 1))
    return before if x - left <= right - x else before + 1
