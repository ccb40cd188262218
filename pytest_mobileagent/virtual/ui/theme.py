"""The colours and icons of the theme."""

from __future__ import annotations

import math
import re
import tomllib
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from PIL import Image, ImageColor, ImageDraw

if TYPE_CHECKING:
    from collections.abc import Iterator


RGB: TypeAlias = tuple[int, int, int]
RGBA: TypeAlias = tuple[int, int, int, int]

READABLE = 3.0  # minimum contrast for large text and icons

_WHITE, _BLACK = (255, 255, 255), (0, 0, 0)

_ROLES: Final = tomllib.loads(Path(__file__).with_name("theme.toml").read_text("utf-8"))


class Theme:
    """The colours derived from an accent; maps roles and literals to colours."""

    def __init__(self, accent: str, dark: bool) -> None:
        self.dark = dark
        base = _literal(accent)[:3]
        self._roles: dict[str, RGBA] = {}
        for role, steps in _ROLES["accented"].items():
            step = steps[dark]
            self._roles[role] = (*mix(base, _WHITE if step > 0 else _BLACK, abs(step)), 255)
        for role, (light, night, tint) in _ROLES["tinted"].items():
            grey = round(255 * (night if dark else light))
            self._roles[role] = (*mix((grey, grey, grey), base, tint), 255)
        while contrast(self._roles["primary"], self._roles["surface"]) < READABLE:
            self._roles["primary"] = (*mix(self._roles["primary"][:3], _BLACK, 0.1), 255)
        for role, colors in _ROLES["fixed"].items():
            self._roles[role] = _literal(colors[dark])

    def __call__(self, name: str) -> RGBA:
        """Return the colour of a role, or of a literal "#rrggbb" or "#aarrggbb"."""
        return self._roles.get(name) or _literal(name)


@cache
def theme(accent: str, dark: bool) -> Theme:
    """Return the theme for an accent colour."""
    return Theme(accent, dark)


def contrast(one: RGBA, other: RGBA) -> float:
    """Return the WCAG contrast ratio of two colours, from 1 to 21."""
    dark, light = sorted(map(_luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: RGBA) -> float:
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (each / 255 for each in color[:3])
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def mix(one: RGB, other: RGB, part: float) -> RGB:
    """Blend two colours; `part` is the share of the other one."""
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(one, other, strict=True))
    return red, green, blue


@cache
def _literal(color: str) -> RGBA:
    if len(color) == 9:  # Android puts alpha first
        color = f"#{color[3:]}{color[1:3]}"
    return ImageColor.getcolor(color, "RGBA")  # type: ignore[return-value] # by its mode


Point: TypeAlias = tuple[float, float]
Points: TypeAlias = list[Point]

_LINES: Final = Path(__file__).with_name("icons.txt").read_text("utf-8").splitlines()
_ICONS: Final = [line for line in _LINES if line and not line.startswith("#")]
DRAWINGS: Final[dict[str, str]] = dict(line.split(": ", 1) for line in _ICONS)

_FINE = 4  # drawn larger and scaled down, for smooth edges
_PEN = 2.0
# Icons that are mirrored in right-to-left layouts.
_TURNED = "arrow_(back|forward)|chevron_.*|keyboard_return|label|log(in|out)|send|volume_.*"


@lru_cache(512)
def icon(name: str, size: int) -> Image.Image:
    """Return an icon as a grey mask; an unknown name is drawn as an empty circle."""
    scale = size * _FINE / 24
    picture = Image.new("L", (size * _FINE, size * _FINE))
    draw = ImageDraw.Draw(picture)
    for shape in DRAWINGS.get(name, "ring 12,12 9").split(";"):
        word, *numbers = shape.split()
        ink = 0 if word.startswith("-") else 255
        _shape(draw, word.lstrip("-"), [_number(n, scale) for n in numbers], ink, scale)
    return picture.reduce(_FINE)


@lru_cache(128)
def flipped(name: str, size: int) -> Image.Image:
    """Return an icon as it looks in a right-to-left layout."""
    picture, turned = icon(name, size), re.fullmatch(_TURNED, name)
    return picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if turned else picture


def _number(text: str, scale: float) -> Point:
    x, _, y = text.partition(",")
    return (float(x) * scale, float(y) * scale if y else float(x))


def _shape(draw: ImageDraw.ImageDraw, word: str, points: Points, ink: int, scale: float) -> None:
    match word, points:
        case "fill", _:
            draw.polygon(points, ink)
        case "dot", (centre, (radius, _)):
            draw.ellipse(_around(centre, radius), ink)
        case "block", (corner, (x, y), (radius, _)):
            draw.rounded_rectangle((*corner, x, y), radius, ink)
        case _:
            _stroke(draw, word, points, ink, _PEN * scale)


def _stroke(draw: ImageDraw.ImageDraw, word: str, points: Points, ink: int, pen: float) -> None:
    match word, points:
        case "line", _:
            draw.line(points, ink, round(pen), joint="curve")
            for point in (points[0], points[-1]):
                draw.ellipse(_around(point, pen / 2), ink)
        case "ring", (centre, (radius, _)):
            draw.ellipse(_around(centre, radius + pen / 2), None, ink, round(pen))
        case "arc", (centre, (radius, _), (_, start), (_, end)):
            draw.arc(_around(centre, radius + pen / 2), start, end, ink, round(pen))
        case "box", ((left, top), (right, bottom), (radius, _)):
            half = pen / 2
            outer = (left - half, top - half, right + half, bottom + half)
            draw.rounded_rectangle(outer, radius + half, None, ink, round(pen))
        case "rays", (centre, (inner, _), (end, _), (_, count)):
            for ray in _rays(centre, inner, end, int(count)):
                draw.line(ray, ink, round(pen))


def _around(centre: Point, radius: float) -> tuple[float, float, float, float]:
    return (centre[0] - radius, centre[1] - radius, centre[0] + radius, centre[1] + radius)


def _rays(centre: Point, inner: float, outer: float, count: int) -> Iterator[Points]:
    for i in range(count):
        x, y = math.cos(2 * math.pi * i / count), math.sin(2 * math.pi * i / count)
        yield [(centre[0] + radius * x, centre[1] + radius * y) for radius in (inner, outer)]
