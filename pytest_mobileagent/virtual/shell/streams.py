"""What a command reads from and writes to, and the pipe that joins two commands."""

from __future__ import annotations

import asyncio
from math import inf
from typing import TYPE_CHECKING, Protocol

from pytest_mobileagent.virtual.shell.limits import BLOCK, LINE, MEMORY, breathe, out_of_memory

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class Reader(Protocol):
    """A source of bytes."""

    async def read(self, n: int = -1) -> bytes:
        """Return up to `n` bytes (-1: whatever is there), at least one; b"" at the end."""


class Writer(Protocol):
    """A sink for bytes."""

    async def write(self, data: bytes) -> None:
        """Take all of `data`; raise BrokenPipeError when nobody will ever read it."""


class Pipe:
    """A bounded pipe: writers wait for a slow reader, and learn when it has gone."""

    def __init__(self, limit: int = 65536) -> None:
        self._limit = limit
        self._buffer = bytearray()
        self._ended = False
        self._abandoned = False
        self._changed = asyncio.Event()

    async def read(self, n: int = -1) -> bytes:
        """Return up to `n` bytes (-1: whatever is there), at least one; b"" at the end."""
        await breathe()
        while not self._buffer and not self._ended:
            await self._change()
        size = len(self._buffer) if n < 0 else n
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        self._changed.set()
        return data

    async def write(self, data: bytes) -> None:
        """Take all of `data`, as the reader catches up."""
        await breathe()
        for at in range(0, len(data), self._limit):
            while len(self._buffer) >= self._limit and not self._abandoned:
                await self._change()
            if self._abandoned:
                raise BrokenPipeError
            self._buffer += data[at : at + self._limit]
            self._changed.set()

    async def close_write(self) -> None:
        """Say that nothing more comes."""
        self._ended = True
        self._changed.set()

    def close_read(self) -> None:
        """Say that nobody reads any more: what is written from now on breaks the pipe."""
        self._abandoned = True
        self._buffer.clear()
        self._changed.set()

    async def _change(self) -> None:
        self._changed.clear()
        await self._changed.wait()


class Bytes:
    """A reader over bytes that are already there."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    async def read(self, n: int = -1) -> bytes:
        """Return the next `n` bytes, or the next block."""
        await breathe()
        end = self._at + (BLOCK if n < 0 else n)
        chunk, self._at = self._data[self._at : end], min(end, len(self._data))
        return chunk


class Collected:
    """A writer that keeps what was written, for `$(...)` and for whoever wants the output.

    What is more than `most` bytes is out of memory.
    """

    def __init__(self, most: float = inf) -> None:
        self._chunks: list[bytes] = []
        self._left = most

    @property
    def data(self) -> bytes:
        """All that was written so far."""
        return b"".join(self._chunks)

    async def write(self, data: bytes) -> None:
        """Keep `data`."""
        await breathe()
        self._left -= len(data)
        if self._left < 0:
            raise out_of_memory()
        self._chunks.append(data)

    @property
    def full(self) -> bool:
        """Whether something was not kept."""
        return self._left < 0


class Limited:
    """A writer that nobody reads any more once so many bytes were written."""

    def __init__(self, goal: Writer, most: int) -> None:
        self._goal = goal
        self._left = most

    async def write(self, data: bytes) -> None:
        """Hand on `data`; BrokenPipeError where that is too much."""
        await breathe()
        self._left -= len(data)
        if self._left < 0:
            raise BrokenPipeError
        await self._goal.write(data)


async def pour(source: Reader, goal: Writer) -> None:
    """Copy everything up to the end, as it arrives."""
    while data := await source.read():
        await goal.write(data)


async def read_all(source: Reader) -> bytes:
    """Return everything up to the end."""
    data = bytearray()
    while chunk := await source.read():
        data += chunk
        if len(data) > MEMORY:  # /dev/zero has no end
            raise out_of_memory()
    return bytes(data)


async def read_line(source: Reader) -> bytes:
    """Return the next line with its newline, and not a byte more: that is for the next reader."""
    line = bytearray()
    while byte := await source.read(1):
        line += byte
        if byte == b"\n":
            break
        if len(line) > LINE:
            raise out_of_memory()
    return bytes(line)


async def lines_of(source: Reader) -> AsyncIterator[bytes]:
    """Yield lines with their newlines as they arrive."""
    pending = bytearray()  # of a line that is not complete
    while chunk := await source.read():
        first, *others = chunk.split(b"\n")
        pending += first
        for part in others:
            await breathe()
            yield bytes(pending) + b"\n"
            pending = bytearray(part)
        if len(pending) > LINE:
            raise out_of_memory()
    if pending:
        yield bytes(pending)


def encode(data: str | bytes) -> bytes:
    """Return `data` as bytes; bytes that were once read as text come out as they were."""
    return data if isinstance(data, bytes) else data.encode(errors="surrogateescape")


def decode(data: bytes) -> str:
    """Return `data` as text from which `encode` makes the same bytes again."""
    return data.decode(errors="surrogateescape")
