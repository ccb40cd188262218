"""unzip, which is a part of ziptool on Android."""

from __future__ import annotations

import io
import posixpath
from typing import TYPE_CHECKING
from zipfile import BadZipFile, ZipFile, ZipInfo

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command
from pytest_mobileagent.virtual.shell.commands.files import make_folders
from pytest_mobileagent.virtual.shell.limits import BLOCK, MEMORY, breathe, out_of_memory
from pytest_mobileagent.virtual.shell.options import parse

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.options import Options

RULE = "---------  ---------- -----   ----\n"


@command("unzip")
async def unzip(ctx: Context, args: list[str]) -> int:
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
        return 0
    for member in members:
        try:
            data = await _unpacked(archive, member)
        except (BadZipFile, NotImplementedError, RuntimeError) as error:  # broken, or encrypted
            raise Failure(f"failed to extract {member.filename}: {error}") from None
        await _extract(ctx, member, data, options)
    return 0


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
