"""ls and stat, df and du: the contents, attributes and sizes of folders and files."""

from __future__ import annotations

import posixpath
import re
import stat as modes
import zlib
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.kernel.files import SYSTEM
from pytest_mobileagent.virtual.kernel.users import name_of
from pytest_mobileagent.virtual.shell.commands import Context, Options, command, parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_mobileagent.virtual.kernel.files import Node

_TYPES = {"file": modes.S_IFREG, "dir": modes.S_IFDIR, "link": modes.S_IFLNK}
_BLOCK = 4096


def full_mode(node: Node) -> int:
    """Return the mode including the type of the file, as stat returns it."""
    return node.mode if modes.S_IFMT(node.mode) else _TYPES[node.kind] | node.mode


def size(node: Node) -> int:
    """Return the size, as stat returns it."""
    return {"file": len(node.data), "dir": _BLOCK, "link": len(node.target)}[node.kind]


def blocks(node: Node) -> int:
    """Return the number of 512-byte blocks that a file occupies."""
    return 0 if node.kind == "link" else -(-size(node) // _BLOCK) * 8


def links(ctx: Context, path: str, node: Node) -> int:
    """Return the number of hard links; a folder's include those of its subfolders."""
    files = ctx.phone.files
    if node.kind != "dir":
        return 1
    return 2 + sum(files.is_dir(posixpath.join(path, name)) for name in files.listdir(path))


def inode(path: str) -> int:
    """Return the number of a file's inode."""
    return zlib.crc32(path.encode(errors="surrogateescape")) % 10**6 + 2


def human_size(count: float) -> str:
    """Return a size in human-readable form: 1.2K."""
    if count < 1000:
        return str(int(count))
    for unit in "KMGT":
        count /= 1024
        if count < 999.5:
            return f"{count:.1f}{unit}" if count < 9.95 else f"{count:.0f}{unit}"
    return f"{count:.0f}T"


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a listing."""

    name: str
    path: str
    node: Node


@command("ls")
async def ls(ctx: Context, args: list[str]) -> int:
    """List folders."""
    long = {"all": "a", "almost-all": "A", "color": "N", "full-time": "T"}
    options = parse(args, "1AadFhLlNnpRrStu", long)  # files have only one time here, even with -u
    if "T" in options:
        options.given += [("l", ""), ("l", "")]
    files: list[Entry] = []
    folders: list[str] = []

    async def look(name: str) -> None:
        follow = "L" in options or not ({"l", "d", "F"} & {flag for flag, _ in options.given})
        node = ctx.files.find(name) if follow else None
        node = node or ctx.files.stat(name, follow=False)
        if node.kind == "dir" and "d" not in options:
            folders.append(name)
        else:
            files.append(Entry(name, ctx.path(name), node))

    await ctx.each(options.rest or ["."], look)
    if files:
        await ctx.out(_listing(ctx, _sorted(files, options), options))
    headed = len(options.rest) > 1 or "R" in options
    for at, name in enumerate(sorted(folders)):
        before = "\n" if at or files else ""
        await _folder(ctx, name, options, f"{before}{name}:\n" if headed else "")
    return ctx.failed


async def _folder(ctx: Context, name: str, options: Options, head: str) -> None:
    try:
        names = ctx.files.listdir(name)
    except OSError as error:
        await ctx.out(head)
        await ctx.complain(error)
        return
    if "a" in options:
        names = [".", "..", *names]
    elif "A" not in options:
        names = [each for each in names if not each.startswith(".")]
    entries = []
    for each in names:
        path = ctx.phone.files.absolute(posixpath.join(ctx.path(name), each))
        follow = "L" in options or each in {".", ".."}  # these are folders, not links to them
        entries.append(Entry(each, path, ctx.phone.files.stat(path, follow)))
    entries = _sorted(entries, options)
    if "l" in options or "n" in options:
        head += f"total {sum(blocks(entry.node) for entry in entries) // 2}\n"
    await ctx.out(head + _listing(ctx, entries, options))
    if "R" in options:
        for entry in entries:
            if entry.node.kind == "dir" and entry.name not in {".", ".."}:
                below = posixpath.join(name, entry.name)
                await _folder(ctx, below, options, f"\n{below}:\n")


def _sorted(entries: list[Entry], options: Options) -> list[Entry]:
    entries = sorted(entries, key=lambda entry: entry.name)
    if "t" in options:
        entries.sort(key=lambda entry: -entry.node.mtime)
    elif "S" in options:
        entries.sort(key=lambda entry: -size(entry.node))
    return entries[::-1] if "r" in options else entries


def _listing(ctx: Context, entries: list[Entry], options: Options) -> str:
    if "l" in options or "n" in options:
        return _long(ctx, entries, options)
    return "".join(f"{_marked(entry, options)}\n" for entry in entries)


def _marked(entry: Entry, options: Options) -> str:
    if "F" not in options:
        return entry.name + ("/" if entry.node.kind == "dir" and "p" in options else "")
    runs = "*" if entry.node.mode & 0o111 else ""
    return entry.name + {"dir": "/", "link": "@", "file": runs}[entry.node.kind]


def _long(ctx: Context, entries: list[Entry], options: Options) -> str:
    show = str if "n" in options else name_of
    rows = [
        (
            modes.filemode(full_mode(node := entry.node)),
            str(links(ctx, entry.path, node)),
            show(node.uid),
            show(node.gid),
            _size_text(entry, human="h" in options),
            _when(datetime.fromtimestamp(node.mtime, ctx.phone.clock.zone), options),
            _marked(entry, options) + (f" -> {node.target}" if node.kind == "link" else ""),
        )
        for entry in entries
    ]
    return "".join(f"{line}\n" for line in _aligned(rows))


def _when(moment: datetime, options: Options) -> str:
    """Format a time; with -ll including nanoseconds and the offset from UTC."""
    exact = f":%S.{moment.microsecond:06}000 %z" if len(options.all("l")) > 1 else ""
    return moment.strftime(f"%Y-%m-%d %H:%M{exact}")


def _aligned(rows: Sequence[tuple[str, ...]]) -> Iterable[str]:
    """Yield lines in which numbers are right-aligned in their columns, and names left-aligned."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    size_column = len(widths) - 3
    for row in rows:
        cells = [
            cell.rjust(width) if at in {1, size_column} else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row[:-1], widths, strict=False))
        ]
        yield " ".join([*cells, row[-1]])


def _size_text(entry: Entry, *, human: bool) -> str:
    if modes.S_ISCHR(entry.node.mode):
        return _DEVICE_NUMBERS.get(posixpath.basename(entry.path), "1,   3")
    return human_size(size(entry.node)) if human else str(size(entry.node))


_DEVICE_NUMBERS = {
    "null": "1,   3",
    "zero": "1,   5",
    "full": "1,   7",
    "random": "1,   8",
    "urandom": "1,   9",
    "tty": "5,   0",
    "event0": "13,  64",
    "event1": "13,  65",
}


@command("stat")
async def stat(ctx: Context, args: list[str]) -> int:
    """Print the attributes of files."""
    options = parse(args, "Lc:ft", {"format": "c"}, least=1)

    async def show(name: str) -> None:
        node = ctx.files.stat(name, follow="L" in options)
        form = f"{options.get('c')}\n" if "c" in options else _STAT
        await ctx.out(_formatted(ctx, name, node, form))

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
        "A": modes.filemode(full_mode(node)),
        "b": str(blocks(node)),
        "B": "512",
        "F": "regular empty file" if kind == "regular file" and not node.data else kind,
        "f": f"{full_mode(node):x}",
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
        width = int(match[1] or 0)
        text = values.get(match[2], "?")
        return text.ljust(-width) if width < 0 else text.rjust(width)

    return re.sub(r"%(-?\d{1,4})?(.)", value, form)


@command("df")
async def df(ctx: Context, args: list[str]) -> int:
    """Print how much of the storage is used."""
    options = parse(args, "aHhikPt:")
    space = ctx.phone.files.space
    total, used = space.size // 1024, -(-space.taken // 1024)
    system = SYSTEM // 1024
    mounts = {
        "/": ("/dev/block/dm-5", system, system),
        "/data": ("/dev/block/dm-46", total, used),
        "/storage/emulated": ("/dev/fuse", total, used),
    }
    chosen: list[str] = []

    async def choose(name: str) -> None:
        ctx.files.stat(name)
        path = ctx.files.resolve(name)
        chosen.append(max((m for m in mounts if posixpath.commonpath([m, path]) == m), key=len))

    await ctx.each(options.rest, choose)
    head = "      Size  Used Avail" if "h" in options else "  1K-blocks     Used Available"
    if chosen or not options.rest:
        await ctx.out(f"{'Filesystem':<16}{head} Use% Mounted on\n")
    for mount in chosen or mounts:
        device, size_, taken = mounts[mount]
        free = size_ - taken
        share = -(-100 * taken // size_) if size_ else 0
        if "h" in options:
            texts = [human_size(count * 1024) for count in (size_, taken, free)]
            cells = f"{texts[0]:>10} {texts[1]:>5} {texts[2]:>5}"
        else:
            cells = f"{size_:>11} {taken:>8} {free:>9}"
        await ctx.out(f"{device:<16}{cells} {share:>3}% {mount}\n")
    return ctx.failed


@command("du")
async def du(ctx: Context, args: list[str]) -> int:
    """Print how much storage folders use."""
    options = parse(args, "abhkms")
    unit = 1 if "b" in options else 2**20 if "m" in options else 1024
    for top in options.rest or ["."]:
        taken: defaultdict[str, int] = defaultdict(int)
        for path, node, depth in await ctx.walk(top, bottom_up=True):
            taken[path] += len(node.data) if "b" in options else blocks(node) * 512
            if depth:
                taken[posixpath.dirname(path)] += taken[path]
            if not depth or ("s" not in options and (node.kind == "dir" or "a" in options)):
                size_ = human_size(taken[path]) if "h" in options else -(-taken[path] // unit)
                await ctx.out(f"{size_}\t{path}\n")
    return ctx.failed


@command("sync")
async def sync(_ctx: Context, _args: list[str]) -> None:
    """Write everything to the storage, which is always up to date."""
