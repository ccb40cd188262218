"""The surroundings of a program: user, folder, environment and streams, and pipes of those."""

from __future__ import annotations

import asyncio
import errno
import os
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pytest_mobileagent.virtual.kernel.access import UserFiles
from pytest_mobileagent.virtual.shell.limits import (
    BLOCK,
    FLUSH,
    LINE,
    MEMORY,
    breathe,
    out_of_memory,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable

    from pytest_mobileagent.virtual.phone import Phone


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
    """A writer that stores at most `most` bytes, for `$(...)` and other uses of an output."""

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


_FILE = Path(__file__).with_name("environment.txt")
_ENVIRONMENT = dict(line.split("=", 1) for line in _FILE.read_text().splitlines())


def default_environment() -> dict[str, str]:
    """Return the environment that adbd passes to every shell."""
    return dict(_ENVIRONMENT)


@dataclass(kw_only=True)
class Session:
    """The surroundings of a process: its phone, user, folder, environment and streams.

    User 0 is root, and 2000 is shell; users from 10000 on are apps.
    """

    phone: Phone
    uid: int
    stdin: Reader
    stdout: Writer
    stderr: Writer
    cwd: str = "/"
    env: dict[str, str] = field(default_factory=default_environment)
    tty: bool = False

    @property
    def files(self) -> UserFiles:
        """The file system as this user sees it from the current folder."""
        return UserFiles(self.phone.files, self.uid, self.cwd)

    def path(self, name: str) -> str:
        """Return the absolute path of a name."""
        return self.phone.files.absolute(name, self.cwd)

    def reader(self, name: str) -> Reader:
        """Open a file, or a device such as /dev/zero, for reading."""
        match self.path(name):
            case "/dev/zero":
                return _Endless(bytes)
            case "/dev/random" | "/dev/urandom":
                return _Endless(os.urandom)
            case "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" | "/dev/tty":
                return self.stdin
            case "/proc/net/unix":
                return Bytes(_unix_sockets(self.phone).encode())
        return Bytes(self.files.read(name))

    def writer(self, name: str, *, append: bool = False) -> Writer:
        """Open a device, or a file, which is truncated unless `append`."""
        match self.path(name):
            case "/dev/null" | "/dev/zero" | "/dev/random" | "/dev/urandom":
                return _Nowhere()
            case "/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1" | "/dev/tty":
                return self.stdout
            case "/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2":
                return self.stderr
        self.files.write(name, b"", append=append)
        return _FileWriter(self.files, name)


def _unix_sockets(phone: Phone) -> str:
    """List the local sockets that the phone listens on, in the kernel's format."""
    kind = "localabstract:"
    names = [each.removeprefix(kind) for each in phone.sockets if each.startswith(kind)]
    rows = [
        f"0000000000000000: 00000002 00000000 00010000 0001 01 {30000 + at:5} @{name}\n"
        for at, name in enumerate(names)
    ]
    return "Num       RefCount Protocol Flags    Type St Inode Path\n" + "".join(rows)


class Closed:
    """A closed stream: every operation fails."""

    async def read(self, n: int = -1) -> bytes:
        """Fail."""
        raise OSError(errno.EBADF, "Bad file descriptor")

    async def write(self, data: bytes) -> None:
        """Fail."""
        raise OSError(errno.EBADF, "Bad file descriptor")


class _Endless:
    """/dev/zero and /dev/urandom."""

    def __init__(self, make: Callable[[int], bytes]) -> None:
        self._make = make

    async def read(self, n: int = -1) -> bytes:
        await breathe()
        return self._make(BLOCK if n < 0 else min(n, 1 << 20))


class _Nowhere:
    """/dev/null."""

    async def write(self, data: bytes) -> None:
        await breathe()


class _FileWriter:
    """A file that is open for writing: data is in the file immediately.

    A large file would be copied at every write. Therefore, the larger the file, the more data is
    buffered before it is written; the rest is written after a delay.
    """

    def __init__(self, files: UserFiles, name: str) -> None:
        self._files = files
        self._name = name
        self._size = len(files.stat(name).data)
        self._pending = bytearray()
        self._timer: asyncio.TimerHandle | None = None

    async def write(self, data: bytes) -> None:
        await breathe()
        self._pending += data
        many = len(self._pending) * 8 >= self._size or self._size < (1 << 20)
        if many or self._files.room < len(self._pending):
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(FLUSH, self._flush_late)

    def flush(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer, data = None, bytes(self._pending)
        self._pending.clear()
        if data:
            self._files.write(self._name, data, append=True)
            self._size += len(data)

    def _flush_late(self) -> None:
        with suppress(OSError):  # for example if the folder is gone: the next write reports it
            self.flush()


def flush(writers: Iterable[Writer]) -> None:
    """Write buffered data to files."""
    for each in writers:
        if isinstance(each, _FileWriter):
            each.flush()
