"""Commands that create and remove files and folders, and change their owners, modes and names."""

from __future__ import annotations

import posixpath
import re

from pytest_mobileagent.virtual.kernel.users import number_of
from pytest_mobileagent.virtual.shell.commands import Context, Failure, UsageError, command, parse
from pytest_mobileagent.virtual.shell.commands.system import parsed, parsed_for_touch


@command("mkdir")
async def mkdir(ctx: Context, args: list[str]) -> int:
    """Create folders."""
    options = parse(args, "m:p", {"parents": "p"}, least=1)
    mode = new_mode(options.get("m"), 0o777, is_dir=True) if "m" in options else 0o777

    async def make(name: str) -> None:
        if "p" in options:
            make_folders(ctx, name)
        else:
            ctx.files.mkdir(name, mode)

    return await ctx.each(options.rest, make)


def make_folders(ctx: Context, name: str) -> None:
    """Create a folder and its missing parents."""
    parents = name.split("/")
    for end in range(1, len(parents) + 1):
        parent = "/".join(parents[:end])
        if parent and not ctx.files.is_dir(parent):
            ctx.files.mkdir(parent)


@command("rmdir")
async def rmdir(ctx: Context, args: list[str]) -> int:
    """Remove empty folders."""

    async def remove(name: str) -> None:
        ctx.files.rmdir(name)

    return await ctx.each(parse(args, "", least=1).rest, remove)


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

    async def remove_one(name: str) -> None:
        is_dir = recursive and ctx.files.stat(name, follow=False).kind == "dir"
        (ctx.files.rmdir if is_dir else ctx.files.remove)(name)
        if "v" in options:
            await ctx.out(f"rm '{name}'\n")

    async def remove(name: str) -> None:
        if "f" in options and ctx.files.find(name, follow=False) is None:
            return
        below = await ctx.walk(name, bottom_up=True) if recursive else []
        await ctx.each([each.path for each in below] or [name], remove_one)

    return await ctx.each(options.rest, remove)


_SHIFTS = {"u": 6, "g": 3, "o": 0}


@command("chmod")
async def chmod(ctx: Context, args: list[str]) -> int:
    """Set permission bits."""
    words = [word for word in args if not re.fullmatch("-[Rvf]+", word)]
    if len(words) < 2:
        raise UsageError("Needs 2 arguments")
    recursive = any(word.startswith("-") and "R" in word for word in args if word not in words)

    async def change(name: str) -> None:
        node = ctx.files.stat(name)
        ctx.files.chmod(name, new_mode(words[0], node.mode, is_dir=node.kind == "dir"))

    return await ctx.each(await _files(ctx, words[1:], recursive=recursive), change)


async def _files(ctx: Context, names: list[str], *, recursive: bool) -> list[str]:
    """Return the names; with `recursive`, include everything below them."""
    if not recursive:
        return names
    return [found.path for name in names for found in await ctx.walk(name, follow=True)]


@command("chown", "chgrp")
async def chown(ctx: Context, args: list[str]) -> int:
    """Set owners and groups."""
    options = parse(args, "fhRvLHP", least=2)
    user, _, group = options.rest[0].replace(".", ":").partition(":")
    if ctx.name == "chgrp":
        user, group = "", options.rest[0]
    uid, gid = _number(user, "user"), _number(group, "group")

    async def change(name: str) -> None:
        node = ctx.files.stat(name)
        ctx.files.chown(name, node.uid if uid is None else uid, node.gid if gid is None else gid)

    return await ctx.each(await _files(ctx, options.rest[1:], recursive="R" in options), change)


def _number(name: str, kind: str) -> int | None:
    found = number_of(name) if name else None
    if name and found is None:
        raise Failure(f"bad {kind} '{name}'")
    return found


def new_mode(text: str, old: int, *, is_dir: bool) -> int:
    """Return the mode that results from applying `text`, such as 644 or u+x, to the old one."""
    if re.fullmatch("[0-7]{1,4}", text):
        return int(text, 8)
    mode = old & 0o7777
    for clause in text.split(","):
        match = re.fullmatch(r"([ugoa]*)([-+=])([rwxXst]*)", clause)
        if match is None:
            raise Failure(f"bad mode '{text}'")
        who = set(match[1].replace("a", "ugo") or "ugo")
        bits = _bits(who, set(match[3]), runs=is_dir or bool(mode & 0o111))
        if match[2] == "=":
            mode &= ~sum(7 << _SHIFTS[each] for each in who)
        mode = mode & ~bits if match[2] == "-" else mode | bits
    return mode


def _bits(who: set[str], letters: set[str], *, runs: bool) -> int:
    """Return the bits for letters; X is x for folders and files that are already executable."""
    each = sum({"r": 4, "w": 2, "x": 1, "X": int(runs)}.get(letter, 0) for letter in letters)
    bits = sum(each << _SHIFTS[person] for person in who)
    if "t" in letters:
        bits |= 0o1000
    if "s" in letters:
        bits |= sum({"u": 0o4000, "g": 0o2000, "o": 0}[person] for person in who)
    return bits


@command("readlink")
async def readlink(ctx: Context, args: list[str]) -> int:
    """Print the targets of links: the immediate ones, or with -f the final ones."""
    options = parse(args, "fn", least=1, most=1)
    name = options.rest[0]
    node = ctx.files.find(name, follow=False)
    goal = ctx.files.resolve(name) if "f" in options else node.target if node else ""
    await ctx.out(goal + ("\n" if goal and "n" not in options else ""))
    return int(not goal)


@command("realpath")
async def realpath(ctx: Context, args: list[str]) -> int:
    """Print real paths."""

    async def show(name: str) -> None:
        ctx.files.stat(name)
        await ctx.out(f"{ctx.files.resolve(name)}\n")

    return await ctx.each(parse(args, "", least=1).rest, show)


@command("basename")
async def basename(_ctx: Context, args: list[str]) -> str:
    """Print the last part of a path, without a suffix."""
    name, suffix = [*parse(args, "", least=1, most=2).rest, ""][:2]
    base = posixpath.basename(name.rstrip("/")) or name[:1]
    return (base.removesuffix(suffix) or base) + "\n"


@command("dirname")
async def dirname(ctx: Context, args: list[str]) -> None:
    """Print paths without their last part."""
    for name in parse(args, "", least=1).rest:
        folder = posixpath.dirname(name.rstrip("/") or name[:1])
        await ctx.out(f"{folder.rstrip('/') or ('/' if name[:1] == '/' else '.')}\n")
