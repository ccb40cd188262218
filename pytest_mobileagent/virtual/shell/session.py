"""The surroundings of a program: user, folder, environment and streams."""

from __future__ import annotations

import asyncio
import errno
import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.kernel.access import UserFiles
from pytest_mobileagent.virtual.shell.limits import BLOCK, FLUSH, breathe
from pytest_mobileagent.virtual.shell.streams import Bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.shell.streams import Reader, Writer

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
        """Discard `data`."""
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
        """Write the buffered data to the file."""
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
