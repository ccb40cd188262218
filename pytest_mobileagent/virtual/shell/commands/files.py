"""Commands that make and remove files and folders."""

from __future__ import annotations

import posixpath
import random
import string

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command
from pytest_mobileagent.virtual.shell.dates import parsed, parsed_for_touch
from pytest_mobileagent.virtual.shell.modes import new_mode
from pytest_mobileagent.virtual.shell.options import parse, size


@command("mkdir")
async def mkdir(ctx: Context, args: list[str]) -> int:
    """Create folders."""
    options = parse(args, "m:pv", {"parents": "p"}, least=1)
    mode = new_mode(options.get("m"), 0o777, is_dir=True) if "m" in options else 0o777

    async def make(name: str) -> None:
        if "p" in options:
            parents = name.split("/")
            for end in range(1, len(parents) + 1):
                parent = "/".join(parents[:end])
                if parent and not ctx.files.is_dir(parent):
                    ctx.files.mkdir(parent)
        else:
            ctx.files.mkdir(name, mode)
        if "v" in options:
            await ctx.out(f"mkdir: created directory '{name}'\n")

    return await ctx.each(options.rest, make)


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


@command("truncate")
async def truncate(ctx: Context, args: list[str]) -> int:
    """Cut files to a size, or fill them up with zeros."""
    options = parse(args, "cs:", least=1)
    wanted = options.get("s")

    async def cut(name: str) -> None:
        exists = ctx.files.exists(name)
        if "c" in options and not exists:
            return
        data = ctx.files.read(name) if exists else b""
        change = size(wanted.lstrip("+-"))
        length = {"+": len(data) + change, "-": max(0, len(data) - change)}.get(wanted[:1], change)
        ctx.files.write(name, data[:length].ljust(length, b"\0"))

    return await ctx.each(options.rest, cut)


@command("mktemp")
async def mktemp(ctx: Context, args: list[str]) -> int:
    """Create a file or a folder with a new name, and print it."""
    options = parse(args, "dp:qtu", most=1)
    template = options.rest[0] if options.rest else "tmp.XXXXXXXXXX"
    folder = options.get("p") or (
        ctx.env.get("TMPDIR", "/data/local/tmp") if not options.rest else ""
    )
    length = len(template) - len(template.rstrip("X"))
    if length < 2:
        raise Failure(f"need XX in '{template}'")
    letters = "".join(random.choices(string.ascii_letters + string.digits, k=length))
    name = posixpath.join(folder, template.rstrip("X") + letters)
    if "u" not in options:
        if "d" in options:
            ctx.files.mkdir(name, 0o700)
        else:
            ctx.files.write(name, b"")
            ctx.files.chmod(name, 0o600)
    await ctx.out(f"{name}\n")
    return 0
