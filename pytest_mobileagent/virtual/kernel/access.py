"""A user's access to files, according to their modes."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Literal

from pytest_mobileagent.virtual.kernel.rootfs import SHARED
from pytest_mobileagent.virtual.kernel.users import ROOT, groups_of

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.files import FileSystem, Node

Want = Literal["r", "w", "x"]


def may(files: FileSystem, path: str, uid: int, want: Want) -> bool:
    """Return whether a user may read, write or execute (enter) what is at `path`.

    A missing file is not an obstacle of this kind, except for writing, which then depends on the
    folder.
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
