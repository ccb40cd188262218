"""Decoding of pictures for Image views, and encoding of screenshots as PNG."""

from __future__ import annotations

import io
import math
import struct
from functools import lru_cache

from isal.isal_zlib import compressobj, crc32
from PIL import Image, ImageDraw, ImageOps

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
    fine = 4
    picture = Image.new("L", (size * fine, size * fine))
    middle, angle, draw = size * fine / 2, 2 * math.pi * turn, ImageDraw.Draw(picture)
    end = (middle + middle * reach * math.sin(angle), middle - middle * reach * math.cos(angle))
    draw.line((middle, middle, *end), 255, pen * fine)
    draw.circle((middle, middle), 2 * pen * fine, 255)
    return picture.reduce(fine)


def png(picture: Image.Image) -> bytes:
    """Encode a picture without its alpha channel, for speed rather than size.

    Pillow tries five filters on every row, which takes longer than all of the drawing, although
    flat colours need none. Each row of a PNG begins with the number of its filter, here 0. `stride`
    makes each row one byte longer, at its end; shifting all the data by one byte moves it to the
    start.
    """
    width, height = picture.size
    rows = memoryview(picture.tobytes("raw", "RGB", width * 3 + 1))
    deflate = compressobj(1)
    data = deflate.compress(b"\0") + deflate.compress(rows[:-1]) + deflate.flush()
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = {b"IHDR": header, b"IDAT": data, b"IEND": b""}
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks.items())


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc32(kind + data))
