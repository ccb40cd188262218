"""Commands that pack and unpack: gzip and tar."""

from __future__ import annotations

import gzip as codec
import io
import posixpath
import tarfile
import zlib

from pytest_mobileagent.virtual.kernel.users import name_of
from pytest_mobileagent.virtual.shell.commands import Context, Failure, command
from pytest_mobileagent.virtual.shell.commands.files import make_folders
from pytest_mobileagent.virtual.shell.options import Options, parse

_TAR = {"create": "c", "extract": "x", "list": "t", "file": "f", "directory": "C", "gzip": "z"}

_TYPES = {"file": tarfile.REGTYPE, "dir": tarfile.DIRTYPE, "link": tarfile.SYMTYPE}


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
    options = parse(words, "cxtvf:C:zp", _TAR)
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
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for member in archive:
                if "t" in options or "v" in options:
                    await ctx.out(f"{member.name}{'/' if member.isdir() else ''}\n")
                if "x" in options:
                    _take_out(ctx, archive, member)
    except OSError as error:
        raise Failure(f"{name}: {error.strerror}") from None
    except tarfile.TarError:
        raise Failure("Not tar") from None
    return ctx.failed


async def _create(ctx: Context, options: Options) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz" if "z" in options else "w") as archive:

        async def add(name: str) -> None:
            node = ctx.files.stat(name, follow=False)
            member = tarfile.TarInfo(name.lstrip("/"))
            member.mode, member.mtime = node.mode & 0o7777, int(node.mtime)
            member.uid, member.gid = node.uid, node.gid
            member.uname, member.gname = name_of(node.uid), name_of(node.gid)
            member.size, member.linkname = len(node.data), node.target
            member.type = _TYPES[node.kind]
            content = ctx.files.read(name) if node.kind == "file" else b""
            archive.addfile(member, io.BytesIO(content))
            if "v" in options:
                await ctx.err(f"{member.name}{'/' if node.kind == 'dir' else ''}\n")
            if node.kind == "dir":
                await ctx.each(
                    [posixpath.join(name, each) for each in ctx.files.listdir(name)], add
                )

        await ctx.each(options.rest, add)
    return buffer.getvalue()


def _take_out(ctx: Context, archive: tarfile.TarFile, member: tarfile.TarInfo) -> None:
    """Unpack one member; names that lead out of the folder are made to stay in it."""
    name = posixpath.normpath("/" + member.name).lstrip("/") or "."
    make_folders(ctx, name if member.isdir() else posixpath.dirname(name))
    if member.issym():
        ctx.files.symlink(member.linkname, name)
    elif member.isfile() and (content := archive.extractfile(member)):
        ctx.files.write(name, content.read())
        ctx.files.touch(name, member.mtime)
