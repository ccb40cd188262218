"""The wallpaper: a picture that was put into its place, else hills under an evening sky."""

from __future__ import annotations

import io
import math
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from PIL import Image, UnidentifiedImageError

from pytest_mobileagent.virtual.ui.pictures import png

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.files import FileSystem

PLACE: Final = "/data/system/users/0/wallpaper_orig"  # where Android keeps the one that was chosen
CROPPED: Final = "/data/system/users/0/wallpaper"  # what it cuts from that, and loads at boot
WIDTH, HEIGHT = 72, 160
SKY = ((38, 50, 86), (112, 92, 132), (222, 148, 132))  # from above to the horizon
HILLS = (  # height of the ridge, of its waves, how many, where they begin, colour
    (0.66, 0.035, 1.6, 0.4, (98, 84, 124)),
    (0.74, 0.045, 1.1, 2.6, (66, 66, 104)),
    (0.84, 0.030, 1.9, 1.2, (36, 44, 76)),
)

Color = tuple[int, int, int]


def wallpaper(files: FileSystem) -> bytes:
    """Give it as an encoded picture; one that cannot be read is as good as none."""
    if files.is_file(PLACE) and readable(data := files.read(PLACE)):
        return data
    return hills()


def load(files: FileSystem) -> None:
    """Take up the one that is found at boot."""
    if files.is_file(CROPPED):
        files.rename(CROPPED, PLACE)  # so that one chosen later counts at the next boot


def stamp(files: FileSystem) -> int:
    """Give a number that changes when the wallpaper does."""
    return hash(files.stat(PLACE)) if files.is_file(PLACE) else 0


@lru_cache(1)
def readable(data: bytes) -> bool:
    """Tell whether bytes are a picture."""
    try:
        with Image.open(io.BytesIO(data)) as picture:
            picture.load()
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError):
        return False
    return True


@cache
def hills() -> bytes:
    """Give the one that a phone comes with."""
    pixels = bytes(part for y in range(HEIGHT) for part in _row(y))
    return png(Image.frombytes("RGB", (WIDTH, HEIGHT), pixels))


def _row(y: int) -> list[int]:
    return [part for x in range(WIDTH) for part in _color(x / WIDTH, y / HEIGHT)]


def _color(x: float, y: float) -> Color:
    color = _blend(SKY, y / 0.8)
    for ridge, waves, count, begin, ink in HILLS:
        edge = ridge + waves * math.sin(begin + count * math.tau * x)
        cover = min(max((y - edge) * HEIGHT, 0.0), 1.0)
        color = _mix(color, ink, cover)
    return color


def _blend(colors: tuple[Color, ...], part: float) -> Color:
    at = min(max(part, 0.0), 0.999) * (len(colors) - 1)
    return _mix(colors[int(at)], colors[int(at) + 1], at % 1)


def _mix(one: Color, other: Color, part: float) -> Color:
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(one, other, strict=True))
    return red, green, blue
