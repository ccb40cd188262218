"""A canvas to paint on, as a list of marks from which any part of it can be painted."""

from __future__ import annotations

import io
import math
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from PIL import Image, ImageDraw, ImageFilter, ImageOps

from pytest_mobileagent.virtual.ui import text as roboto
from pytest_mobileagent.virtual.ui.metrics import Metrics, Rect, aligned, intersect
from pytest_mobileagent.virtual.ui.theme import DRAWINGS, flipped, icon
from pytest_mobileagent.virtual.ui.views import Icon, Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_mobileagent.virtual.ui.layout import Box
    from pytest_mobileagent.virtual.ui.theme import RGBA, Theme

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


class Canvas:
    """A screen in pixels, initially black; painting, within a clipping rectangle, adds `marks`."""

    def __init__(self, width: int, height: int) -> None:
        self.marks: list[Mark] = []
        self.size = (width, height)
        self._screen = self._clip = (0, 0, width, height)

    @property
    def picture(self) -> Image.Image:
        """What is painted so far."""
        return Part(self._screen).paint(self.marks)

    @contextmanager
    def clipped(self, clip: Rect) -> Iterator[None]:
        """Limit painting to another rectangle within the context."""
        before, self._clip = self._clip, clip
        yield
        self._clip = before

    def fill(self, rect: Rect, color: RGBA, radius: int = 0) -> None:
        """Fill a rectangle, whose corners may be rounded."""
        radius = min(radius, (rect[2] - rect[0]) // 2, (rect[3] - rect[1]) // 2)
        if radius <= 0:
            self._plain(rect, color)
            return
        left, top, right, bottom = rect
        self._plain((left, top + radius, right, bottom - radius), color)
        self._plain((left + radius, top, right - radius, top + radius), color)
        self._plain((left + radius, bottom - radius, right - radius, bottom), color)
        self._corners(rect, color, radius, 0)

    def outline(self, rect: Rect, color: RGBA, radius: int, pen: int) -> None:
        """Draw a line, `pen` pixels wide, inside the edge of a rounded rectangle."""
        left, top, right, bottom = rect
        radius = min(radius, (right - left) // 2, (bottom - top) // 2)
        self._plain((left + radius, top, right - radius, top + pen), color)
        self._plain((left + radius, bottom - pen, right - radius, bottom), color)
        self._plain((left, top + radius, left + pen, bottom - radius), color)
        self._plain((right - pen, top + radius, right, bottom - radius), color)
        if radius:
            self._corners(rect, color, radius, pen)

    def stamp(self, mask: Image.Image, at: tuple[int, int], color: RGBA) -> None:
        """Paint a colour through a grey mask whose upper left corner is at the point `at`."""
        left, top = at
        if seen := intersect((left, top, left + mask.width, top + mask.height), self._clip):
            self.marks.append((Part.stamp, seen, mask, (seen[0] - left, seen[1] - top), color))

    def show(self, picture: Image.Image, rect: Rect, radius: int = 0) -> None:
        """Paint a picture that has the size of the rectangle, and that does not change later."""
        if seen := intersect(rect, self._clip):
            with self.rounded(rect, radius):
                start = (seen[0] - rect[0], seen[1] - rect[1])
                self.marks.append((Part.show, seen, picture, start))

    def shadow(self, rect: Rect, radius: int, depth: int) -> None:
        """Paint the shadow of an elevated rectangle."""
        mask = _shadow(rect[2] - rect[0], rect[3] - rect[1], radius, depth)
        at = (rect[0] - 2 * depth, rect[1] - 2 * depth + depth // 2)
        self.stamp(mask, at, (0, 0, 0, 90))

    def color_at(self, x: int, y: int) -> RGBA:
        """Return the colour of a pixel, or black outside the picture."""
        pixel = (x, y, x + 1, y + 1)
        if not intersect(pixel, self._screen):
            return 0, 0, 0, 255
        color = Part(pixel).paint(self.marks).getpixel((0, 0))
        assert isinstance(color, tuple)  # a single-band picture would return a number
        red, green, blue = map(int, color)
        return red, green, blue, 255

    @contextmanager
    def rounded(self, rect: Rect, radius: int) -> Iterator[None]:
        """Let nothing be painted outside the rounded corners of a rectangle within the context."""
        if radius:
            self.marks.append((Part.save_corners, rect, radius))
        yield
        if radius:
            self.marks.append((Part.restore_corners, rect, radius))

    def _plain(self, rect: Rect, color: RGBA) -> None:
        if color[3] and (seen := intersect(rect, self._clip)):
            self.marks.append((Part.plain, seen, color))

    def _corners(self, rect: Rect, color: RGBA, radius: int, pen: int) -> None:
        for number, square in enumerate(squares(rect, radius)):
            self.stamp(corner(radius, pen, number), square[:2], color)


@lru_cache(32)
def _shadow(width: int, height: int, radius: int, depth: int) -> Image.Image:
    """Return the mask of a blurred rounded rectangle; drawn at a quarter of the size for speed."""
    room = 2 * depth
    small = Image.new("L", ((width + 2 * room) // 4 + 1, (height + 2 * room) // 4 + 1))
    shape = (room // 4, room // 4, (room + width) // 4, (room + height) // 4)
    ImageDraw.Draw(small).rounded_rectangle(shape, radius // 4, 255)
    soft = small.filter(ImageFilter.GaussianBlur(depth / 6))
    return soft.resize((width + 2 * room, height + 2 * room), Image.Resampling.BILINEAR)


_BROKEN = "#bdbdbd"


@lru_cache(64)
def cover(data: bytes, width: int, height: int) -> Image.Image:
    """Decode a picture, scaled and cropped to cover an area; grey if the data is broken."""
    try:
        with Image.open(io.BytesIO(data)) as picture:
            mode = "RGBA" if picture.has_transparency_data else "RGB"
            return ImageOps.fit(picture.convert(mode), (width, height))
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return Image.new("RGB", (width, height), _BROKEN)


@lru_cache(16)
def hand(size: int, turn: float, reach: float, pen: int) -> Image.Image:
    """Return the mask of a dial's hand, from the centre towards the edge."""
    picture = Image.new("L", (size * _FINE, size * _FINE))
    middle, angle, draw = size * _FINE / 2, 2 * math.pi * turn, ImageDraw.Draw(picture)
    end = (middle + middle * reach * math.sin(angle), middle - middle * reach * math.cos(angle))
    draw.line((middle, middle, *end), 255, pen * _FINE)
    draw.circle((middle, middle), 2 * pen * _FINE, 255)
    return picture.reduce(_FINE)


@dataclass(frozen=True, slots=True)
class Brush:
    """What painting a view requires; the canvas is clipped to the visible part of the view."""

    canvas: Canvas
    theme: Theme
    box: Box

    @property
    def metrics(self) -> Metrics:
        """The metrics of the display that the view was laid out for."""
        return self.box.metrics

    def ink(self, color: str) -> RGBA:
        """Return a colour, translucent if the view is disabled."""
        red, green, blue, alpha = self.theme(color)
        return (red, green, blue, alpha if self.box.view.enabled else alpha * 38 // 100)

    def source(self, source: Source, room: Rect, ink: RGBA) -> None:
        """Paint an icon, an app icon or a picture."""
        clip = intersect(room, self.box.visible)
        if clip and source:
            with self.canvas.clipped(clip):
                self._source(source, room, ink)

    def _source(self, source: Source, room: Rect, ink: RGBA) -> None:
        width, height = room[2] - room[0], room[3] - room[1]
        if isinstance(source, bytes):
            radius = self.metrics.px(self.box.view.corner)
            self.canvas.show(cover(source, width, height), room, radius)
            return
        size = min(width, height)
        square = aligned("center", (size, size), room)
        if isinstance(source, Icon):
            self.canvas.fill(square, self.theme(source.color), size // 2)
            self._glyph(source, square)
        else:
            mask = flipped(source, size) if self.metrics.rtl else icon(source, size)
            self.canvas.stamp(mask, square[:2], ink)

    def _glyph(self, source: Icon, disc: Rect) -> None:
        size = disc[2] - disc[0]
        if source.glyph in DRAWINGS:
            mask = icon(source.glyph, size * 56 // 100)
        else:
            mask = roboto.mask(source.glyph, max(1, size // 2), True)
        place = aligned("center", mask.size, disc)
        self.canvas.stamp(mask, place[:2], self.theme(source.ink))
