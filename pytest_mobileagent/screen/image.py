"""Finds images, such as icons, in a screenshot: the same drawing in the same colours, at any size.

The similarity of two places is the correlation of their colours, from -1 to 1 (OpenCV's
TM_CCOEFF_NORMED over the three channels), minus the mean difference of the colours, from 0 to 1:
the correlation distinguishes shapes, and the difference detects drawings in fainter colours.

Measured with 10 parts cut out of 8 screens of real apps (MobileBench-OL, 1080x2400): all were found
at 0.6 to 1.7 times their size (34 searches), with a similarity of 0.89 to 1, and covered 0.98 of
their place (intersection over union); on screens without them (29 searches), nothing scored above
0.63. One of the parts, which is the edge of a window rather than an icon, was also found along that
edge (up to 0.86). A search takes 0.4 to 0.6 s of processor time.
"""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_mobileagent.extras import check_extra
from pytest_mobileagent.screen.element import Bounds
from pytest_mobileagent.screen.explain import CriteriaError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PIL.Image import Image

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
    """Return an image's pixels, as an array of RGB rows."""
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
