"""ls: what is in folders."""

from __future__ import annotations

import posixpath
import stat as modes
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.kernel.users import name_of
from pytest_mobileagent.virtual.shell.commands import Context, command
from pytest_mobileagent.virtual.shell.nodes import blocks, human_size, inode, links, mode_text, size
from pytest_mobileagent.virtual.shell.options import Options, parse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_mobileagent.virtual.kernel.files import Node

_TERMINAL = 80


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
    options = parse(args, "1AaCcdFfghiklLmNnopqRrSstuxZ", long)
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
    if "a" in options or "f" in options:
        names = [".", "..", *names]
    elif "A" not in options:
        names = [each for each in names if not each.startswith(".")]
    entries = []
    for each in names:
        path = ctx.phone.files.absolute(posixpath.join(ctx.path(name), each))
        follow = "L" in options or each in {".", ".."}  # these are folders, not links to them
        entries.append(Entry(each, path, ctx.phone.files.stat(path, follow)))
    entries = _sorted(entries, options)
    if "l" in options or "s" in options or "n" in options or "o" in options or "g" in options:
        head += f"total {sum(blocks(entry.node) for entry in entries) // 2}\n"
    await ctx.out(head + _listing(ctx, entries, options))
    if "R" in options:
        for entry in entries:
            if entry.node.kind == "dir" and entry.name not in {".", ".."}:
                below = posixpath.join(name, entry.name)
                await _folder(ctx, below, options, f"\n{below}:\n")


def _sorted(entries: list[Entry], options: Options) -> list[Entry]:
    if "f" in options:
        return entries
    entries = sorted(entries, key=lambda entry: entry.name)
    if "t" in options:
        entries.sort(key=lambda entry: -entry.node.mtime)
    elif "S" in options:
        entries.sort(key=lambda entry: -size(entry.node))
    return entries[::-1] if "r" in options else entries


def _listing(ctx: Context, entries: list[Entry], options: Options) -> str:
    if {"l", "n", "o", "g"} & {flag for flag, _ in options.given}:
        return _long(ctx, entries, options)
    names = [_numbers(entry, options) + _marked(entry, options) for entry in entries]
    if "m" in options:
        return ", ".join(names) + "\n"
    at_terminal = ctx.session.tty and ctx.stdout is ctx.shell.session.stdout
    if "1" not in options and (at_terminal or "C" in options or "x" in options):
        return _columns(names, across="x" in options)
    return "".join(f"{name}\n" for name in names)


def _numbers(entry: Entry, options: Options) -> str:
    text = f"{inode(entry.path)} " if "i" in options else ""
    return text + (f"{blocks(entry.node) // 2} " if "s" in options else "")


def _marked(entry: Entry, options: Options) -> str:
    if entry.node.kind == "dir" and ("F" in options or "p" in options):
        return f"{entry.name}/"
    if "F" in options and entry.node.kind == "link":
        return f"{entry.name}@"
    if "F" in options and entry.node.mode & 0o111 and entry.node.kind == "file":
        return f"{entry.name}*"
    return entry.name


def _long(ctx: Context, entries: list[Entry], options: Options) -> str:
    show = str if "n" in options else name_of
    rows = []
    for entry in entries:
        node = entry.node
        arrow = f" -> {node.target}" if node.kind == "link" else ""
        rows.append(
            (
                _numbers(entry, options) + mode_text(node),
                str(links(ctx, entry.path, node)),
                *([show(node.uid)] if "g" not in options else []),
                *([show(node.gid)] if "o" not in options else []),
                _size_text(entry, human="h" in options),
                _when(datetime.fromtimestamp(node.mtime, ctx.phone.clock.zone), options),
                _marked(entry, options) + arrow,
            )
        )
    return "".join(f"{line}\n" for line in _aligned(rows))


def _when(moment: datetime, options: Options) -> str:
    """Tell a time: with -ll to the nanosecond, and how far the zone is from Greenwich."""
    exact = f":%S.{moment.microsecond:06}000 %z" if len(options.all("l")) > 1 else ""
    return moment.strftime(f"%Y-%m-%d %H:%M{exact}")


def _aligned(rows: list[tuple[str, ...]]) -> Iterable[str]:
    """Yield lines with numbers to the right and names to the left of their columns."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    size_column = len(widths) - 3
    for row in rows:
        cells = [
            cell.rjust(width) if at in {1, size_column} else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row[:-1], widths, strict=False))
        ]
        yield " ".join([*cells, row[-1]])


def _columns(names: list[str], *, across: bool) -> str:
    """Arrange names in as many columns as fit into a line."""
    for count in range(len(names), 0, -1):
        height = -(-len(names) // count)
        columns = (
            [names[at::count] for at in range(count)]
            if across
            else [names[at : at + height] for at in range(0, len(names), height)]
        )
        widths = [max(map(len, column)) for column in columns]
        if sum(widths) + 2 * (len(widths) - 1) <= _TERMINAL or count == 1:
            lines = (
                "  ".join(
                    c[row].ljust(w) for c, w in zip(columns, widths, strict=True) if row < len(c)
                )
                for row in range(height)
            )
            return "".join(f"{line.rstrip()}\n" for line in lines)
    return ""


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
