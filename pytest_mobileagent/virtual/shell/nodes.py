"""What ls, stat and their kin say about a file."""

from __future__ import annotations

import posixpath
import stat as modes
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.files import Node
    from pytest_mobileagent.virtual.shell.commands import Context

KINDS = {"file": modes.S_IFREG, "dir": modes.S_IFDIR, "link": modes.S_IFLNK}
_BLOCK = 4096


def mode_text(node: Node) -> str:
    """Return the modes as ls shows them."""
    kind = 0 if modes.S_IFMT(node.mode) else KINDS[node.kind]
    return modes.filemode(kind | node.mode)


def size(node: Node) -> int:
    """Return the size as stat gives it."""
    return {"file": len(node.data), "dir": _BLOCK, "link": len(node.target)}[node.kind]


def blocks(node: Node) -> int:
    """Return how many blocks of 512 bytes a file takes."""
    return 0 if node.kind == "link" else -(-size(node) // _BLOCK) * 8


def links(ctx: Context, path: str, node: Node) -> int:
    """Return how many names lead to a file: to a folder also those that are in it."""
    files = ctx.phone.files
    if node.kind != "dir":
        return 1
    return 2 + sum(files.is_dir(posixpath.join(path, name)) for name in files.listdir(path))


def inode(path: str) -> int:
    """Return a file's number."""
    return zlib.crc32(path.encode(errors="surrogateescape")) % 10**6 + 2


def human_size(count: float) -> str:
    """Return a size as a person likes it: 1.2K."""
    if count < 1000:
        return str(int(count))
    for unit in "KMGT":
        count /= 1024
        if count < 999.5:
            return f"{count:.1f}{unit}" if count < 9.95 else f"{count:.0f}{unit}"
    return f"{count:.0f}T"
