"""The phone's files, in memory: folders, files, links, with Android's owners, modes and errors."""

from __future__ import annotations

import errno
import os
import posixpath
import stat as modes
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn

from pytest_mobileagent.virtual.kernel import rootfs as tree
from pytest_mobileagent.virtual.kernel.users import MEDIA_PROVIDER, MEDIA_RW, ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_MANY_LINKS = 40
_MANY_NODES = 1 << 18
_LONGEST_PATH = 4095
_DEEPEST = 200  # folders in folders: fewer than Linux can have, more than anybody does
Kind = Literal["file", "dir", "link"]


@dataclass(frozen=True, slots=True)
class Node:
    """What is at a path."""

    kind: Kind
    data: bytes = b""
    mode: int = 0o644
    uid: int = ROOT
    gid: int = ROOT
    mtime: float = 0.0
    target: str = ""


SYSTEM: Final = 4 * 2**30  # bytes of the partition that is never written to, and always full
DATA: Final = 16 * 10**9 - SYSTEM  # of the one with users' data: the phone is sold with 16 GB


@dataclass(frozen=True, slots=True)
class Space:
    """How large a partition is, and how much of it is `free`, in bytes.

    What is neither free nor in a file of the phone is taken by what a phone comes with: compiled
    code, updates of the system's apps.
    """

    size: int
    free: int

    @property
    def taken(self) -> int:
        """Bytes that are not free."""
        return self.size - self.free


class FileSystem:
    """All files of one phone. It trusts its caller: `access` says what a user may do.

    Nodes are kept in one flat mapping by real path (no link in its parents), so that a snapshot is
    a shallow copy. `now` is the phone's clock in seconds since the epoch; `size` is how many bytes
    files can hold, of which they have `used` some.
    """

    def __init__(self, now: Callable[[], float], size: int = 2 * 2**30) -> None:
        self._now = now
        self.size = size
        self._generated: dict[str, Callable[[], bytes]] = {}  # by real path
        self.full = False  # as if all of the storage were taken
        self.restore({"/": Node("dir", mode=0o755, mtime=now())})
        for path, (mode, uid, gid) in tree.FOLDERS.items():
            self._put(path, Node("dir", mode=mode, uid=uid, gid=gid, mtime=now()))
        for path, target in tree.LINKS.items():
            self.symlink(target, path)
        for path, (mode, uid, gid) in tree.DEVICES.items():
            self.write(path, b"", mode=modes.S_IFCHR | mode, uid=uid, gid=gid)

    # Looking

    def absolute(self, path: str, cwd: str = "/") -> str:
        """Return `path`, as named in the folder `cwd`, as a clean absolute path."""
        if path.startswith("/") and "//" not in path and "/." not in path:
            return path.rstrip("/") or "/"  # most are clean already
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

    def find(self, path: str) -> Node | None:
        """Return the node at `path`; None if nothing is there, or a link to nothing."""
        try:
            return self.stat(path)
        except OSError:
            return None

    def exists(self, path: str) -> bool:
        """Whether something is there."""
        return self.find(path) is not None

    def is_file(self, path: str) -> bool:
        """Whether a file is there."""
        return (node := self.find(path)) is not None and node.kind == "file"

    def is_dir(self, path: str) -> bool:
        """Whether a folder is there."""
        return (node := self.find(path)) is not None and node.kind == "dir"

    def listdir(self, path: str) -> list[str]:
        """Return the sorted names in a folder."""
        if self.stat(path).kind != "dir":
            _fail(errno.ENOTDIR, path)
        return sorted(self._names[self.resolve(path)])

    def walk(self, path: str) -> Iterator[tuple[str, Node]]:
        """Yield `path` and everything below it, real paths, parents first."""
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
        """Create a file as the kernel's are: empty to look at, made up whenever it is read."""
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
        """Create a file, or replace its bytes; what is not given stays (or is 0644 and root's)."""
        real = self.resolve(path)
        old = self._nodes.get(real)
        if old and old.kind == "dir":
            _fail(errno.EISDIR, path)
        given: dict[str, Any] = {"mode": mode, "uid": uid, "gid": gid}
        changes = {name: value for name, value in given.items() if value is not None}
        node = old or self._newcomer(real, "file", 0o644, path)
        self._put(real, replace(node, data=data, mtime=self._now(), **changes), path)

    def append(self, path: str, data: bytes) -> None:
        """Add bytes to the end of a file, which is created if absent."""
        self.write(path, self.read(path) + data if self.exists(path) else data)

    def mkdir(
        self, path: str, mode: int = 0o755, *, parents: bool = False, uid: int = 0, gid: int = 0
    ) -> None:
        """Create a folder; with `parents` those above too, and one that exists is fine."""
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
        """Create a link at `path` that leads to `target`."""
        real = self.resolve(path, follow=False)
        if real in self._nodes:
            _fail(errno.EEXIST, path)
        node = self._newcomer(real, "link", 0o777, path)
        self._put(real, replace(node, target=target), path)

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
        """Remove whatever is at `path`, with all below it."""
        for below, _ in reversed(list(self.walk(path))):
            self._drop(below)

    def rename(self, old: str, new: str) -> None:
        """Move a file or a folder; a file or an empty folder at `new` gives way."""
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
        """Set the time of the last change, now by default; create an empty file if absent."""
        if not self.exists(path):
            self.write(path, b"")
        self._change(path, mtime=self._now() if mtime is None else mtime)

    # All of it

    @property
    def capacity(self) -> int:
        """Bytes that files can hold together."""
        return self.used if self.full else self.size

    @property
    def space(self) -> Space:
        """The partition of users' data, as the phone tells it."""
        return Space(DATA, self.capacity - self.used)

    @property
    def whole(self) -> Space:
        """All of the phone's storage, the system's partition included."""
        return Space(SYSTEM + DATA, self.space.free)

    def snapshot(self) -> Mapping[str, Node]:
        """Return all nodes by real path."""
        return dict(self._nodes)

    def restore(self, snapshot: Mapping[str, Node]) -> None:
        """Make the files what they were when the snapshot was taken."""
        self._nodes = dict(snapshot)
        self.used = sum(len(node.data) for node in self._nodes.values())
        self._names: dict[str, set[str]] = {
            path: set() for path, node in self._nodes.items() if node.kind == "dir"
        }
        for path in self._nodes.keys() - {"/"}:
            self._names[posixpath.dirname(path)].add(posixpath.basename(path))

    # Parts

    def _parent(self, real: str, path: str) -> Node:
        parent = self._nodes.get(posixpath.dirname(real)) or _fail(errno.ENOENT, path)
        return parent if parent.kind == "dir" else _fail(errno.ENOTDIR, path)

    def _newcomer(self, real: str, kind: Kind, mode: int, path: str) -> Node:
        """Return a node for a new name; in a set-group-id folder it belongs to the same group."""
        parent = self._parent(real, path)
        inherited = parent.mode & modes.S_ISGID
        gid = parent.gid if inherited else ROOT
        return Node(kind, b"", mode | (inherited if kind == "dir" else 0), ROOT, gid, self._now())

    def _change(self, path: str, *, follow: bool = True, **changes: Any) -> None:
        node = replace(self.stat(path, follow), **changes)
        self._put(self.resolve(path, follow=follow), node)

    def _put(self, real: str, node: Node, path: str = "") -> None:
        if real.startswith(tree.SHARED):  # FUSE gives all of shared storage one owner and mode
            mode = 0o2770 if node.kind == "dir" else 0o660
            node = replace(node, mode=mode, uid=MEDIA_PROVIDER, gid=MEDIA_RW)
        old = self._nodes.get(real)
        growth = len(node.data) - (len(old.data) if old else 0)
        if growth > 0 and self.used + growth > self.capacity:
            _fail(errno.ENOSPC, path or real)
        if old is None and len(self._nodes) >= _MANY_NODES:
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
        """Return the names in the folder of `real`, which are about to change, as its time does."""
        folder = posixpath.dirname(real)
        self._nodes[folder] = replace(self._nodes[folder], mtime=self._now())
        return self._names[folder]


def _fail(code: int, path: str) -> NoReturn:
    words = "Too many symbolic links encountered" if code == errno.ELOOP else os.strerror(code)
    raise OSError(code, words, path)
