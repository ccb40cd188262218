"""The sync service: file listing and transfer for `adb push`, `adb pull` and similar commands."""

from __future__ import annotations

import errno
import posixpath
import stat as modes
import struct
from contextlib import suppress
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.kernel.access import UserFiles
from pytest_mobileagent.virtual.shell.commands.listing import full_mode, inode, size

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.files import FileSystem
    from pytest_mobileagent.virtual.wire.stream import Stream


_REQUEST = struct.Struct("<4sI")
_STAT = struct.Struct("<III")  # mode, size, time
_STAT2 = struct.Struct("<IQQIIIIQqqq")  # errno, device, inode, mode, links, owner, size, times
_LENGTH = struct.Struct("<I")
_LONGEST_PATH = 1024
_BLOCK = 1 << 16  # bytes that we send
_LARGEST_BLOCK = 1 << 20  # bytes that we accept

_DEVICE = 0xFE00


class _Refusal(Exception):
    """The message that adbd sends the client before it closes the stream."""


async def serve(files: FileSystem, uid: int, stream: Stream) -> None:
    """Answer requests until the client quits, or a request fails."""
    sync = _Sync(files, uid, stream)
    try:
        while await sync.answer():
            pass
    except _Refusal as refusal:
        text = str(refusal).encode()
        await stream.write(_REQUEST.pack(b"FAIL", len(text)) + text)


class _Sync:
    """A client's requests, with the rights of a user."""

    def __init__(self, files: FileSystem, uid: int, stream: Stream) -> None:
        self._files = UserFiles(files, uid, "/")
        self._stream = stream
        self._capacity = files.capacity

    async def answer(self) -> bool:
        command, size = await self._header()
        if size > _LONGEST_PATH:
            raise _Refusal("path too long")
        path = (await self._stream.read_exactly(size)).decode(errors="surrogateescape")
        match command:
            case b"STAT":
                await self._stream.write(command + self._stat1(path))
            case b"STA2" | b"LST2":
                await self._stream.write(command + self._stat2(path, follow=command == b"STA2"))
            case b"LIST":
                await self._list(path, b"DENT", _STAT)
            case b"LIS2":
                await self._list(path, b"DNT2", _STAT2)
            case b"RECV":
                await self._receive(path)
            case b"SEND":
                await self._send(path)
            case b"QUIT":
                return False
            case _:
                raise _Refusal(f"unknown command {int.from_bytes(command, 'little'):08x}")
        return True

    # Reading

    def _stat1(self, path: str, *, follow: bool = False) -> bytes:
        node = self._files.find(path, follow=follow)
        if node is None:
            return _STAT.pack(0, 0, 0)
        return _STAT.pack(full_mode(node), size(node) & 0xFFFFFFFF, int(node.mtime) & 0xFFFFFFFF)

    def _stat2(self, path: str, *, follow: bool) -> bytes:
        try:
            node = self._files.stat(path, follow=follow)
        except OSError as error:
            return _STAT2.pack(error.errno or errno.EIO, *[0] * 10)
        time = int(node.mtime)
        about = (full_mode(node), 1, node.uid, node.gid, size(node), time, time, time)
        return _STAT2.pack(0, _DEVICE, inode(path), *about)

    async def _list(self, folder: str, kind: bytes, form: struct.Struct) -> None:
        """Send all entries of a folder; an unreadable folder appears empty."""
        try:
            names = [".", "..", *self._files.listdir(folder)]
        except OSError:
            names = []
        for name in names:
            path = posixpath.join(folder, name)
            look = self._stat1 if form is _STAT else self._stat2
            about = look(path, follow=name in {".", ".."})  # through a link to the folder itself
            encoded = name.encode(errors="surrogateescape")
            await self._stream.write(kind + about + _LENGTH.pack(len(encoded)) + encoded)
        await self._stream.write(b"DONE" + bytes(form.size + _LENGTH.size))

    # Writing

    async def _receive(self, path: str) -> None:
        try:
            data = self._files.read(path)
        except OSError as error:
            raise _Refusal(f"open failed: {error.strerror}") from error
        for start in range(0, len(data), _BLOCK):
            block = data[start : start + _BLOCK]
            await self._stream.write(_REQUEST.pack(b"DATA", len(block)) + block)
        await self._stream.write(_REQUEST.pack(b"DONE", 0))

    async def _send(self, spec: str) -> None:
        path, comma, digits = spec.rpartition(",")
        if not comma:
            raise _Refusal("missing , in ID_SEND_V1")
        mode = int(digits) if digits.isdecimal() else 0
        data, time = await self._data()
        try:
            self._make_room(path)
            if modes.S_ISLNK(mode):
                self._files.symlink(data.rstrip(b"\0").decode(errors="surrogateescape"), path)
            else:
                self._files.write(path, data)
        except OSError as error:
            reason = "write failed" if error.errno == errno.ENOSPC else "couldn't create file"
            raise _Refusal(f"{reason}: {error.strerror}") from error
        if not modes.S_ISLNK(mode):
            self._decorate(path, mode, time)
        await self._stream.write(_REQUEST.pack(b"OKAY", 0))

    async def _data(self) -> tuple[bytes, int]:
        """Receive the blocks of a file, and its time; data that exceeds the storage is dropped."""
        blocks, total = [], 0
        while True:
            command, size = await self._header()
            if command == b"DONE":
                break
            if command != b"DATA" or size > _LARGEST_BLOCK:
                raise _Refusal("invalid data message")
            block = await self._stream.read_exactly(size)
            total += size
            if total <= self._capacity:
                blocks.append(block)
        if total > self._capacity:
            raise _Refusal("write failed: No space left on device")
        return b"".join(blocks), size

    def _make_room(self, path: str) -> None:
        """Create the folders above a new file, or remove the file that it replaces."""
        folder = posixpath.dirname(path)
        if not self._files.is_dir(folder):
            self._make_folders(folder)
        old = self._files.find(path, follow=False)
        if old and old.kind != "dir":
            with suppress(OSError):  # overwriting it may still be allowed
                self._files.remove(path)

    def _make_folders(self, folder: str) -> None:
        parts = folder.strip("/").split("/")
        for depth in range(1, len(parts) + 1):
            try:
                self._files.mkdir("/" + "/".join(parts[:depth]), 0o775)
            except FileExistsError:
                pass
            except OSError as error:
                raise _Refusal(f"secure_mkdirs() failed: {error.strerror}") from error

    def _decorate(self, path: str, mode: int, time: int) -> None:
        """Set mode and time if the storage supports them; shared storage does not."""
        owner = mode & 0o700
        with suppress(OSError):
            self._files.chmod(path, mode & 0o777 | owner >> 3 | owner >> 6)
        with suppress(OSError):
            self._files.touch(path, time)

    async def _header(self) -> tuple[bytes, int]:
        command, size = _REQUEST.unpack(await self._stream.read_exactly(_REQUEST.size))
        return command, size
