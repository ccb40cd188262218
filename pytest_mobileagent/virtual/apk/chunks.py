"""The frame of Android's binary resource files: chunks, and the pool of strings in each file."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

STRING_POOL = 0x0001
_UTF8 = 1 << 8
_HEADER = struct.Struct("<HHI")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A typed piece of a file: its header and what the header is about."""

    kind: int
    data: bytes  # with the header
    header_size: int

    @property
    def body(self) -> bytes:
        """What follows the header."""
        return self.data[self.header_size :]


def chunk_at(data: bytes, at: int) -> Chunk:
    """Give the chunk at a place; ValueError if there is none."""
    if at + _HEADER.size > len(data):
        raise ValueError("the file ends in the middle of a chunk")
    kind, header_size, size = _HEADER.unpack_from(data, at)
    if not _HEADER.size <= header_size <= size <= len(data) - at:
        raise ValueError(f"the chunk at {at} has a wrong size")
    return Chunk(kind, data[at : at + size], header_size)


def chunks_in(data: bytes) -> Iterator[Chunk]:
    """Yield the chunks that follow one another."""
    at = 0
    while at < len(data):
        chunk = chunk_at(data, at)
        yield chunk
        at += len(chunk.data)


class Strings:
    """A pool of strings by index, each decoded when it is asked for."""

    def __init__(self, chunk: Chunk) -> None:
        count, _, flags, start, _ = struct.unpack_from("<5I", chunk.data, 8)
        self._offsets = struct.unpack_from(f"<{count}I", chunk.data, chunk.header_size)
        self._data = chunk.data[start:]
        self._utf8 = bool(flags & _UTF8)

    def __len__(self) -> int:
        return len(self._offsets)

    def __getitem__(self, index: int) -> str:
        if not 0 <= index < len(self._offsets):
            raise ValueError(f"there is no string {index}")
        at = self._offsets[index]
        if self._utf8:
            _, at = self._length(at, 1)  # in characters
            size, at = self._length(at, 1)
            return self._data[at : at + size].decode(errors="replace")
        size, at = self._length(at, 2)
        return self._data[at : at + 2 * size].decode("utf-16-le", errors="replace")

    def _length(self, at: int, width: int) -> tuple[int, int]:
        """Read a length of one or two units; the highest bit of the first tells which."""
        bits = 8 * width
        value = int.from_bytes(self._data[at : at + width], "little")
        at += width
        if value >> (bits - 1):
            low = int.from_bytes(self._data[at : at + width], "little")
            return (value & ((1 << (bits - 1)) - 1)) << bits | low, at + width
        return value, at
