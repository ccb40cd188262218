"""dd: copies bytes in blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command
from pytest_mobileagent.virtual.shell.limits import VALUE, breathe, out_of_memory
from pytest_mobileagent.virtual.shell.options import size
from pytest_mobileagent.virtual.shell.session import flush

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.streams import Reader

_SETTINGS = {"if", "of", "bs", "count", "skip", "status"}


@command("dd")
async def dd(ctx: Context, args: list[str]) -> int:
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
    return 0


async def _block(source: Reader, wanted: int) -> bytes:
    """Read a whole block, or less at the end."""
    data = bytearray()
    while len(data) < wanted and (more := await source.read(wanted - len(data))):
        data += more
    return bytes(data)
