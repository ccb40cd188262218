"""Files as a user may access them: by mode and owner, from a folder, with errors by name."""

from __future__ import annotations

import errno
import os
import posixpath
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from pytest_mobileagent.virtual.kernel.files import OVERLAY, SHARED, Lookup
from pytest_mobileagent.virtual.kernel.users import ROOT, groups_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.kernel.files import FileSystem, Node

Want = Literal["r", "w", "x"]
_READ_ONLY = {"", "apex", "odm", "product", "system", "system_ext", "vendor"}  # "" is / itself


class UserFiles(Lookup):
    """Access to `files` with the rights of the user `uid`, from the folder `cwd`."""

    def __init__(self, files: FileSystem, uid: int, cwd: str) -> None:
        self._files = files
        self._uid = uid
        self._cwd = cwd

    @property
    def room(self) -> int:
        """The number of bytes that can still be written."""
        return self._files.capacity - self._files.used

    def stat(self, name: str, *, follow: bool = True) -> Node:
        """Return the node at `name`."""
        with self._naming(name) as path:
            if not searchable(self._files, path, self._uid):
                raise _denied(errno.EACCES, path)
            return self._files.stat(path, follow or name.endswith("/"))

    def may(self, name: str, want: Want) -> bool:
        """Return whether the user may read, write or execute what is at `name`."""
        path = self._path(name)
        if want == "w" and self._read_only(path):
            return False
        return may(self._files, path, self._uid, want)

    def listdir(self, name: str) -> list[str]:
        """Return the sorted names in a folder."""
        with self._naming(name) as path:
            self._require(path, "r")
            return self._files.listdir(path)

    def resolve(self, name: str) -> str:
        """Return the real path of `name`."""
        with self._naming(name) as path:
            return self._files.resolve(path)

    def read(self, name: str) -> bytes:
        """Return the bytes of a file."""
        with self._naming(name) as path:
            self._require(path, "r")
            return self._files.read(path)

    def write(self, name: str, data: bytes, *, append: bool = False) -> None:
        """Create a file, replace its bytes, or append to it."""
        with self._naming(name) as path:
            self._require(path, "w")
            if self._files.exists(path):
                (self._files.append if append else self._files.write)(path, data)
            else:
                self._files.write(path, data, **self._owner(path, 0o666))

    def mkdir(self, name: str, mode: int = 0o777) -> None:
        """Create a folder."""
        with self._naming(name) as path:
            if not self._files.exists(path):
                self._require(path, "w")
            owner = self._owner(path, mode)
            self._files.mkdir(path, owner["mode"], uid=owner["uid"], gid=owner["gid"])

    def symlink(self, target: str, name: str) -> None:
        """Create a link called `name`."""
        with self._naming(name) as path:
            self._require(posixpath.dirname(path), "w")
            self._files.symlink(target, path)
            owner = self._owner(path, 0o777)
            self._files.chown(path, owner["uid"], owner["gid"], follow=False)

    def remove(self, name: str) -> None:
        """Remove a file or a link."""
        with self._naming(name) as path:
            self._require_entry(path)
            self._files.remove(path)

    def rmdir(self, name: str) -> None:
        """Remove an empty folder."""
        with self._naming(name) as path:
            self._require_entry(path)
            self._files.rmdir(path)

    def rename(self, old: str, new: str) -> None:
        """Move a file or a folder."""
        with self._naming(old) as source:
            self._require_entry(source)
        with self._naming(new) as goal:
            self._require(posixpath.dirname(goal), "w")
            self._files.rename(source, goal)

    def chmod(self, name: str, mode: int) -> None:
        """Set the permission bits of a file that the user owns."""
        with self._naming(name) as path:
            self._require_own(path)
            self._files.chmod(path, mode)

    def chown(self, name: str, uid: int, gid: int) -> None:
        """Set the owner, which only root may change."""
        with self._naming(name) as path:
            node = self._files.stat(path)
            if self._uid != ROOT and (uid != node.uid or gid not in groups_of(self._uid)):
                raise _denied(errno.EPERM, name)
            self._files.chown(path, uid, gid)

    def touch(self, name: str, mtime: float | None = None) -> None:
        """Set the time of a file, which is created if absent."""
        if not self.exists(name):
            self.write(name, b"")
        with self._naming(name) as path:
            self._require(path, "w")
            self._files.touch(path, mtime)

    # Helpers

    def _path(self, name: str) -> str:
        if not name:
            raise _denied(errno.ENOENT, name)
        return self._files.absolute(name, self._cwd)

    @contextmanager
    def _naming(self, name: str) -> Iterator[str]:
        """Yield the absolute path; errors refer to the file by the user's name for it."""
        try:
            yield self._path(name)
        except OSError as error:
            error.filename = name
            raise

    def _require(self, path: str, want: Want) -> None:
        if want == "w" and self._read_only(path):
            raise _denied(errno.EROFS, path)
        if not may(self._files, path, self._uid, want):
            raise _denied(errno.EACCES, path)

    def _require_entry(self, path: str) -> None:
        """Check that an entry may be changed, which requires the right to write to its folder."""
        self.stat(path, follow=False)
        self._require(posixpath.dirname(path), "w")

    def _require_own(self, path: str) -> None:
        if self._uid not in {ROOT, self._files.stat(path).uid}:
            raise _denied(errno.EPERM, path)
        if self._read_only(path):
            raise _denied(errno.EROFS, path)

    def _read_only(self, path: str) -> bool:
        real = self._files.resolve(path)
        top = real.split("/")[1]
        if top in _READ_ONLY and not self._files.is_dir(OVERLAY):
            return True
        return not self._files.exists(f"/{top}")

    def _owner(self, path: str, mode: int) -> dict[str, int]:
        """Return the owner of a new file, which inherits the group of a set-group-id folder."""
        parent = self._files.stat(posixpath.dirname(self._files.resolve(path)))
        gid = parent.gid if parent.mode & 0o2000 else groups_of(self._uid)[0]
        return {"mode": mode, "uid": self._uid, "gid": gid}


def _denied(code: int, path: str) -> OSError:
    return OSError(code, os.strerror(code), path)


def may(files: FileSystem, path: str, uid: int, want: Want) -> bool:
    """Return whether a user may read, write or execute (enter) what is at `path`.

    A missing file is no obstacle, except for writing, which then depends on the folder.
    """
    if not searchable(files, path, uid):
        return False
    path = _real(files, path)
    if uid == ROOT or path.startswith(SHARED):
        return True
    node = files.find(path) or (files.find(posixpath.dirname(path)) if want == "w" else None)
    return node is None or _permits(node, uid, want)


def searchable(files: FileSystem, path: str, uid: int) -> bool:
    """Return whether a user may enter all the folders on the way to `path`."""
    real = _real(files, path)
    if uid == ROOT or real.startswith(SHARED):
        return True
    above = [files.find(real[:at] or "/") for at, char in enumerate(real) if char == "/"]
    return all(_permits(node, uid, "x") for node in above if node and node.kind == "dir")


def _real(files: FileSystem, path: str) -> str:
    """Return the real path, or the absolute one if the path does not exist."""
    try:
        return files.resolve(path)
    except OSError:
        return files.absolute(path)


def _permits(node: Node, uid: int, want: Want) -> bool:
    bit = {"r": 4, "w": 2, "x": 1}[want]
    if uid == node.uid:
        return bool(node.mode >> 6 & bit)
    if node.gid in groups_of(uid):
        return bool(node.mode >> 3 & bit)
    return bool(node.mode & bit)
