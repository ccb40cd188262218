"""stat: what is known about files."""

from __future__ import annotations

import re
import stat as modes
from datetime import datetime
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.kernel.users import name_of
from pytest_mobileagent.virtual.shell.commands import Context, command
from pytest_mobileagent.virtual.shell.nodes import KINDS, blocks, inode, links, mode_text, size
from pytest_mobileagent.virtual.shell.options import parse

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.files import Node


@command("stat")
async def stat(ctx: Context, args: list[str]) -> int:
    """Print what is known about files."""
    options = parse(args, "Lc:ft", {"format": "c"}, least=1)

    async def show(name: str) -> None:
        node = ctx.files.stat(name, follow="L" in options)
        if "c" in options:
            await ctx.out(_formatted(ctx, name, node, options.get("c")) + "\n")
        else:
            await ctx.out(_formatted(ctx, name, node, _STAT))

    return await ctx.each(options.rest, show)


_STAT = (
    "  File: %N\n"
    "  Size: %s\t Blocks: %b\t IO Blocks: 512\t %F\n"
    "Device: fe00h/65024d\t Inode: %i\t Links: %h\t Device type: 0,0\n"
    "Access: (0%a/%A)\tUid: (%5u/%8U)\tGid: (%5g/%8G)\n"
    "Access: %x\nModify: %y\nChange: %z\n"
)
_KIND_NAMES = {"file": "regular file", "dir": "directory", "link": "symbolic link"}


def _formatted(ctx: Context, name: str, node: Node, form: str) -> str:
    """Fill in a stat format."""
    when = datetime.fromtimestamp(node.mtime, ctx.phone.clock.zone)
    stamp = f"{when:%Y-%m-%d %H:%M:%S}.{int(node.mtime % 1 * 1e9):09d} {when:%z}"
    kind = "character device" if modes.S_ISCHR(node.mode) else _KIND_NAMES[node.kind]
    values = {
        "a": f"{modes.S_IMODE(node.mode):o}",
        "A": mode_text(node),
        "b": str(blocks(node)),
        "B": "512",
        "F": "regular empty file" if kind == "regular file" and not node.data else kind,
        "f": f"{KINDS[node.kind] | node.mode:x}",
        "g": str(node.gid),
        "G": name_of(node.gid),
        "h": str(links(ctx, ctx.path(name), node)),
        "i": str(inode(ctx.path(name))),
        "n": name,
        "N": f"{name} -> {node.target}" if node.kind == "link" else name,
        "s": str(size(node)),
        "u": str(node.uid),
        "U": name_of(node.uid),
        **dict.fromkeys("xyz", stamp),
        **dict.fromkeys("XYZ", str(int(node.mtime))),
        "%": "%",
    }

    def value(match: re.Match[str]) -> str:
        text = values.get(match[2], "?")
        return (
            text.ljust(int(match[1][1:]))
            if match[1].startswith("-")
            else text.rjust(int(match[1] or 0))
        )

    return re.sub(r"%(-?\d*)(.)", value, form)
