"""Commands about names: readlink, realpath, basename, dirname."""

from __future__ import annotations

import posixpath

from pytest_mobileagent.virtual.shell.commands import Context, command
from pytest_mobileagent.virtual.shell.options import Options, parse


@command("readlink")
async def readlink(ctx: Context, args: list[str]) -> int:
    """Print what links lead to."""
    options = parse(args, "efmnq", least=1)
    status = 0
    for name in options.rest:
        resolved = _resolved(ctx, name, options)
        if resolved is None:
            status = 1
        else:
            await ctx.out(resolved + ("" if "n" in options else "\n"))
    return status


def _resolved(ctx: Context, name: str, options: Options) -> str | None:
    if not {"e", "f", "m"} & {flag for flag, _ in options.given}:
        node = ctx.files.find(name, follow=False)
        return node.target if node and node.kind == "link" else None
    path = ctx.files.resolve(name)
    parent_exists = ctx.files.is_dir(posixpath.dirname(path))
    if ("e" in options and not ctx.files.exists(path)) or ("f" in options and not parent_exists):
        return None
    return path


@command("realpath")
async def realpath(ctx: Context, args: list[str]) -> int:
    """Print real paths."""
    options = parse(args, "", least=1)

    async def show(name: str) -> None:
        ctx.files.stat(name)
        await ctx.out(f"{ctx.files.resolve(name)}\n")

    return await ctx.each(options.rest, show)


@command("basename")
async def basename(ctx: Context, args: list[str]) -> int:
    """Print the last part of a path, without a suffix."""
    options = parse(args, "as:", least=1)
    if "a" in options or "s" in options:
        names, suffix = options.rest, options.get("s")
    else:
        names, suffix = options.rest[:1], "".join(options.rest[1:2])
    for name in names:
        base = posixpath.basename(name.rstrip("/")) or name[:1]
        await ctx.out((base.removesuffix(suffix) or base) + "\n")
    return 0


@command("dirname")
async def dirname(ctx: Context, args: list[str]) -> int:
    """Print paths without their last part."""
    options = parse(args, "", least=1)
    for name in options.rest:
        stripped = name.rstrip("/") or name[:1]
        await ctx.out(
            (posixpath.dirname(stripped).rstrip("/") or ("/" if stripped[:1] == "/" else "."))
            + "\n"
        )
    return 0
