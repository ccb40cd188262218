"""Commands that make and remove files and folders."""

from __future__ import annotations

import posixpath

from pytest_mobileagent.virtual.shell.commands import Context, command
from pytest_mobileagent.virtual.shell.dates import parsed, parsed_for_touch
from pytest_mobileagent.virtual.shell.modes import new_mode
from pytest_mobileagent.virtual.shell.options import parse


@command("mkdir")
async def mkdir(ctx: Context, args: list[str]) -> int:
    """Create folders."""
    options = parse(args, "m:pv", {"parents": "p"}, least=1)
    mode = new_mode(options.get("m"), 0o777, is_dir=True) if "m" in options else 0o777

    async def make(name: str) -> None:
        if "p" in options:
            make_folders(ctx, name)
        else:
            ctx.files.mkdir(name, mode)
        if "v" in options:
            await ctx.out(f"mkdir: created directory '{name}'\n")

    return await ctx.each(options.rest, make)


def make_folders(ctx: Context, name: str) -> None:
    """Create a folder, and those on the way to it, if they are not there."""
    parents = name.split("/")
    for end in range(1, len(parents) + 1):
        parent = "/".join(parents[:end])
        if parent and not ctx.files.is_dir(parent):
            ctx.files.mkdir(parent)


@command("rmdir")
async def rmdir(ctx: Context, args: list[str]) -> int:
    """Remove empty folders."""
    options = parse(args, "p", least=1)

    async def remove(name: str) -> None:
        ctx.files.rmdir(name)
        while "p" in options and (name := posixpath.dirname(name)):
            ctx.files.rmdir(name)

    return await ctx.each(options.rest, remove)


@command("touch")
async def touch(ctx: Context, args: list[str]) -> int:
    """Set the time of files, which are created if absent."""
    options = parse(args, "acd:hmr:t:", least=1)
    mtime = None
    if "r" in options:
        mtime = ctx.files.stat(options.get("r")).mtime
    elif "t" in options:
        mtime = parsed_for_touch(options.get("t"), ctx.phone.clock.now())
    elif "d" in options:
        mtime = parsed(options.get("d"), ctx.phone.clock.now())

    async def set_time(name: str) -> None:
        if "c" not in options or ctx.files.exists(name):
            ctx.files.touch(name, mtime)

    return await ctx.each(options.rest, set_time)


@command("rm")
async def rm(ctx: Context, args: list[str]) -> int:
    """Remove files, and with -r folders."""
    options = parse(args, "firRv", least=0 if "-f" in args else 1)
    recursive = "r" in options or "R" in options

    async def remove(name: str) -> None:
        node = ctx.files.find(name, follow=False)
        if node is None and "f" in options:
            return
        if node and node.kind == "dir" and recursive:
            await _remove_tree(ctx, name)
        else:
            ctx.files.remove(name)
        if "v" in options:
            await ctx.out(f"rm '{name}'\n")

    return await ctx.each(options.rest, remove)


async def _remove_tree(ctx: Context, name: str) -> None:
    async def remove(below: str) -> None:
        node = ctx.files.stat(below, follow=False)
        if node.kind == "dir":
            await _remove_tree(ctx, below)
        else:
            ctx.files.remove(below)

    await ctx.each([posixpath.join(name, each) for each in ctx.files.listdir(name)], remove)
    ctx.files.rmdir(name)
