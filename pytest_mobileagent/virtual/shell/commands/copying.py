"""cp, mv and ln."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.kernel.users import ROOT
from pytest_mobileagent.virtual.shell.commands import Context, Failure, command
from pytest_mobileagent.virtual.shell.options import Options, parse

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.files import Node


@command("cp")
async def cp(ctx: Context, args: list[str]) -> int:
    """Copy files, and with -r folders."""
    options = parse(args, "adfHiLnPprRsTvt:u", least=2)
    recursive = bool({"a", "r", "R"} & {flag for flag, _ in options.given})
    *sources, goal = options.rest
    _check_goal(ctx, sources, goal)

    async def copy(name: str) -> None:
        await _copy(ctx, name, _inside(ctx, goal, name), options, recursive=recursive)

    return await ctx.each(sources, copy)


async def _copy(ctx: Context, name: str, goal: str, options: Options, *, recursive: bool) -> None:
    node = _source(ctx, name, follow=not recursive)
    if node.kind == "dir" and not recursive:
        raise Failure(f"Skipped dir '{name}': Is a directory")
    if node.kind == "dir":
        if not ctx.files.is_dir(goal):
            ctx.files.mkdir(goal)
        for each in ctx.files.listdir(name):
            below = posixpath.join(name, each), posixpath.join(goal, each)
            await _copy(ctx, *below, options, recursive=True)
    elif node.kind == "link" and recursive:
        ctx.files.symlink(node.target, goal)
    elif not ("n" in options and ctx.files.exists(goal)):
        await _copy_file(ctx, name, goal, options)
    if ("p" in options or "a" in options) and not ctx.path(goal).startswith("/dev/"):
        _preserve(ctx, node, goal)
    if "v" in options:
        await ctx.out(f"cp '{name}'\n")


async def _copy_file(ctx: Context, name: str, goal: str, options: Options) -> None:
    data = await ctx.read(name)
    if "f" in options and ctx.files.exists(goal) and not ctx.files.may(goal, "w"):
        ctx.files.remove(goal)
    await ctx.save(goal, data)
    if ctx.uid not in {0, ctx.files.stat(goal).uid} or ctx.path(goal).startswith("/dev/"):
        return
    ctx.files.chmod(goal, ctx.files.stat(name).mode & 0o777)


def _preserve(ctx: Context, node: Node, goal: str) -> None:
    """Copy the owner, mode and time of a file to its copy, as far as permitted."""
    if ctx.uid == ROOT:
        ctx.phone.files.chown(ctx.path(goal), node.uid, node.gid, follow=False)
    if node.kind != "link" and ctx.uid in {ROOT, ctx.files.stat(goal).uid}:
        ctx.files.chmod(goal, node.mode & 0o7777)
        ctx.files.touch(goal, node.mtime)


@command("mv")
async def mv(ctx: Context, args: list[str]) -> int:
    """Move files and folders."""
    options = parse(args, "finTvx", least=2)
    *sources, goal = options.rest
    _check_goal(ctx, sources, goal)

    async def move(name: str) -> None:
        _source(ctx, name, follow=False)
        new = _inside(ctx, goal, name)
        if not ("n" in options and ctx.files.exists(new)):
            ctx.files.rename(name, new)
        if "v" in options:
            await ctx.out(f"mv '{name}'\n")

    return await ctx.each(sources, move)


def _check_goal(ctx: Context, sources: list[str], goal: str) -> None:
    if len(sources) > 1 and not ctx.files.is_dir(goal):
        raise Failure(f"'{goal}' not directory")


def _source(ctx: Context, name: str, *, follow: bool) -> Node:
    try:
        return ctx.files.stat(name, follow=follow)
    except OSError as error:
        raise Failure(f"bad '{name}': {error.strerror}") from None


@command("ln")
async def ln(ctx: Context, args: list[str]) -> int:
    """Create links, but only symbolic ones: Android's shared storage supports no others."""
    options = parse(args, "fnrsTv", least=1)
    *targets, goal = options.rest if options.rest[1:] else [*options.rest, "."]

    async def link(target: str) -> None:
        name = _inside(ctx, goal, target)
        if "s" not in options:
            raise PermissionError(13, "Permission denied", name)
        if "f" in options and ctx.files.find(name, follow=False):
            ctx.files.remove(name)
        try:
            ctx.files.symlink(target, name)
        except OSError as error:
            raise Failure(
                f"cannot create symbolic link from '{target}' to '{name}': {error.strerror}"
            ) from None

    return await ctx.each(targets, link)


def _inside(ctx: Context, goal: str, name: str) -> str:
    """Return the path of a file at its destination: in a folder, it keeps its name."""
    if not ctx.files.is_dir(goal):
        return goal
    return posixpath.join(goal, posixpath.basename(name.rstrip("/")))
