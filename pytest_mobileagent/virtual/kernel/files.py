"""The phone's files, in memory: folders, files, links, with Android's owners, modes and errors."""

from __future__ import annotations

import errno
import posixpath
import stat as modes
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NoReturn

from pytest_mobileagent.virtual.kernel import rootfs as tree
from pytest_mobileagent.virtual.kernel.users import MEDIA_PROVIDER, MEDIA_RW, ROOT, groups_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_MANY_LINKS = 40

# bionic's words for the errors that a file system raises
_WORDS = {
    errno.EPERM: "Operation not permitted",
    errno.ENOENT: "No such file or directory",
    errno.EACCES: "Permission denied",
    errno.EEXIST: "File exists",
    errno.ENOTDIR: "Not a directory",
    errno.EISDIR: "Is a directory",
    errno.EINVAL: "Invalid argument",
    errno.ENOSPC: "No space left on device",
    errno.EROFS: "Read-only file system",
    errno.ENOTEMPTY: "Directory not empty",
    errno.ELOOP: "Too many symbolic links encountered",
}


@dataclass(frozen=True, slots=True)
class Node:
    """What is at a path."""

    kind: Literal["file", "dir", "link"]
    data: bytes = b""
    mode: int = 0o644
    uid: int = ROOT
    gid: int = ROOT
    mtime: float = 0.0
    target: str = ""


class FileSystem:
    """All files of one phone. It trusts its caller; `access` says what a user may do.

    Nodes are kept in one flat mapping by real path (no link in its parents), so that a snapshot is
    a shallow copy. `now` is the phone's clock in seconds since the epoch; `capacity` is the size of
    the storage in bytes.
    """

    def __init__(self, now: Callable[[], float], capacity: int = 6 * 2**30) -> None:
        self._now = now
        self._capacity = capacity
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

    def exists(self, path: str) -> bool:
        """Whether something is there; a link to nothing is not."""
        return self._kind(path) is not None

    def is_file(self, path: str) -> bool:
        """Whether a file is there."""
        return self._kind(path) == "file"

    def is_dir(self, path: str) -> bool:
        """Whether a folder is there."""
        return self._kind(path) == "dir"

    def listdir(self, path: str) -> list[str]:
        """Return the sorted names in a folder."""
        if self.stat(path).kind != "dir":
            _fail(errno.ENOTDIR, path)
        return sorted(self._names[self.resolve(path)])

    def walk(self, path: str) -> Iterator[tuple[str, Node]]:
        """Yield `path` and everything below it, real paths, parents first."""
        top = self.resolve(path, follow=False)
        yield top, self.stat(top, follow=False)
        for name in sorted(self._names.get(top, ())):
            yield from self.walk(posixpath.join(top, name))

    def access(self, path: str, uid: int, want: Literal["r", "w", "x"]) -> bool:
        """Whether the modes let a user read, write or execute (enter) what is at `path`.

        Nothing there is no obstacle of this kind, except to writing: then the folder counts.
        """
        if not self.searchable(path, uid):
            return False
        path = self._real(path)
        if uid == ROOT or path.startswith(tree.SHARED):
            return True
        if path not in self._nodes:
            return want != "w" or self._permits(posixpath.dirname(path), uid, "w")
        return self._permits(path, uid, want)

    def searchable(self, path: str, uid: int) -> bool:
        """Whether a user may enter all the folders on the way to `path`."""
        real = self._real(path)
        if uid == ROOT or real.startswith(tree.SHARED):
            return True
        above = [real[:at] or "/" for at, char in enumerate(real) if char == "/"]
        return all(self._permits(folder, uid, "x") for folder in above if self.is_dir(folder))

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
        node = old or self._newcomer(real, "file", 0o644, path)
        node = replace(
            node,
            data=data,
            mode=node.mode if mode is None else mode,
            uid=node.uid if uid is None else uid,
            gid=node.gid if gid is None else gid,
            mtime=self._now(),
        )
        self._put(real, node, path)

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

    def copy(self, old: str, new: str) -> None:
        """Copy the bytes and the mode of one file."""
        self.write(new, self.read(old), mode=self.stat(old).mode)

    def chmod(self, path: str, mode: int) -> None:
        """Set the permission bits."""
        node = self.stat(path)
        self._put(self.resolve(path), replace(node, mode=modes.S_IFMT(node.mode) | mode))

    def chown(self, path: str, uid: int, gid: int, *, follow: bool = True) -> None:
        """Set the owner."""
        node = replace(self.stat(path, follow), uid=uid, gid=gid)
        self._put(self.resolve(path, follow=follow), node)

    def touch(self, path: str, mtime: float | None = None) -> None:
        """Set the time of the last change, now by default; create an empty file if absent."""
        if not self.exists(path):
            self.write(path, b"")
        node = replace(self.stat(path), mtime=self._now() if mtime is None else mtime)
        self._put(self.resolve(path), node)

    # All of it

    @property
    def capacity(self) -> int:
        """Bytes that files can hold together."""
        return self._used if self.full else self._capacity

    @capacity.setter
    def capacity(self, size: int) -> None:
        self._capacity = size

    @property
    def used(self) -> int:
        """Bytes that all files hold."""
        return self._used

    def snapshot(self) -> Mapping[str, Node]:
        """Return all nodes by real path."""
        return dict(self._nodes)

    def restore(self, snapshot: Mapping[str, Node]) -> None:
        """Make the files what they were when the snapshot was taken."""
        self._nodes = dict(snapshot)
        self._used = sum(len(node.data) for node in self._nodes.values())
        self._names: dict[str, set[str]] = {
            path: set() for path, node in self._nodes.items() if node.kind == "dir"
        }
        for path in self._nodes:
            folder, name = posixpath.split(path)
            if name:
                self._names[folder].add(name)

    # Parts

    def _real(self, path: str) -> str:
        """Return the real path as far as there is one."""
        try:
            return self.resolve(path)
        except OSError:
            return self.absolute(path)

    def _kind(self, path: str) -> str | None:
        try:
            return self.stat(path).kind
        except OSError:
            return None

    def _parent(self, real: str, path: str) -> Node:
        parent = self._nodes.get(posixpath.dirname(real)) or _fail(errno.ENOENT, path)
        return parent if parent.kind == "dir" else _fail(errno.ENOTDIR, path)

    def _newcomer(
        self, real: str, kind: Literal["file", "dir", "link"], mode: int, path: str
    ) -> Node:
        """Return a node for a new name; in a set-group-id folder it belongs to the same group."""
        parent = self._parent(real, path)
        inherited = parent.mode & modes.S_ISGID
        gid = parent.gid if inherited else ROOT
        return Node(kind, b"", mode | (inherited if kind == "dir" else 0), ROOT, gid, self._now())

    def _put(self, real: str, node: Node, path: str = "") -> None:
        if real.startswith(tree.SHARED):  # FUSE gives all of shared storage one owner and mode
            mode = 0o2770 if node.kind == "dir" else 0o660
            node = replace(node, mode=mode, uid=MEDIA_PROVIDER, gid=MEDIA_RW)
        old = self._nodes.get(real)
        growth = len(node.data) - (len(old.data) if old else 0)
        if growth > 0 and self._used + growth > self.capacity:
            _fail(errno.ENOSPC, path or real)
        self._used += growth
        self._nodes[real] = node
        if node.kind == "dir":
            self._names.setdefault(real, set())
        if old is None:
            self._rename_in_parent(real).add(posixpath.basename(real))

    def _drop(self, real: str) -> None:
        self._used -= len(self._nodes.pop(real).data)
        self._names.pop(real, None)
        self._rename_in_parent(real).discard(posixpath.basename(real))

    def _rename_in_parent(self, real: str) -> set[str]:
        """Return the names in the folder of `real`, which are about to change, as its time does."""
        folder = posixpath.dirname(real)
        self._nodes[folder] = replace(self._nodes[folder], mtime=self._now())
        return self._names[folder]

    def _permits(self, real: str, uid: int, want: Literal["r", "w", "x"]) -> bool:
        node = self._nodes.get(real)
        if node is None:
            return True
        bit = {"r": 4, "w": 2, "x": 1}[want]
        if uid == node.uid:
            return bool(node.mode >> 6 & bit)
        if node.gid in groups_of(uid):
            return bool(node.mode >> 3 & bit)
        return bool(node.mode & bit)


def _fail(code: int, path: str) -> NoReturn:
    raise OSError(code, _WORDS[code], path)
