"""The wallpapers of environments, drawn by code; their names describe them."""

from __future__ import annotations

import io
import math
import random
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

    Color = tuple[int, int, int]
    Painter = Callable[["Image", "ImageDraw", random.Random], None]

_PINK = (248, 204, 214)
_RAINBOW = (
    *((224, 70, 70), (240, 150, 60), (246, 218, 80), (96, 190, 100), (80, 140, 220)),
    *((140, 96, 190), (206, 230, 246)),  # and the sky beneath it
)
LONGEST = 640  # pixels of the longer side; smooth pictures can be scaled up


@lru_cache(32)
def paint(name: str, size: tuple[int, int]) -> bytes:
    """Return a wallpaper for a screen of this size, as JPEG."""
    from PIL import Image, ImageDraw, ImageFilter  # slow to import

    scale = LONGEST / max(size)
    picture = Image.new("RGB", (round(size[0] * scale), round(size[1] * scale)))
    PAINTERS[name](picture, ImageDraw.Draw(picture), random.Random(name))
    buffer = io.BytesIO()
    picture.filter(ImageFilter.GaussianBlur(0.6)).save(buffer, "JPEG", quality=82)
    return buffer.getvalue()


def _sky(draw: ImageDraw, size: tuple[int, int], colors: Sequence[Color]) -> None:
    """Fill a picture with a gradient of colours from top to bottom."""
    width, height = size
    for y in range(height):
        at = y / height * (len(colors) - 1)
        one, other = colors[int(at)], colors[min(int(at) + 1, len(colors) - 1)]
        mixed = tuple(round(a + (b - a) * (at % 1)) for a, b in zip(one, other, strict=True))
        draw.line((0, y, width, y), mixed)


def _waves(draw: ImageDraw, size: tuple[int, int], base: float, ink: Color, bend: float) -> None:
    width, height = size
    ridge = [
        (x, height * (base + 0.03 * math.sin(bend + x / width * math.tau * (1 + bend % 2))))
        for x in range(0, width + 8, 8)
    ]
    draw.polygon([(0, height), *ridge, (width, height)], ink)


def _gradient(*colors: Color) -> Painter:
    def painter(picture: Image, draw: ImageDraw, _: random.Random) -> None:
        _sky(draw, picture.size, colors)

    return painter


def _layers(sky: Sequence[Color], layers: Sequence[tuple[float, Color]]) -> Painter:
    def painter(picture: Image, draw: ImageDraw, dice: random.Random) -> None:
        _sky(draw, picture.size, sky)
        for base, ink in layers:
            _waves(draw, picture.size, base, ink, dice.uniform(0.5, 5))

    return painter


def _discs(ground: Color, inks: Sequence[Color], radius: float, count: int) -> Painter:
    def painter(picture: Image, draw: ImageDraw, dice: random.Random) -> None:
        _sky(draw, picture.size, (ground, ground))
        width, height = picture.size
        for _ in range(count):
            r = radius * width * dice.uniform(0.5, 1)
            x, y = dice.uniform(0, width), dice.uniform(0, height)
            draw.ellipse((x - r, y - r, x + r, y + r), dice.choice(inks))

    return painter


def _rings(sky: Sequence[Color], centre: float, rings: Sequence[tuple[float, Color]]) -> Painter:
    """Return a painter of discs on one another, with radii and a centre in parts of the picture."""

    def painter(picture: Image, draw: ImageDraw, _: random.Random) -> None:
        _sky(draw, picture.size, sky)
        width, height = picture.size
        x, y = width / 2, height * centre
        for part, ink in rings:
            r = part * width
            draw.ellipse((x - r, y - r, x + r, y + r), ink)

    return painter


def _galaxy(picture: Image, draw: ImageDraw, dice: random.Random) -> None:
    width, height = picture.size
    _sky(draw, picture.size, ((10, 10, 30), (34, 18, 66), (8, 10, 26)))
    for at in range(2600):
        way, arm = dice.random() ** 0.7, at % 2
        turn = 5 * way + arm * math.pi + dice.gauss(0, 0.28)
        x = width / 2 + way * width * 0.55 * math.cos(turn)
        y = height * 0.45 + way * width * 0.4 * math.sin(turn)
        light = round(255 - 120 * way)
        draw.point((x, y), (light, light - 40, min(255, light + 10)))


def _pyramid(picture: Image, draw: ImageDraw, _: random.Random) -> None:
    width, height = picture.size
    _sky(draw, picture.size, ((96, 156, 214), (232, 214, 176)))
    ground = height * 0.72
    draw.rectangle((0, ground, width, height), (214, 178, 116))
    for x, half in ((0.36, 0.44), (0.8, 0.26)):
        top, left, right = ground - half * width * 0.9, (x - half) * width, (x + half) * width
        middle = (x + half * 0.25) * width
        draw.polygon([(left, ground), (x * width, top), (middle, ground)], (222, 188, 122))
        draw.polygon([(middle, ground), (x * width, top), (right, ground)], (168, 130, 80))


PAINTERS: dict[str, Painter] = {
    "01_red": _gradient((236, 72, 66), (150, 20, 36)),
    "02_blue": _gradient((64, 132, 236), (18, 42, 120)),
    "03_paper": _gradient((238, 230, 214), (226, 216, 196)),
    "04_sky": _layers(((62, 132, 216), (196, 226, 248)), ((0.86, (236, 244, 252)),)),
    "05_doughnut": _rings(
        ((250, 214, 222), (244, 190, 206)),
        0.45,
        ((0.38, (196, 134, 74)), (0.34, (226, 84, 138)), (0.14, (196, 134, 74)), (0.11, _PINK)),
    ),
    "07_food": _discs((96, 60, 36), ((224, 76, 50), (246, 196, 74), (120, 170, 70)), 0.16, 60),
    "08_colors": _discs((250, 246, 240), ((240, 98, 98), (84, 160, 236), (250, 204, 84)), 0.3, 26),
    "09_rainbow": _rings(
        ((110, 170, 224), (206, 230, 246)),
        1,
        tuple((1.0 - 0.06 * at, ink) for at, ink in enumerate(_RAINBOW)),
    ),
    "10_galaxy": _galaxy,
    "11_pyramid": _pyramid,
    "12_ocean": _layers(
        ((150, 210, 240), (226, 244, 250)),
        ((0.45, (54, 132, 188)), (0.62, (34, 104, 160)), (0.8, (18, 74, 128))),
    ),
    "13_canyon": _layers(
        ((246, 196, 140), (252, 226, 186)),
        ((0.42, (206, 120, 74)), (0.58, (176, 84, 52)), (0.74, (128, 54, 38))),
    ),
}
