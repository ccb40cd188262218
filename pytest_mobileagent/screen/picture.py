"""Screenshots as pictures: their encodings, and the places where they resemble an image.

Phones return PNG; records have lossless WebP, which needs a fifth to a third of the space. Encoding
takes 0.2 s of processor time (1080x2400 pixels); decoding takes no longer than for PNG, 15 ms.

An image, such as an icon, is found as the same drawing in the same colours, at any size. The
similarity of two places is the correlation of their colours, from -1 to 1 (OpenCV's
TM_CCOEFF_NORMED over the three channels), minus the mean difference of the colours, from 0 to 1:
the correlation distinguishes shapes, and the difference detects drawings in fainter colours.

Measured with 10 parts cut out of 8 screens of real apps (MobileBench-OL, 1080x2400): all were found
at 0.6 to 1.7 times their size (34 searches), with a similarity of 0.89 to 1, and covered 0.98 of
their place (intersection over union); on screens without them (29 searches), nothing scored above
0.63. One of the parts, which is the edge of a window rather than an icon, was also found along that
edge (up to 0.86). A search takes 0.4 to 0.6 s of processor time.
"""

from __future__ import annotations

import io
import os
import struct
import sys
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_mobileagent.errors import ScreenError
from pytest_mobileagent.extras import check_extra
from pytest_mobileagent.fileio import opened
from pytest_mobileagent.screen.element import Bounds
from pytest_mobileagent.screen.explain import CriteriaError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PIL.Image import Image


_PNG = b"\x89PNG\r\n\x1a\n"
HEADER = 30  # bytes of a file that contain the size
# On scales from 0 to 6 and from 0 to 100; higher values take longer, and hardly shrink screens.
_METHOD, _EFFORT = 4, 80
_FORMATS = ("PNG", "WEBP", "JPEG")
_ROUNDING = 16  # the most by which encoders and decoders of JPEG differ, of 255


def is_webp(picture: bytes) -> bool:
    """Return whether a picture is WebP, by its first bytes."""
    return picture[:4] == b"RIFF" and picture[8:12] == b"WEBP"


def size_of(picture: bytes) -> tuple[int, int]:
    """Return width and height in pixels from the first `HEADER` bytes of a picture.

    In WebP (RFC 9649) the first chunk has them, less 1: in VP8L as 14 bits each, in VP8X as 24.

    Raises:
        ScreenError: if the picture is neither PNG nor such a WebP file.
    """
    header = picture[:HEADER]
    if len(header) >= 24 and header[:8] == _PNG and header[12:16] == b"IHDR":
        width, height = struct.unpack(">II", header[16:24])
        return width, height
    if is_webp(header) and len(header) == HEADER:
        if header[12:16] == b"VP8L" and header[20] == 0x2F:
            bits = int.from_bytes(header[21:25], "little")
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        if header[12:16] == b"VP8X":
            sides = header[24:27], header[27:30]
            width, height = (int.from_bytes(side, "little") + 1 for side in sides)
            return width, height
    raise ScreenError(f"the screenshot is not a PNG image: it begins {picture[:16]!r}")


def size_in(file: Path) -> tuple[int, int]:
    """Return width and height in pixels of the PNG picture in a file, from its first bytes.

    Raises:
        OSError: if the file cannot be read.
        ScreenError: if it is not such a picture; the message names the file.
    """
    with opened(file, follows=True) as content:
        begin = content.read(24)
    try:
        return size_of(begin)
    except ScreenError as error:
        raise ScreenError(str(error).replace("the screenshot", str(file), 1)) from None


def decoded(picture: bytes) -> Image:
    """Return a picture as Pillow's, in RGB.

    Raises:
        ScreenError: if the picture cannot be decoded.
    """
    from PIL import Image as image  # heavy, so imported only when needed

    try:
        return image.open(io.BytesIO(picture)).convert("RGB")
    except (OSError, SyntaxError, ValueError, image.DecompressionBombError) as error:
        msg = f"the screenshot cannot be decoded: {error} (it begins {picture[:16]!r})"
        raise ScreenError(msg) from error


def as_png(picture: bytes) -> bytes:
    """Return a picture as PNG, converted if it is WebP.

    Raises:
        ScreenError: if the picture cannot be decoded.
    """
    if not is_webp(picture):
        return picture
    from PIL import Image  # heavy, so imported only when needed

    encoded = io.BytesIO()
    try:
        with Image.open(io.BytesIO(picture)) as image:
            image.save(encoded, "PNG", icc_profile=image.info.get("icc_profile"))
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        msg = f"the screenshot cannot be decoded: {error} (it begins {picture[:16]!r})"
        raise ScreenError(msg) from error
    return encoded.getvalue()


def as_webp(png: bytes) -> bytes | None:
    """Return a PNG picture as WebP with the same pixels, if that is smaller; else None.

    Also None if WebP cannot represent the file (more than 8 bits per channel, greyscale or a
    palette, more than one frame, more than 16,383 pixels per side), or if the file is damaged.
    """
    from PIL import Image  # heavy, so imported only when needed

    packed = io.BytesIO()
    try:
        with Image.open(io.BytesIO(png), formats=["PNG"]) as image:
            if image.mode not in {"RGB", "RGBA"} or getattr(image, "n_frames", 1) != 1:
                return None
            if png[24:25] != b"\x08" or "transparency" in image.info:
                return None
            pixels, profile = image.convert("RGBA").tobytes(), image.info.get("icc_profile")
            image.save(
                packed, "WEBP", lossless=True, exact=True, method=_METHOD, quality=_EFFORT,
                **({"icc_profile": profile} if profile else {}),
            )  # fmt: skip
        with Image.open(packed) as again:
            is_same = again.convert("RGBA").tobytes() == pixels
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return None
    return packed.getvalue() if is_same and packed.tell() < len(png) else None


def is_same_picture(one: bytes, other: bytes) -> bool:
    """Return whether two pictures hardly differ, as the same picture does in two encodings.

    Raises:
        ScreenError: if one of them cannot be decoded.
    """
    from PIL import Image, ImageChops

    try:
        images = [Image.open(io.BytesIO(each), formats=_FORMATS) for each in (one, other)]
        pixels = [image.convert("RGB") for image in images]
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise ScreenError(f"a picture cannot be decoded: {error}") from error
    if pixels[0].size != pixels[1].size:
        return False
    return max(ImageChops.difference(*pixels).tobytes(), default=0) <= _ROUNDING


SIMILARITY = 0.8  # default minimum
LEAST = 0.3  # minimum similarity that a message mentions
_SCALES = [2 ** (step / 6) for step in range(-6, 7)]  # scales of the image, from 0.5 to 2
_FINE = [2 ** (step / 36) for step in range(-3, 4)]  # finer scales around a candidate's
_SIDE = 20  # pixels to which the image's shorter side is reduced in the first pass
_FINE_SIDE = 48  # the same in the second pass
_LENIENT = 0.25  # how much lower the similarity may be in the first pass
_MOST = 24  # candidates examined in the second pass


class ImageMatch(NamedTuple):
    """A place where a screenshot resembles an image, and its similarity."""

    bounds: Bounds
    similarity: float


def beside_caller(path: str | os.PathLike[str]) -> Path:
    """Return the path of an image, relative to the file that calls this package.

    Raises:
        CriteriaError: if there is no such file.
    """
    frame = sys._getframe(1)  # noqa: SLF001 - as in `warnings`
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(f"{_PACKAGE}."):
        frame = frame.f_back
    file = Path(frame.f_code.co_filename).parent / path
    if not file.is_file():
        raise CriteriaError(f"image={os.fspath(path)!r}: there is no file {file}")
    return file


_PACKAGE = __name__.partition(".")[0]


def find_image(screenshot: Image, file: Path, similarity: float = SIMILARITY) -> list[ImageMatch]:
    """Return the places where a screenshot resembles the image in a file, most similar first.

    The image may be half to twice as large on the screen as in the file; transparent parts count as
    white. Crop it from a screenshot, with little around it.

    Raises:
        CriteriaError: if the file is not an image, or has a single colour.
        MissingExtraError: if OpenCV is not installed.
    """
    check_extra("vision", "looking for image=…")
    import numpy as np  # heavy, so imported only when needed

    wanted = _read(file, file.stat().st_mtime_ns)
    pixels = np.asarray(screenshot)
    places: list[ImageMatch] = []
    for candidate in sorted(_first_look(pixels, wanted, similarity), reverse=True)[:_MOST]:
        place = _second_look(pixels, wanted, candidate)
        if place.similarity >= similarity:
            places.append(place)
    apart: list[ImageMatch] = []
    for place in sorted(places, key=lambda each: -each.similarity):
        if not any(each.bounds.contains(*place.bounds.center) for each in apart):
            apart.append(place)
    return apart


@lru_cache(maxsize=32)
def _read(file: Path, _changed: int) -> Any:
    import numpy as np
    from PIL import Image as image

    try:
        with image.open(file) as opened:
            picture = opened.convert("RGBA")
    except (OSError, SyntaxError, ValueError, image.DecompressionBombError) as error:
        msg = f"image={file.name!r}: {file} is not an image that can be read: {error}"
        raise CriteriaError(msg) from error
    white = image.new("RGBA", picture.size, "white")
    pixels = np.asarray(image.alpha_composite(white, picture).convert("RGB"))
    if min(pixels.shape[:2]) < 4 or pixels.std(axis=(0, 1)).max() < 4:
        raise CriteriaError(f"image={file.name!r}: {file} is too small, or has a single colour")
    return pixels


def _first_look(
    pixels: Any, wanted: Any, similarity: float
) -> Iterator[tuple[float, float, int, int]]:
    """Yield (similarity, scale, x, y) of candidates, found at a reduced size."""
    import cv2
    import numpy as np

    side = min(wanted.shape[:2])
    for scale in _SCALES:
        seen = min(_SIDE, side * scale)
        factor = seen / (side * scale)
        page, small = _resized(pixels, factor), _resized(wanted, seen / side)
        if page.shape[0] < small.shape[0] or page.shape[1] < small.shape[1]:
            continue
        scores = np.nan_to_num(cv2.matchTemplate(page, small, cv2.TM_CCOEFF_NORMED), posinf=0)
        peaks = scores == cv2.dilate(scores, np.ones((5, 5)))
        rows, columns = np.nonzero(peaks & (scores > similarity - _LENIENT))
        values = scores[rows, columns]
        for best in np.argsort(values)[-_MOST:]:
            x, y = round(columns[best] / factor), round(rows[best] / factor)
            yield float(values[best]), scale, x, y


def _second_look(pixels: Any, wanted: Any, candidate: tuple[float, float, int, int]) -> ImageMatch:
    """Return the place around a candidate that is most similar to the image, at a finer size."""
    import cv2
    import numpy as np

    _, coarse, x, y = candidate
    height, width = wanted.shape[:2]
    best = ImageMatch(Bounds(0, 0, 0, 0), -1.0)
    for scale in (coarse * fine for fine in _FINE):
        wide, high = round(width * scale), round(height * scale)
        margin = round(0.15 * max(wide, high)) + 2
        left, top = max(0, x - margin), max(0, y - margin)
        part = pixels[top : y + high + margin, left : x + wide + margin]
        factor = min(1.0, _FINE_SIDE / (min(height, width) * scale))
        part, small = _resized(part, factor), _resized(wanted, factor * scale)
        if part.shape[0] < small.shape[0] or part.shape[1] < small.shape[1]:
            continue
        scores = np.nan_to_num(cv2.matchTemplate(part, small, cv2.TM_CCOEFF_NORMED), posinf=0)
        _, value, _, (dx, dy) = cv2.minMaxLoc(scores)
        seen = part[dy : dy + small.shape[0], dx : dx + small.shape[1]]
        value -= float(np.abs(seen.astype(float) - small).mean()) / 255
        if value > best.similarity:
            at = left + round(dx / factor), top + round(dy / factor)
            best = ImageMatch(Bounds(*at, at[0] + wide, at[1] + high), value)
    return best


def _resized(pixels: Any, factor: float) -> Any:
    import cv2

    if factor == 1.0:
        return pixels
    size = max(1, round(pixels.shape[1] * factor)), max(1, round(pixels.shape[0] * factor))
    way = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    return cv2.resize(pixels, size, interpolation=way)
