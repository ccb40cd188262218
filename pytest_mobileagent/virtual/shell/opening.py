"""Opens what a name stands for: a file of the phone, or a device such as /dev/null."""

from __future__ import annotations

import errno
import random
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.streams import Bytes
from pytest_mobileagent.virtual.shell.userfiles import UserFiles

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.session import Session
    from pytest_mobileagent.virtual.shell.streams import Reader, Writer

_BLOCK = 65536


def open_reader(name: str, session: Session) -> Reader:
    """Open a file or a device for reading."""
    match session.phone.files.absolute(name, session.cwd):
        case "/dev/zero":
            return _Endless(random=False)
        case "/dev/random" | "/dev/urandom":
            return _Endless(random=True)
        case "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" | "/dev/tty":
            return session.stdin
        case "/proc/net/unix":
            return Bytes(_unix_sockets(session).encode())
    return Bytes(UserFiles(session.phone.files, session.uid, session.cwd).read(name))


def open_writer(name: str, session: Session, *, append: bool = False) -> Writer:
    """Open a file, which is emptied unless `append`, or a device for writing."""
    match session.phone.files.absolute(name, session.cwd):
        case "/dev/null" | "/dev/zero" | "/dev/random" | "/dev/urandom":
            return _Nowhere()
        case "/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1" | "/dev/tty":
            return session.stdout
        case "/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2":
            return session.stderr
    files = UserFiles(session.phone.files, session.uid, session.cwd)
    files.write(name, b"", append=append)
    return _FileWriter(files, name)


def _unix_sockets(session: Session) -> str:
    """List the local sockets on which the phone listens, as the kernel does."""
    kind = "localabstract:"
    rows = [
        f"0000000000000000: 00000002 00000000 00010000 0001 01 {30000 + at:5} @{name}\n"
        for at, name in enumerate(
            address.removeprefix(kind)
            for address in session.phone.sockets
            if address.startswith(kind)
        )
    ]
    return "Num       RefCount Protocol Flags    Type St Inode Path\n" + "".join(rows)


class Closed:
    """What is left of a stream that was closed: everything fails."""

    async def read(self, n: int = -1) -> bytes:  # noqa: ARG002 - the protocol has it
        """Fail."""
        raise OSError(errno.EBADF, "Bad file descriptor")

    async def read_all(self) -> bytes:
        """Fail."""
        return await self.read()

    async def write(self, data: bytes) -> None:  # noqa: ARG002 - the protocol has it
        """Fail."""
        raise OSError(errno.EBADF, "Bad file descriptor")

    async def close_write(self) -> None:
        """Do nothing."""


class _Endless:
    """/dev/zero and /dev/urandom."""

    def __init__(self, *, random: bool) -> None:
        self._random = random

    async def read(self, n: int = -1) -> bytes:
        size = _BLOCK if n < 0 else n
        return random.randbytes(size) if self._random else bytes(size)

    async def read_all(self) -> bytes:
        raise OSError(errno.ENOMEM, "Out of memory")


class _Nowhere:
    """/dev/null."""

    async def write(self, data: bytes) -> None:
        """Forget `data`."""

    async def close_write(self) -> None:
        """Do nothing."""


class _FileWriter:
    """A file that is open for writing: what is written is at once in the file."""

    def __init__(self, files: UserFiles, name: str) -> None:
        self._files = files
        self._name = name

    async def write(self, data: bytes) -> None:
        self._files.write(self._name, data, append=True)

    async def close_write(self) -> None:
        """Do nothing."""
