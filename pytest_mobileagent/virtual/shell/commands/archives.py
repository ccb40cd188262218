"""Commands that pack and unpack: gzip, tar, unzip."""

from __future__ import annotations

import gzip as codec
import io
import posixpath
import tarfile
import zipfile
import zlib

from pytest_mobileagent.virtual.kernel.users import name_of
from pytest_mobileagent.virtual.shell.commands import Context, Failure, command
from pytest_mobileagent.virtual.shell.options import Options, parse

_TAR = {"create": "c", "extract": "x", "list": "t", "file": "f", "directory": "C", "gzip": "z"}


@command("gzip", "gunzip", "zcat")
async def gzip(ctx: Context, args: list[str]) -> int:
    """Pack or unpack files."""
    options = parse(args, "cdfklnqtv123456789")
    unpack = "d" in options or ctx.name != "gzip"

    async def convert(name: str) -> None:
        data = await ctx.read(name)
        result = _unpacked(name, data) if unpack else codec.compress(data, mtime=0)
        if name == "-" or "c" in options or ctx.name == "zcat":
            await ctx.out(result)
            return
        if unpack and not name.endswith(".gz"):
            raise Failure(f"no .gz: {name}")
        await ctx.save(name.removesuffix(".gz") if unpack else f"{name}.gz", result)
        if "k" not in options:
            ctx.files.remove(name)

    return await ctx.each(options.rest or ["-"], convert)


def _unpacked(name: str, data: bytes) -> bytes:
    try:
        return codec.decompress(data)
    except (OSError, EOFError, zlib.error):
        raise Failure(f"bad gzip: {name}") from None


@command("tar")
async def tar(ctx: Context, args: list[str]) -> int:
    """Pack files into an archive, or list or unpack one."""
    words = [f"-{args[0]}", *args[1:]] if args and not args[0].startswith("-") else args
    options = parse(words, "cxtvf:C:zjJmoOpkh", _TAR)
    modes = [letter for letter in "cxt" if letter in options]
    if len(modes) != 1:
        raise Failure("Needs -txc")
    name = options.get("f", "-")
    ctx.session.cwd, here = ctx.path(options.get("C", ".")), ctx.path(name)
    if modes == ["c"]:
        data = await _create(ctx, options)
        await (ctx.out(data) if name == "-" else ctx.save(here, data))
        return ctx.failed
    try:
        data = await ctx.read(name if name == "-" else here)
    except OSError as error:
        raise Failure(f"{name}: {error.strerror}") from None
    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for member in archive:
                if not options.rest or any(_is_within(member.name, each) for each in options.rest):
                    await _take_out(ctx, archive, member, options, extract=modes == ["x"])
    except tarfile.TarError:
        raise Failure("Not tar") from None
    return ctx.failed


async def _create(ctx: Context, options: Options) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:

        async def add(name: str) -> None:
            node = ctx.files.stat(name, follow=False)
            member = tarfile.TarInfo(name.lstrip("/"))
            member.mode, member.mtime = node.mode & 0o7777, int(node.mtime)
            member.uid, member.gid = node.uid, node.gid
            member.uname, member.gname = name_of(node.uid), name_of(node.gid)
            member.size, member.linkname = len(node.data), node.target
            member.type = {
                "file": tarfile.REGTYPE,
                "dir": tarfile.DIRTYPE,
                "link": tarfile.SYMTYPE,
            }[node.kind]
            content = ctx.files.read(name) if node.kind == "file" else b""
            archive.addfile(member, io.BytesIO(content))
            if "v" in options:
                await ctx.err(f"{member.name}{'/' if node.kind == 'dir' else ''}\n")
            if node.kind == "dir":
                await ctx.each(
                    [posixpath.join(name, each) for each in ctx.files.listdir(name)], add
                )

        await ctx.each(options.rest, add)
    data = buffer.getvalue()
    return codec.compress(data, mtime=0) if "z" in options else data


async def _take_out(
    ctx: Context,
    archive: tarfile.TarFile,
    member: tarfile.TarInfo,
    options: Options,
    *,
    extract: bool,
) -> None:
    """List or unpack one member; names that lead out of the folder are made to stay in it."""
    shown = member.name + ("/" if member.isdir() else "")
    if not extract or "v" in options:
        await ctx.out(f"{shown}\n")
    if not extract:
        return
    name = posixpath.normpath("/" + member.name).lstrip("/") or "."
    content = archive.extractfile(member) if member.isfile() else None
    if content and "O" in options:
        await ctx.out(content.read())
        return
    _make_folders(ctx, posixpath.dirname(name))
    if member.isdir():
        _make_folders(ctx, name)
    elif member.issym():
        ctx.files.symlink(member.linkname, name)
    elif content:
        ctx.files.write(name, content.read())
        ctx.files.touch(name, member.mtime)


def _is_within(name: str, folder: str) -> bool:
    return name == folder.rstrip("/") or name.startswith(folder.rstrip("/") + "/")


def _make_folders(ctx: Context, name: str) -> None:
    parts = [part for part in name.split("/") if part]
    for end in range(1, len(parts) + 1):
        folder = "/".join(parts[:end])
        if not ctx.files.is_dir(folder):
            ctx.files.mkdir(folder)


@command("unzip")
async def unzip(ctx: Context, args: list[str]) -> int:
    """List or unpack the files of a zip archive."""
    options = parse(args, "d:jlnopqv", least=1)
    data = await ctx.read(options.rest[0])
    wanted = options.rest[1:]
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except zipfile.BadZipFile:
        raise Failure(f"couldn't open {options.rest[0]}: Invalid file") from None
    with archive:
        members = [each for each in archive.infolist() if not wanted or each.filename in wanted]
        if "l" in options:
            await _list_zip(ctx, options.rest[0], members)
            return 0
        for member in members:
            name = posixpath.normpath("/" + member.filename).lstrip("/")
            goal = posixpath.join(
                options.get("d", "."), posixpath.basename(name) if "j" in options else name
            )
            if "p" in options:
                await ctx.out(archive.read(member))
                continue
            _make_folders(ctx, goal if member.is_dir() else posixpath.dirname(goal))
            if not member.is_dir() and not ("n" in options and ctx.files.exists(goal)):
                ctx.files.write(goal, archive.read(member))
                if "q" not in options:
                    await ctx.out(f"  inflating: {goal}\n")
    return 0


async def _list_zip(ctx: Context, name: str, members: list[zipfile.ZipInfo]) -> None:
    await ctx.out(f"Archive:  {name}\n  Length      Date    Time    Name\n")
    await ctx.out("---------  ---------- -----   ----\n")
    for member in members:
        year, month, day, hour, minute, _ = member.date_time
        when = f"{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}"
        await ctx.out(f"{member.file_size:9d}  {when}   {member.filename}\n")
    total = sum(member.file_size for member in members)
    await ctx.out("---------                     -------\n")
    await ctx.out(
        f"{total:9d}                     {len(members)} file{'s' if len(members) != 1 else ''}\n"
    )
