"""The phone's files, in memory: folders, files, links, with Android's owners, modes and errors."""

from __future__ import annotations

import errno
import os
import posixpath
import stat as modes
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from importlib import resources
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn

from pytest_mobileagent.virtual.kernel.users import MEDIA_PROVIDER, MEDIA_RW, ROOT, number_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

SHARED = "/storage/emulated/0"
OVERLAY = "/mnt/scratch/overlay"  # stores what `remount` made writable for root
_TEXT = (resources.files(__package__) / "rootfs.txt").read_text("utf-8")
_ROWS = [line.split() for line in _TEXT.splitlines()]


def _listed(kind: str) -> dict[str, tuple[int, int, int]]:
    """Return the mode, user and group of the folders (d) or devices (c), by path."""
    return {
        row[3]: (int(row[0][1:], 8), number_of(row[1]) or 0, number_of(row[2]) or 0)
        for row in _ROWS
        if row[0][0] == kind
    }


FOLDERS, DEVICES = _listed("d"), _listed("c")
LINKS = {row[1]: row[2] for row in _ROWS if row[0] == "l"}
_MANY_LINKS = 40
_MANY_NODES = 1 << 18
_LONGEST_PATH = 4095
_DEEPEST = 200  # nested folders; fewer than Linux allows, but more than anyone needs
Kind = Literal["file", "dir", "link"]


@dataclass(frozen=True, slots=True)
class Node:
    """The file, folder or link at a path."""

    kind: Kind
    data: bytes = b""
    mode: int = 0o644
    uid: int = ROOT
    gid: int = ROOT
    mtime: float = 0.0
    target: str = ""


SYSTEM: Final = 4 * 2**30  # bytes of the partition that is read-only and always full
DATA: Final = 16 * 10**9 - SYSTEM  # bytes of the users' data partition: the phone has 16 GB


@dataclass(frozen=True, slots=True)
class Space:
    """The size of a partition and the `free` part of it, in bytes.

    Space that is neither free nor used by the phone's files is taken by what a real phone comes
    with: compiled code, updates of system apps.
    """

    size: int
    free: int

    @property
    def taken(self) -> int:
        """The bytes that are not free."""
        return self.size - self.free


class Lookup(ABC):
    """Answers what is at a path from the node there, or the error that there is none."""

    @abstractmethod
    def stat(self, path: str, /, *, follow: bool = True) -> Node:
        """Return the node at `path`."""

    def find(self, path: str, *, follow: bool = True) -> Node | None:
        """Return the node at `path`, or None if nothing is there or a link is broken."""
        try:
            return self.stat(path, follow=follow)
        except OSError:
            return None

    def exists(self, path: str) -> bool:
        """Return whether something is at the path."""
        return self.find(path) is not None

    def is_file(self, path: str) -> bool:
        """Return whether a file is at the path."""
        return (node := self.find(path)) is not None and node.kind == "file"

    def is_dir(self, path: str) -> bool:
        """Return whether a folder is at the path."""
        return (node := self.find(path)) is not None and node.kind == "dir"


class FileSystem(Lookup):
    """All files of a phone. It trusts its caller; `access` checks what a user may do.

    Nodes are kept in a single flat mapping by real path (without links in the parents), so that a
    snapshot is a shallow copy. `now` returns the phone's time in seconds since the epoch; `size` is
    the capacity in bytes, of which `used` are in use.
    """

    def __init__(self, now: Callable[[], float], size: int = 2 * 2**30) -> None:
        self._now = now
        self.size = size
        self._generated: dict[str, Callable[[], bytes]] = {}  # by real path
        self.full = False  # as if the storage were full
        self.restore({"/": Node("dir", mode=0o755, mtime=now())})
        for path, (mode, uid, gid) in FOLDERS.items():
            self._put(path, Node("dir", mode=mode, uid=uid, gid=gid, mtime=now()))
        for path, target in LINKS.items():
            self.symlink(target, path)
        for path, (mode, uid, gid) in DEVICES.items():
            self.write(path, b"", mode=modes.S_IFCHR | mode, uid=uid, gid=gid)

    # Reading

    def absolute(self, path: str, cwd: str = "/") -> str:
        """Return `path`, relative to the folder `cwd`, as a normalised absolute path."""
        if path.startswith("/") and "//" not in path and "/." not in path:
            return path.rstrip("/") or "/"  # most paths are normalised already
        return "/" + posixpath.normpath(posixpath.join(cwd, path)).lstrip("/")

    def resolve(self, path: str, *, follow: bool = True) -> str:
        """Return the real path of `path`: links replaced, the last one only if `follow`."""
        path = self.absolute(path)
        node = self._nodes.get(path)
        if node and (node.kind != "link" or not follow):
            return path
        if len(path) > _LONGEST_PATH or path.count("/") > _DEEPEST:
            _fail(errno.ENAMETOOLONG, path)
        done, pending, hops = "", path.split("/")[:0:-1], 0
        while pending:
            here = f"{done}/{pending.pop()}"
            node = self._nodes.get(here)
            if node and node.kind == "link" and (pending or follow):
                hops += 1
                if hops > _MANY_LINKS:
                    _fail(errno.ELOOP, path)
                target = self.absolute(node.target, done or "/")
                done, pending = "", pending + target.split("/")[:0:-1]
            elif node and node.kind == "file" and pending:
                _fail(errno.ENOTDIR, path)
            else:
                done = here
        return done.rstrip("/") or "/"

    def stat(self, path: str, follow: bool = True) -> Node:
        """Return the node at `path`."""
        return self._nodes.get(self.resolve(path, follow=follow)) or _fail(errno.ENOENT, path)

    def listdir(self, path: str) -> list[str]:
        """Return the sorted names in a folder."""
        if self.stat(path).kind != "dir":
            _fail(errno.ENOTDIR, path)
        return sorted(self._names[self.resolve(path)])

    def walk(self, path: str) -> Iterator[tuple[str, Node]]:
        """Yield `path` and everything below it, as real paths, parents first."""
        ahead = [self.resolve(path, follow=False)]
        while ahead:
            here = ahead.pop()
            yield here, self.stat(here, follow=False)
            names = sorted(self._names.get(here, ()), reverse=True)
            ahead += [posixpath.join(here, name) for name in names]

    # Changing

    def read(self, path: str) -> bytes:
        """Return the bytes of a file."""
        node = self.stat(path)
        if node.kind == "dir":
            _fail(errno.EISDIR, path)
        generate = self._generated.get(self.resolve(path)) if self._generated else None
        return generate() if generate else node.data

    def generate(self, path: str, content: Callable[[], bytes]) -> None:
        """Create a file like the kernel's: it appears empty, and is generated on reading."""
        self.write(path, b"", mode=0o444)
        self._generated[self.resolve(path)] = content

    def write(
        self,
        path: str,
        data: bytes,
        *,
        mode: int | None = None,
        uid: int | None = None,
        gid: int | None = None,
    ) -> None:
        """Create a file or replace its bytes; omitted attributes are kept (default: 0644, root)."""
        real = self.resolve(path)
        old = self._nodes.get(real)
        if old and old.kind == "dir":
            _fail(errno.EISDIR, path)
        given: dict[str, Any] = {"mode": mode, "uid": uid, "gid": gid}
        changes = {name: value for name, value in given.items() if value is not None}
        node = old or self._newcomer(real, "file", 0o644, path)
        self._put(real, replace(node, data=data, mtime=self._now(), **changes), path)

    def append(self, path: str, data: bytes) -> None:
        """Append bytes to a file, which is created if absent."""
        self.write(path, self.read(path) + data if self.exists(path) else data)

    def mkdir(
        self, path: str, mode: int = 0o755, *, parents: bool = False, uid: int = 0, gid: int = 0
    ) -> None:
        """Create a folder; with `parents`, also those above it, and it may already exist."""
        real = self.resolve(path)
        if real in self._nodes:
            if parents and self._nodes[real].kind == "dir":
                return
            _fail(errno.EEXIST, path)
        if parents:
            self.mkdir(posixpath.dirname(real), mode, parents=True, uid=uid, gid=gid)
        node = self._newcomer(real, "dir", mode, path)
        self._put(real, replace(node, uid=node.uid or uid, gid=node.gid or gid), path)

    def symlink(self, target: str, path: str) -> None:
        """Create a link at `path` that points to `target`."""
        real = self.resolve(path, follow=False)
        if real in self._nodes:
            _fail(errno.EEXIST, path)
        self._put(real, replace(self._newcomer(real, "link", 0o777, path), target=target), path)

    def remove(self, path: str) -> None:
        """Remove a file or a link."""
        if self.stat(path, follow=False).kind == "dir":
            _fail(errno.EISDIR, path)
        self._drop(self.resolve(path, follow=False))

    def rmdir(self, path: str) -> None:
        """Remove an empty folder."""
        if self.stat(path, follow=False).kind != "dir":
            _fail(errno.ENOTDIR, path)
        if self._names[self.resolve(path, follow=False)]:
            _fail(errno.ENOTEMPTY, path)
        self._drop(self.resolve(path, follow=False))

    def rmtree(self, path: str) -> None:
        """Remove whatever is at `path`, recursively."""
        for below, _ in reversed(list(self.walk(path))):
            self._drop(below)

    def rename(self, old: str, new: str) -> None:
        """Move a file or a folder; an existing file or empty folder at `new` is replaced."""
        source, goal = self.resolve(old, follow=False), self.resolve(new, follow=False)
        node = self.stat(source, follow=False)
        if (goal + "/").startswith(source + "/"):
            if goal == source:
                return
            _fail(errno.EINVAL, new)
        self._parent(goal, new)
        if there := self._nodes.get(goal):
            if node.kind == "dir" and there.kind != "dir":
                _fail(errno.ENOTDIR, new)
            (self.rmdir if node.kind == "dir" else self.remove)(goal)
        moved = list(self.walk(source))
        self.rmtree(source)
        for path, below in moved:
            self._put(goal + path[len(source) :], below)

    def chmod(self, path: str, mode: int) -> None:
        """Set the permission bits."""
        self._change(path, mode=modes.S_IFMT(self.stat(path).mode) | mode)

    def chown(self, path: str, uid: int, gid: int, *, follow: bool = True) -> None:
        """Set the owner."""
        self._change(path, follow=follow, uid=uid, gid=gid)

    def touch(self, path: str, mtime: float | None = None) -> None:
        """Set the modification time, by default to now; create an empty file if absent."""
        if not self.exists(path):
            self.write(path, b"")
        self._change(path, mtime=self._now() if mtime is None else mtime)

    # All files

    @property
    def capacity(self) -> int:
        """The bytes that files can hold in total."""
        return self.used if self.full else self.size

    @property
    def space(self) -> Space:
        """The partition with users' data, as the phone reports it."""
        return Space(DATA, self.capacity - self.used)

    @property
    def whole(self) -> Space:
        """All of the phone's storage, including the system partition."""
        return Space(SYSTEM + DATA, self.space.free)

    def snapshot(self) -> Mapping[str, Node]:
        """Return all nodes by real path."""
        return dict(self._nodes)

    def restore(self, snapshot: Mapping[str, Node]) -> None:
        """Restore the files of a snapshot."""
        self._nodes = dict(snapshot)
        self.used = sum(len(node.data) for node in self._nodes.values())
        folders = [path for path, node in self._nodes.items() if node.kind == "dir"]
        self._names: dict[str, set[str]] = {path: set() for path in folders}
        for path in self._nodes.keys() - {"/"}:
            folder, _, name = path.rpartition("/")
            self._names[folder or "/"].add(name)

    # Helpers

    def _parent(self, real: str, path: str) -> Node:
        parent = self._nodes.get(posixpath.dirname(real)) or _fail(errno.ENOENT, path)
        return parent if parent.kind == "dir" else _fail(errno.ENOTDIR, path)

    def _newcomer(self, real: str, kind: Kind, mode: int, path: str) -> Node:
        """Return a node for a new name; it inherits the group of a set-group-id folder."""
        parent = self._parent(real, path)
        inherited = parent.mode & modes.S_ISGID
        gid = parent.gid if inherited else ROOT
        return Node(kind, b"", mode | (inherited if kind == "dir" else 0), ROOT, gid, self._now())

    def _change(self, path: str, *, follow: bool = True, **changes: Any) -> None:
        node = replace(self.stat(path, follow), **changes)
        self._put(self.resolve(path, follow=follow), node)

    def _put(self, real: str, node: Node, path: str = "") -> None:
        if real.startswith(SHARED):  # FUSE gives all of shared storage one owner and mode
            mode = 0o2770 if node.kind == "dir" else 0o660
            node = replace(node, mode=mode, uid=MEDIA_PROVIDER, gid=MEDIA_RW)
        old = self._nodes.get(real)
        growth = len(node.data) - (len(old.data) if old else 0)
        too_many = old is None and len(self._nodes) >= _MANY_NODES
        if too_many or (growth > 0 and self.used + growth > self.capacity):
            _fail(errno.ENOSPC, path or real)
        self.used += growth
        self._nodes[real] = node
        if node.kind == "dir":
            self._names.setdefault(real, set())
        if old is None:
            self._rename_in_parent(real).add(posixpath.basename(real))

    def _drop(self, real: str) -> None:
        self.used -= len(self._nodes.pop(real).data)
        self._names.pop(real, None)
        self._rename_in_parent(real).discard(posixpath.basename(real))

    def _rename_in_parent(self, real: str) -> set[str]:
        """Update the time of the folder of `real`; return its names, which will change."""
        folder = posixpath.dirname(real)
        self._nodes[folder] = replace(self._nodes[folder], mtime=self._now())
        return self._names[folder]


def _fail(code: int, path: str) -> NoReturn:
    words = "Too many symbolic links encountered" if code == errno.ELOOP else os.strerror(code)
    raise OSError(code, words, path)
