"""Draws noise on a screenshot: cards, dialogs, pictures, and the text on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_mobileagent.noise.fonts import font, is_rightward, line_height, width_of

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont

    from pytest_mobileagent.noise import Look, Part
    from pytest_mobileagent.noise.template import Template
    from pytest_mobileagent.screen.element import Bounds

Colour = tuple[int, int, int]

_DIM = 0.45  # the share of brightness that a scrim leaves
_WHITE: Colour = (255, 255, 255)
_BLACK: Colour = (20, 20, 24)
_GREY: Colour = (95, 99, 104)
_PALE: Colour = (189, 193, 198)
_PAPER = {False: (255, 255, 255), True: (43, 43, 48)}
_INK = {False: (27, 27, 31), True: (232, 234, 237)}
_FAINT = {False: _GREY, True: _PALE}
_TONAL = {False: (222, 229, 242), True: (68, 74, 88)}
_TOAST: Colour = (50, 50, 54)


def draw(image: Image, root: Part, template: Template, look: Look) -> Image:
    """Return a copy of `image` with noise drawn on it; `root` comes from `layout.arrange`."""
    if root.role in {"picture", "page"}:  # it covers everything
        drawn = image.copy()
    else:
        dimmed = [int(light * _DIM) for light in range(256)] * 3
        drawn = image.point(dimmed) if root.role == "scrim" else image.copy()
        for spot in (part for part in root.parts if part.role == "spot"):
            drawn.paste(image.crop(spot.bounds), spot.bounds[:2])
    _Painter(drawn, template, look).paint(root)
    return drawn


def is_dark(image: Image) -> bool:
    """Return whether a screen is dark, judged by its mean brightness."""
    small = image.resize((16, 16), reducing_gap=2).convert("L")  # five times faster with a gap
    return sum(small.tobytes()) / 256 < 90


@dataclass(frozen=True, slots=True)
class _Style:
    """How a part is drawn: a box of a colour with round corners, and its text on it.

    `radius` is in dp. Without a `fill` there is no box, without an `ink` no text.
    """

    radius: int = 0
    fill: Colour | None = None
    ink: Colour | None = None
    centred: bool = False
    bold: bool = False
    shadow: bool = False


def _styles(accent: Colour, *, dark: bool) -> dict[str, _Style]:
    """Return the styles of the parts that are only a box, a text, or both, by their roles."""
    paper, ink, faint = _PAPER[dark], _INK[dark], _FAINT[dark]
    link = _mix(accent, _WHITE, 0.5) if dark else _mix(accent, _BLACK, 0.1)
    return {
        "card": _Style(20, paper),
        "bubble": _Style(14, paper),
        "title": _Style(ink=ink, bold=True),
        "text": _Style(ink=faint),
        "link": _Style(ink=link, centred=True, bold=True),
        "light-title": _Style(ink=_WHITE, bold=True, shadow=True),
        "light-text": _Style(ink=_WHITE, shadow=True),
        "light-link": _Style(ink=_WHITE, centred=True, shadow=True),
        "button": _Style(24, accent, _readable_on(accent), centred=True, bold=True),
        "light-button": _Style(24, _WHITE, _BLACK, centred=True, bold=True),
        "tonal": _Style(14, _TONAL[dark], ink, centred=True),
        "badge": _Style(3, _mix(accent, _BLACK, 0.6), _WHITE, centred=True),
        "chip": _Style(18, _mix(accent, _BLACK, 0.55), _WHITE, centred=True),
        "toast": _Style(24, _TOAST, _WHITE, centred=True),
        "notification": _Style(20, _TONAL[dark], ink, centred=True),
        "line": _Style(0, paper, faint, centred=True),
    }


class _Painter:
    """Paints the parts of one piece of noise."""

    def __init__(self, image: Image, template: Template, look: Look) -> None:
        from PIL import ImageDraw

        self._image, self._draw = image, ImageDraw.Draw(image)
        self._template, self._look = template, look
        self._dark = look.dark
        self._accent, self._second = (_colour(each) for each in template.colours)
        self._styles = _styles(self._accent, dark=look.dark)
        self._painters = {
            "spot": self._spot,
            "sheet": self._sheet,
            "page": lambda part: self._draw.rectangle(part.bounds, _PAPER[self._dark]),
            "picture": self._picture,
            "address": self._address,
            "cross": self._cross,
            "up": self._up,
        }

    def paint(self, part: Part) -> None:
        """Paint a part, and then the parts inside it."""
        if (style := self._styles.get(part.role)) is not None:
            if style.fill is not None:
                self._box(part.bounds, self._dp(style.radius), style.fill)
            self._write(part, style)
        elif (painter := self._painters.get(part.role)) is not None:
            painter(part)
        for each in part.parts:
            self.paint(each)

    def _dp(self, length: float) -> int:
        return max(1, round(length * self._look.density / 160))

    def _box(self, bounds: Bounds, radius: int, fill: Colour) -> None:
        left, top, right, bottom = bounds
        if right > left and bottom > top:
            box = (left, top, right - 1, bottom - 1)
            radius = min(radius, (right - left) // 2, (bottom - top) // 2)
            self._draw.rounded_rectangle(box, radius, fill)

    # One method for each role that is more than a style.

    def _spot(self, part: Part) -> None:
        left, top, right, bottom = part.bounds
        box, radius = (left, top, right - 1, bottom - 1), self._dp(12)
        self._draw.rounded_rectangle(box, radius, outline=_WHITE, width=self._dp(2))

    def _sheet(self, part: Part) -> None:
        left, top, right, bottom = part.bounds
        self._box(part.bounds, self._dp(24), _PAPER[self._dark])
        self._draw.rectangle((left, bottom - self._dp(24), right, bottom), _PAPER[self._dark])
        middle, half = (left + right) // 2, self._dp(16)
        handle = (middle - half, top + self._dp(10), middle + half, top + self._dp(13))
        self._draw.rounded_rectangle(handle, self._dp(2), _FAINT[self._dark])

    def _picture(self, part: Part) -> None:
        """Paint a gradient of two colours, with circles of other colours on it."""
        width, height = part.bounds.width, part.bounds.height
        is_whole = part.bounds.left == 0  # otherwise it tops a card, which has round corners
        if width and height:
            second = _mix(self._second, _BLACK, 0.45) if part.parts else self._second  # for words
            turn = sum(self._template.name.encode())
            picture = _picture((width, height), self._accent, second, turn)
            mask = None if is_whole else _round_top((width, height), self._dp(20))
            self._image.paste(picture, part.bounds[:2], mask)

    def _address(self, part: Part) -> None:
        _, top, _, bottom = part.bounds
        inner = part.bounds._replace(top=top + self._dp(8), bottom=bottom - self._dp(8))
        self._box(inner, self._dp(20), _TONAL[self._dark])
        self._write(part, _Style(ink=_INK[self._dark], centred=True))

    def _cross(self, part: Part) -> None:
        left, top, right, bottom = part.bounds
        inset = self._dp(4)
        disc = (left + inset, top + inset, right - inset, bottom - inset)
        self._draw.ellipse(disc, _mix(_PAPER[self._dark], _GREY, 0.35))
        arm, width = self._dp(12), self._dp(2)
        for start, end in (((left, top), (right, bottom)), ((left, bottom), (right, top))):
            line = (*_towards(start, end, arm), *_towards(end, start, arm))
            self._draw.line(line, _INK[self._dark], width)

    def _up(self, part: Part) -> None:
        x, y = part.bounds.center
        arm, width, turn = self._dp(8), self._dp(2), -1 if self._look.mirrored else 1
        ink, tip = _INK[self._dark], x - turn * arm
        self._draw.line((x + turn * arm, y, tip, y), ink, width)
        for side in (-arm, arm):
            self._draw.line((tip, y, tip + turn * arm, y + side), ink, width)

    def _write(self, part: Part, style: _Style) -> None:
        """Draw the lines of a part, centred or from the top at the side where reading begins."""
        if style.ink is None:
            return
        high = line_height(part.size)
        left, top, right, bottom = part.bounds
        if style.centred or part.bounds.height < high * len(part.lines):
            top += max(0, (bottom - top - high * len(part.lines)) // 2)
        letters = font(part.text, part.size)
        stroke = max(1, part.size // 30) if style.bold else 0
        for number, line in enumerate(part.lines):
            width = width_of(line, part.size)
            at_end = self._look.mirrored or not is_rightward(line)
            x = right - width if at_end else left
            if style.centred:
                x = (left + right - width) // 2
            y = top + number * high + (high - part.size) // 2
            if style.shadow:
                self._line(line, (x + 2, y + 2), letters, _BLACK, stroke)
            self._line(line, (x, y), letters, style.ink, stroke)

    def _line(
        self, line: str, place: tuple[int, int], letters: FreeTypeFont, ink: Colour, stroke: int
    ) -> None:
        self._draw.text(place, line, ink, letters, stroke_width=stroke, stroke_fill=ink)


@lru_cache(8)
def _picture(size: tuple[int, int], accent: Colour, second: Colour, turn: int) -> Image:
    """Return a vertical gradient from `accent` to `second`, with three circles placed by `turn`."""
    from PIL import Image as image_
    from PIL import ImageDraw as image_draw

    width, height = size
    column = image_.new("RGB", (1, height))
    for row in range(height):
        column.putpixel((0, row), _mix(accent, second, row / height))
    picture = column.resize(size)
    draw, unit = image_draw.Draw(picture), min(width, height)
    for number in range(3):
        across = width * ((turn * (number + 3)) % 80 + 10) // 100
        down = height * ((turn * (number + 7)) % 50 + 12) // 100
        radius = unit * (6 + (turn + number * 5) % 9) // 50
        fill = _mix(second, _WHITE, 0.55) if number % 2 else _mix(accent, _WHITE, 0.3)
        draw.ellipse((across - radius, down - radius, across + radius, down + radius), fill)
    return picture


@lru_cache(8)
def _round_top(size: tuple[int, int], radius: int) -> Image:
    """Return a mask that rounds off the upper corners of a picture."""
    from PIL import Image as image_
    from PIL import ImageDraw as image_draw

    mask = image_.new("L", size)
    image_draw.Draw(mask).rounded_rectangle((0, 0, size[0] - 1, size[1] + radius), radius, 255)
    return mask


def _mix(one: Colour, other: Colour, share: float) -> Colour:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


def _colour(text: str) -> Colour:
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def _readable_on(paper: Colour) -> Colour:
    red, green, blue = paper
    return _BLACK if 0.3 * red + 0.59 * green + 0.11 * blue > 150 else _WHITE


def _towards(start: tuple[int, int], end: tuple[int, int], length: int) -> tuple[int, int]:
    (x, y), (to_x, to_y) = start, end
    return x + (length if to_x > x else -length), y + (length if to_y > y else -length)
