"""PNG files, and screenshots whose unchanged rows are neither painted nor compressed again."""

from __future__ import annotations

import struct
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from isal.isal_zlib import DEFLATED, Z_FULL_FLUSH, adler32, compressobj, crc32

from pytest_mobileagent.virtual.ui.canvas import Part

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from PIL.Image import Image

    from pytest_mobileagent.virtual.ui.canvas import Mark

_ROWS = 64  # of pixels in a band
_START, _END = b"\x78\x01", b"\x03\x00"  # of zlib data: its header, and an empty last block
_NO_HEADER = -15  # bits of the window, negative for deflate's data alone
_ADLER = 65521  # the modulus of Adler-32


class Band(NamedTuple):
    """Some rows of a picture, compressed independently of the others."""

    data: bytes
    size: int  # of the bytes before compression
    check: int  # their Adler-32


class _Kept(NamedTuple):
    """A band with the marks that made it; None before the first screenshot."""

    marks: list[Mark]
    band: Band | None


class Screenshots:
    """Takes screenshots, and keeps the bands of the last one with the marks that made them."""

    def __init__(self) -> None:
        self._size = (0, 0)
        self._kept: list[_Kept] = []

    def take(self, marks: Sequence[Mark], size: tuple[int, int]) -> bytes:
        """Return a screen of a size in pixels, painted from marks, as PNG."""
        wanted = _by_band(marks, size[1])
        if size != self._size:
            self._size, self._kept = size, [_Kept([], None)] * len(wanted)
        kept = self._kept
        changed = [each.band is None or each.marks != new
                   for each, new in zip(kept, wanted, strict=True)]  # fmt: skip
        for is_changed, run in groupby(range(len(wanted)), changed.__getitem__):
            if is_changed:
                places = list(run)
                top, bottom = places[0] * _ROWS, min((places[-1] + 1) * _ROWS, size[1])
                picture = Part((0, top, size[0], bottom)).paint(marks)
                for at, band in zip(places, _bands(picture), strict=True):
                    kept[at] = _Kept(wanted[at], band)
        return _file(size, [each.band for each in kept if each.band])


def _by_band(marks: Iterable[Mark], height: int) -> list[list[Mark]]:
    """Return the marks that may change each band of a picture."""
    bands: list[list[Mark]] = [[] for _ in range(0, height, _ROWS)]
    for mark in marks:
        _, top, _, bottom = mark[1]
        for band in bands[max(0, top) // _ROWS : max(0, bottom - 1) // _ROWS + 1]:
            band.append(mark)
    return bands


def png(picture: Image) -> bytes:
    """Encode a picture without its alpha channel, for speed rather than size."""
    return _file(picture.size, list(_bands(picture)))


def _bands(picture: Image) -> Iterator[Band]:
    """Compress a picture band by band.

    Pillow tries five filters on every row, which takes longer than all of the painting, although
    flat colours need none. Each row of a PNG begins with the number of its filter, here 0. `stride`
    makes each row one byte longer, at its end; shifting the data by one byte moves it to the start.
    """
    width = picture.width
    rows = b"\0" + picture.tobytes("raw", "RGB", width * 3 + 1)[:-1]
    step = _ROWS * (width * 3 + 1)
    for at in range(0, len(rows), step):
        part = rows[at : at + step]
        deflate = compressobj(1, DEFLATED, _NO_HEADER)
        yield Band(deflate.compress(part) + deflate.flush(Z_FULL_FLUSH), len(part), adler32(part))


def _file(size: tuple[int, int], bands: Sequence[Band]) -> bytes:
    """Return the PNG file of a picture from its bands."""
    packed = b"".join([_START, *(band.data for band in bands), _END, _check(bands)])
    header = struct.pack(">IIBBBBB", *size, 8, 2, 0, 0, 0)
    chunks = {b"IHDR": header, b"IDAT": packed, b"IEND": b""}
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks.items())


def _check(bands: Sequence[Band]) -> bytes:
    """Return the Adler-32 of the bands' bytes together (RFC 1950).

    Its low half is 1 plus the sum of all bytes, its high half the sum of the low halves at each.
    """
    low, high = 1, 0
    for band in bands:
        high += (band.check >> 16) + (low - 1) * band.size
        low += (band.check & 0xFFFF) - 1
    return struct.pack(">HH", high % _ADLER, low % _ADLER)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc32(kind + data))
