"""diff: shows in what files and folders differ."""

from __future__ import annotations

import difflib
import posixpath
from datetime import datetime

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command, decode
from pytest_mobileagent.virtual.shell.options import Options, parse

_SAME, _DIFFERENT, _TROUBLE = 0, 1, 2


@command("diff")
async def diff(ctx: Context, args: list[str]) -> int:
    """Print a unified diff."""
    options = parse(args, "aBbdiL:NqrsTtU:uw", {"unified": "u", "brief": "q"}, least=2, most=2)
    return await _compared(ctx, options.rest[0], options.rest[1], options)


async def _compared(ctx: Context, left: str, right: str, options: Options) -> int:
    if ctx.files.is_dir(left) and ctx.files.is_dir(right):
        return await _folders(ctx, left, right, options)
    if ctx.files.is_dir(left):
        left = posixpath.join(left, posixpath.basename(right))
    elif ctx.files.is_dir(right):
        right = posixpath.join(right, posixpath.basename(left))
    texts = [await _lines(ctx, name, options) for name in (left, right)]
    if texts[0] == texts[1]:
        if "s" in options:
            await ctx.out(f"Files {left} and {right} are identical\n")
        return _SAME
    if "q" in options:
        await ctx.out(f"Files {left} and {right} differ\n")
        return _DIFFERENT
    labels = [
        *options.all("L"),
        *(_label(ctx, name) for name in (left, right)[len(options.all("L")) :]),
    ]
    around = options.number("U", 3)
    for line in difflib.unified_diff(texts[0], texts[1], labels[0], labels[1], n=around):
        ending = "" if line.endswith("\n") else "\n\\ No newline at end of file\n"
        await ctx.out(line + ending)
    return _DIFFERENT


async def _folders(ctx: Context, left: str, right: str, options: Options) -> int:
    status = _SAME
    names = [set(ctx.files.listdir(folder)) for folder in (left, right)]
    for name in sorted(names[0] | names[1]):
        paths = posixpath.join(left, name), posixpath.join(right, name)
        missing = name not in names[0], name not in names[1]
        if any(missing) and "N" not in options:
            await ctx.out(f"Only in {right if missing[0] else left}: {name}\n")
            status = _DIFFERENT
        elif "r" in options or not all(ctx.files.is_dir(path) for path in paths):
            status = max(status, await _compared(ctx, *paths, options))
    return status


async def _lines(ctx: Context, name: str, options: Options) -> list[str]:
    if "N" in options and not ctx.files.exists(name):
        return []
    try:
        text = decode(await ctx.read(name))
    except OSError as error:
        raise Failure(f"{name}: {error.strerror}", _TROUBLE) from None
    lines = text.splitlines(keepends=True)
    if "w" in options:
        lines = ["".join(line.split()) + "\n" for line in lines]
    elif "b" in options:
        lines = [" ".join(line.split()) + "\n" for line in lines]
    if "B" in options:
        lines = [line for line in lines if line.strip()]
    return [line.lower() for line in lines] if "i" in options else lines


def _label(ctx: Context, name: str) -> str:
    node = ctx.files.find(name)
    if node is None:
        return name
    when = datetime.fromtimestamp(node.mtime, ctx.phone.clock.zone)
    return f"{name}\t{when:%Y-%m-%d %H:%M:%S.%f}000 {when:%z}"
