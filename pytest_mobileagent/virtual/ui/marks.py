"""What is painted on the screen, as a list of marks, which any part of it can be painted from."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from PIL import Image, ImageDraw

from pytest_mobileagent.virtual.ui.metrics import intersect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_mobileagent.virtual.ui.metrics import Rect
    from pytest_mobileagent.virtual.ui.theme import RGBA

# A method of Part, the rectangle of the screen that it may change, and its other arguments. Equal
# marks paint equal pixels on equal pixels, so pictures in marks must never change.
Mark: TypeAlias = tuple[Any, ...]
_FINE = 4  # drawn larger and scaled down, for smooth edges


class Part:
    """A rectangle of the screen, initially black, onto which marks are painted.

    The colour of a pixel depends on the marks that cover it, but not on other pixels; so a part
    looks the same as in a picture of the whole screen.
    """

    def __init__(self, rect: Rect) -> None:
        self.rect = rect
        self.picture = Image.new("RGB", (rect[2] - rect[0], rect[3] - rect[1]))
        self._saved: list[list[Image.Image]] = []

    def paint(self, marks: Iterable[Mark]) -> Image.Image:
        """Paint the marks in this part of the screen, and return its picture."""
        x, y = self.rect[:2]
        for paint, rect, *what in marks:
            if intersect(rect, self.rect):
                paint(self, (rect[0] - x, rect[1] - y, rect[2] - x, rect[3] - y), *what)
        return self.picture

    # The marks; Pillow leaves out what is outside the picture.

    def plain(self, rect: Rect, color: RGBA) -> None:
        """Fill a rectangle."""
        if color[3] == 255:
            self.picture.paste(color[:3], rect)
        elif seen := intersect(rect, (0, 0, *self.picture.size)):
            before = self.picture.crop(seen)
            ink = Image.new("RGB", before.size, color[:3])
            self.picture.paste(Image.blend(before, ink, color[3] / 255), seen[:2])

    def stamp(self, rect: Rect, mask: Image.Image, start: tuple[int, int], color: RGBA) -> None:
        """Paint a colour through the part of a grey mask that begins at the point `start`."""
        mask = _cut(mask, start, rect)
        if color[3] < 255:
            mask = mask.point(_faded(color[3]))
        self.picture.paste(color[:3], rect, mask)

    def show(self, rect: Rect, picture: Image.Image, start: tuple[int, int]) -> None:
        """Paint the part of a picture that begins at the point `start`."""
        picture = _cut(picture, start, rect)
        self.picture.paste(picture, rect[:2], picture if picture.mode == "RGBA" else None)

    def save_corners(self, rect: Rect, radius: int) -> None:
        """Save the pixels behind the corners of a rounded rectangle."""
        self._saved.append([self.picture.crop(square) for square in squares(rect, radius)])

    def restore_corners(self, rect: Rect, radius: int) -> None:
        """Restore the pixels outside the rounded corners that were saved last."""
        each = zip(squares(rect, radius), self._saved.pop(), strict=True)
        for number, (square, before) in enumerate(each):
            self.picture.paste(before, square[:2], _outside(radius, number))


def _cut(picture: Image.Image, start: tuple[int, int], rect: Rect) -> Image.Image:
    """Return the part of a picture that begins at a point, and has a rectangle's size."""
    (x, y), size = start, (rect[2] - rect[0], rect[3] - rect[1])
    return picture if picture.size == size else picture.crop((x, y, x + size[0], y + size[1]))


@lru_cache(64)
def _faded(alpha: int) -> list[int]:
    return [value * alpha // 255 for value in range(256)]


def squares(rect: Rect, radius: int) -> list[Rect]:
    """Return the squares of a rectangle's rounded corners, row by row."""
    left, top, right, bottom = rect
    columns = ((left, left + radius), (right - radius, right))
    rows = ((top, top + radius), (bottom - radius, bottom))
    return [(x[0], y[0], x[1], y[1]) for y in rows for x in columns]


@lru_cache(512)
def corner(radius: int, pen: int, number: int) -> Image.Image:
    """Return the mask of one of the four corners of a rounded shape: filled, or a line."""
    size = radius * _FINE
    picture = Image.new("L", (size, size))
    circle = (0, 0, 2 * size - 1, 2 * size - 1)
    if pen:
        ImageDraw.Draw(picture).ellipse(circle, None, 255, pen * _FINE)
    else:
        ImageDraw.Draw(picture).ellipse(circle, 255)
    picture = picture.reduce(_FINE)
    if number % 2:
        picture = picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    return picture if number < 2 else picture.transpose(Image.Transpose.FLIP_TOP_BOTTOM)


@lru_cache(128)
def _outside(radius: int, number: int) -> Image.Image:
    return corner(radius, 0, number).point([255 - value for value in range(256)])
