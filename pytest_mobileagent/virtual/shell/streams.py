"""The streams of commands, and the pipe that connects two commands."""

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
        """Return up to `n` bytes (-1: all available), at least one; b"" at the end."""


class Writer(Protocol):
    """A sink for bytes."""

    async def write(self, data: bytes) -> None:
        """Accept all of `data`; raise BrokenPipeError if it will never be read."""


class Pipe:
    """A bounded pipe: writers wait for a slow reader, and fail once it has gone."""

    def __init__(self, limit: int = 65536) -> None:
        self._limit = limit
        self._buffer = bytearray()
        self._ended = False
        self._abandoned = False
        self._changed = asyncio.Event()

    async def read(self, n: int = -1) -> bytes:
        """Return up to `n` bytes (-1: all available), at least one; b"" at the end."""
        await breathe()
        while not self._buffer and not self._ended:
            await self._change()
        size = len(self._buffer) if n < 0 else n
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        self._changed.set()
        return data

    async def read_in_line(self) -> bytes:
        """Read as `read` does, but not beyond the next newline."""
        while not self._buffer and not self._ended:
            await self._change()
        return await self.read(self._buffer.find(b"\n") + 1 or -1)

    async def write(self, data: bytes) -> None:
        """Accept all of `data`, as fast as the reader catches up."""
        await breathe()
        for at in range(0, len(data), self._limit):
            while len(self._buffer) >= self._limit and not self._abandoned:
                await self._change()
            if self._abandoned:
                raise BrokenPipeError
            self._buffer += data[at : at + self._limit]
            self._changed.set()

    async def close_write(self) -> None:
        """Signal that no more data follows."""
        self._ended = True
        self._changed.set()

    def close_read(self) -> None:
        """Signal that nothing reads any more: later writes break the pipe."""
        self._abandoned = True
        self._buffer.clear()
        self._changed.set()

    async def _change(self) -> None:
        self._changed.clear()
        await self._changed.wait()


class Bytes:
    """A reader of bytes in memory."""

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
    """A writer that stores its data, for `$(...)` and other uses of a command's output.

    More than `most` bytes raise an out-of-memory error.
    """

    def __init__(self, most: float = inf) -> None:
        self._chunks: list[bytes] = []
        self._left = most

    @property
    def data(self) -> bytes:
        """All data written so far."""
        return b"".join(self._chunks)

    async def write(self, data: bytes) -> None:
        """Store `data`."""
        await breathe()
        self._left -= len(data)
        if self._left < 0:
            raise out_of_memory()
        self._chunks.append(data)

    @property
    def full(self) -> bool:
        """Whether data was discarded."""
        return self._left < 0


class Limited:
    """A writer that breaks once a number of bytes has been written."""

    def __init__(self, goal: Writer, most: int) -> None:
        self._goal = goal
        self._left = most

    async def write(self, data: bytes) -> None:
        """Pass on `data`; BrokenPipeError if the limit is exceeded."""
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
    """Return the next line with its newline, and leave everything after it to the next reader."""
    line = bytearray()
    while part := await (source.read_in_line() if isinstance(source, Pipe) else source.read(1)):
        line += part
        if part.endswith(b"\n"):
            break
        if len(line) > LINE:
            raise out_of_memory()
    return bytes(line)


async def lines_of(source: Reader) -> AsyncIterator[bytes]:
    """Yield lines with their newlines as they arrive."""
    pending = bytearray()  # of an incomplete line
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
    """Return `data` as bytes; text from `decode` yields the original bytes."""
    return data if isinstance(data, bytes) else data.encode(errors="surrogateescape")


def decode(data: bytes) -> str:
    """Return `data` as text, from which `encode` restores the same bytes."""
    return data.decode(errors="surrogateescape")
