"""Scales and encodes pictures for a model.

A dialect's `Frame` needs the size of a scaled picture as `shown`, to map points back to the screen.
"""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from PIL.Image import Image


def encode(image: Image, kind: Literal["png", "jpeg"] = "png", quality: int = 85) -> bytes:
    """Return an image as the bytes of a PNG or JPEG file; `quality` is for JPEG."""
    stream = io.BytesIO()
    if kind == "png":
        image.save(stream, "png", compress_level=1)
    else:
        rgb = image if image.mode in {"RGB", "L"} else image.convert("RGB")
        rgb.save(stream, "jpeg", quality=quality)
    return stream.getvalue()


def resized(image: Image, size: tuple[int, int]) -> Image:
    """Return the image resized to (width, height) pixels, without keeping its aspect ratio."""
    from PIL import Image as image_

    return image.copy() if image.size == size else image.resize(size, image_.Resampling.BILINEAR)


def scaled(image: Image, factor: float) -> Image:
    """Return the image with its sides multiplied by `factor`, rounded down, at least one pixel."""
    width, height = image.size
    return resized(image, (max(1, int(width * factor)), max(1, int(height * factor))))


def fit(image: Image, longest: int) -> Image:
    """Return the image, scaled down if its longer side has more than `longest` pixels."""
    width, height = image.size
    if max(width, height) <= longest:
        return image.copy()
    factor = longest / max(width, height)
    return resized(image, (max(1, round(width * factor)), max(1, round(height * factor))))


def square(image: Image, side: int) -> Image:
    """Return the image resized to a square, for models with a fixed input size."""
    return resized(image, (side, side))


def smart_size(
    width: int,
    height: int,
    factor: int = 28,
    least: int = 100 * 28 * 28,
    most: int = 16384 * 28 * 28,
) -> tuple[int, int]:
    """Return the size (width, height) to which Qwen's vision models resize a picture.

    Both sides become the nearest multiples of `factor`. If the result has fewer than `least` or
    more than `most` pixels, the picture is scaled, keeping its aspect ratio as far as possible.
    Source: `smart_resize` of Qwen2-VL (arXiv:2409.12191), with the bounds that UI-TARS uses.

    Raises:
        ValueError: if one side is more than 200 times as long as the other, or is less than one
            pixel.
    """
    if min(width, height) < 1 or max(width, height) > 200 * min(width, height):
        msg = f"a picture of {width}x{height} pixels is too narrow for smart resizing"
        raise ValueError(msg)
    wide, high = (max(factor, round(side / factor) * factor) for side in (width, height))
    if wide * high > most:
        shrink = math.sqrt(width * height / most)
        wide, high = (
            max(factor, math.floor(side / shrink / factor) * factor) for side in (width, height)
        )
    elif wide * high < least:
        grow = math.sqrt(least / (width * height))
        wide, high = (math.ceil(side * grow / factor) * factor for side in (width, height))
    return wide, high
