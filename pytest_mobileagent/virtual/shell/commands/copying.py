"""cp, mv and ln; dd; and unzip."""

from __future__ import annotations

import io
import posixpath
from typing import TYPE_CHECKING
from zipfile import BadZipFile, ZipFile, ZipInfo

from pytest_mobileagent.virtual.kernel.users import ROOT
from pytest_mobileagent.virtual.shell.commands import (
    Context,
    Failure,
    Options,
    command,
    parse,
    size,
)
from pytest_mobileagent.virtual.shell.commands.files import make_folders
from pytest_mobileagent.virtual.shell.limits import BLOCK, MEMORY, VALUE, breathe, out_of_memory
from pytest_mobileagent.virtual.shell.session import flush

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.files import Node
    from pytest_mobileagent.virtual.shell.session import Reader


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
    if ctx.uid in {0, ctx.files.stat(goal).uid} and not ctx.path(goal).startswith("/dev/"):
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
            what = f"symbolic link from '{target}' to '{name}'"
            raise Failure(f"cannot create {what}: {error.strerror}") from None

    return await ctx.each(targets, link)


def _inside(ctx: Context, goal: str, name: str) -> str:
    """Return the path of a file at its destination: in a folder, it keeps its name."""
    if not ctx.files.is_dir(goal):
        return goal
    return posixpath.join(goal, posixpath.basename(name.rstrip("/")))


_SETTINGS = {"if", "of", "bs", "count", "skip", "status"}


@command("dd")
async def dd(ctx: Context, args: list[str]) -> None:
    """Copy a file in blocks: if=FILE of=FILE bs=SIZE count=BLOCKS skip=BLOCKS status=none."""
    settings = dict(word.partition("=")[::2] for word in args)
    if unknown := [name for name in settings if name not in _SETTINGS]:
        raise Failure(f"unknown argument '{unknown[0]}'")
    block = size(settings.get("bs", "512"))
    if not 0 < block <= VALUE:
        raise out_of_memory()
    source = ctx.reader(settings["if"]) if "if" in settings else ctx.stdin
    goal = ctx.writer(settings["of"]) if "of" in settings else ctx.stdout
    for _ in range(size(settings.get("skip", "0"))):
        if not await _block(source, block):
            break
    left = size(settings["count"]) if "count" in settings else -1
    whole = part = copied = 0
    try:
        while left != 0 and (data := await _block(source, block)):
            await goal.write(data)
            copied, left = copied + len(data), left - 1
            whole, part = (whole + 1, part) if len(data) == block else (whole, part + 1)
            await breathe()
    finally:
        flush([goal])
        if settings.get("status") != "none":
            await ctx.err(f"{whole}+{part} records in\n{whole}+{part} records out\n")
            await ctx.err(f"{copied} bytes copied\n")


async def _block(source: Reader, wanted: int) -> bytes:
    """Read a whole block, or less at the end."""
    data = bytearray()
    while len(data) < wanted and (more := await source.read(wanted - len(data))):
        data += more
    return bytes(data)


RULE = "---------  ---------- -----   ----\n"


@command("unzip")
async def unzip(ctx: Context, args: list[str]) -> None:
    """List or extract the files of a zip archive."""
    options = parse(args, "d:lnopq", least=1)
    name, *wanted = options.rest
    try:
        archive = ZipFile(io.BytesIO(await ctx.read(name)))
    except BadZipFile:
        raise Failure(f"couldn't open {name}: Invalid file") from None
    members = [each for each in archive.infolist() if not wanted or each.filename in wanted]
    if "q" not in options and "p" not in options:
        await ctx.out(f"Archive:  {name}\n")
    if "l" in options:
        await ctx.out(_listing(members))
        return
    for member in members:
        try:
            data = await _unpacked(archive, member)
        except (BadZipFile, NotImplementedError, RuntimeError) as error:  # broken, or encrypted
            raise Failure(f"failed to extract {member.filename}: {error}") from None
        await _extract(ctx, member, data, options)


async def _unpacked(archive: ZipFile, member: ZipInfo) -> bytes:
    """Read a file, regardless of its declared size."""
    data = bytearray()
    with archive.open(member) as packed:
        while block := packed.read(BLOCK):
            data += block
            if len(data) > MEMORY:
                raise out_of_memory()
            await breathe()
    return bytes(data)


def _listing(members: list[ZipInfo]) -> str:
    rows = "".join(f"{each.file_size:9d}  {_when(each)}   {each.filename}\n" for each in members)
    total, count = sum(each.file_size for each in members), len(members)
    end = f"---------                     -------\n{total:9d}"
    files = f"{count} file{'s' if count != 1 else ''}"
    return f"  Length      Date    Time    Name\n{RULE}{rows}{end}                     {files}\n"


def _when(member: ZipInfo) -> str:
    year, month, day, hour, minute, _ = member.date_time
    return f"{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}"


async def _extract(ctx: Context, member: ZipInfo, data: bytes, options: Options) -> None:
    """Write a file below the target folder; without -o, an existing file is kept."""
    if "p" in options:
        await ctx.out(data)
        return
    goal = posixpath.join(options.get("d", "."), posixpath.normpath(f"/{member.filename}")[1:])
    make_folders(ctx, goal if member.is_dir() else posixpath.dirname(goal))
    if member.is_dir() or ("o" not in options and ctx.files.exists(goal)):
        return
    if "q" not in options:
        await ctx.out(f"  inflating: {goal}\n")
    await ctx.save(goal, data)
