"""Commands that show, copy and count lines and bytes."""

from __future__ import annotations

import base64 as codec
import binascii
import hashlib
import re
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command, number
from pytest_mobileagent.virtual.shell.options import Options, parse, size
from pytest_mobileagent.virtual.shell.streams import pour, read_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.virtual.shell.streams import Writer

_BLOCK = 65536


@command("cat")
async def cat(ctx: Context, args: list[str]) -> int:
    """Copy files to stdout."""
    options = parse(args, "u")

    async def copy(name: str) -> None:
        await pour(ctx.reader(name), ctx.stdout)

    return await ctx.each(options.rest or ["-"], copy)


@command("head")
async def head(ctx: Context, args: list[str]) -> int:
    """Copy the first lines of files."""
    options = parse(_with_number(args), "n:c:qv")
    many = len(options.rest) > 1

    async def copy(name: str) -> None:
        source = ctx.reader(name)
        await _title(ctx, name, options, many=many)
        if "c" in options:
            count = options.number("c", 0)
            while count and (data := await source.read(min(count, _BLOCK))):
                await ctx.out(data)
                count -= len(data)
            return
        left = options.number("n", 10)
        while left and (line := await read_line(source)):
            await ctx.out(line)
            left -= 1

    return await ctx.each(options.rest or ["-"], copy)


@command("tail")
async def tail(ctx: Context, args: list[str]) -> int:
    """Copy the last lines of files."""
    options = parse(_with_number(args), "n:c:qv")
    many = len(options.rest) > 1

    async def copy(name: str) -> None:
        data = await ctx.read(name)
        await _title(ctx, name, options, many=many)
        await ctx.out(_tail(data, options))

    return await ctx.each(options.rest or ["-"], copy)


def _tail(data: bytes, options: Options) -> bytes:
    option = "c" if "c" in options else "n"
    text = options.get(option, "10")
    units: Sequence[bytes] | bytes = data if option == "c" else data.splitlines(keepends=True)
    count = size(text.lstrip("+-"))
    if text.startswith("+"):
        chosen = units[max(0, count - 1) :]
    else:
        chosen = units[-count:] if count else units[:0]
    return chosen if isinstance(chosen, bytes) else b"".join(chosen)


async def _title(ctx: Context, name: str, options: Options, *, many: bool) -> None:
    if (many and "q" not in options) or "v" in options:
        between = "\n" if name != options.rest[0] else ""
        await ctx.out(f"{between}==> {name} <==\n")


def _with_number(args: list[str]) -> list[str]:
    """Return the options with -5 written as -n 5."""
    return [f"-n{word[1:]}" if re.fullmatch(r"-\d+", word) else word for word in args]


@command("tee")
async def tee(ctx: Context, args: list[str]) -> int:
    """Copy stdin to stdout and to files."""
    options = parse(args, "ai")
    writers: list[Writer] = [ctx.stdout]

    async def open_(name: str) -> None:
        writers.append(ctx.writer(name, append="a" in options))

    status = await ctx.each(options.rest, open_)
    while data := await ctx.stdin.read():
        for writer in writers:
            await writer.write(data)
    return status


@command("wc")
async def wc(ctx: Context, args: list[str]) -> int:
    """Count lines, words, and bytes or characters."""
    options = parse(args, "clmw")
    wanted = [letter for letter in "lwmc" if letter in options] or ["l", "w", "c"]
    totals = [0] * len(wanted)

    async def count(name: str) -> None:
        data = await ctx.read(name)
        counts = {
            "l": data.count(b"\n"),
            "w": len(data.split()),
            "c": len(data),
            "m": len(data.decode(errors="replace")),
        }
        for at, letter in enumerate(wanted):
            totals[at] += counts[letter]
        await ctx.out(_counts([counts[letter] for letter in wanted], name if options.rest else ""))

    status = await ctx.each(options.rest or ["-"], count)
    if len(options.rest) > 1:
        await ctx.out(_counts(totals, "total"))
    return status


def _counts(counts: list[int], name: str) -> str:
    return " ".join([*map(str, counts), *([name] if name else [])]) + "\n"


@command("seq")
async def seq(ctx: Context, args: list[str]) -> int:
    """Print numbers."""
    words = [f"+{word}" if re.fullmatch(r"-\d+", word) else word for word in args]
    options = parse(words, "s:w", least=1, most=3)
    given = [number(word.removeprefix("+")) for word in options.rest]
    first, step, last = {1: (1, 1, *given), 2: (given[0], 1, given[-1])}.get(len(given), given)
    values = [str(value) for value in range(first, last + (1 if step > 0 else -1), step or 1)]
    width = max(map(len, values), default=0) if "w" in options else 0
    if values:
        await ctx.out(options.get("s", "\n").join(each.zfill(width) for each in values) + "\n")
    return 0


_HASHES = {f"{name}sum": name for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512")}


@command(*_HASHES)
async def checksum(ctx: Context, args: list[str]) -> int:
    """Print or check hashes of files."""
    options = parse(args, "b", {"brief": "b"})

    async def show(name: str) -> None:
        data = await ctx.read(name)
        value = hashlib.new(_HASHES[ctx.name], data, usedforsecurity=False).hexdigest()
        await ctx.out(f"{value}\n" if "b" in options else f"{value}  {name}\n")

    return await ctx.each(options.rest or ["-"], show)


@command("base64")
async def base64(ctx: Context, args: list[str]) -> int:
    """Encode or decode."""
    options = parse(args, "diw:", {"decode": "d"}, most=1)
    data = await ctx.read(options.rest[0] if options.rest else "-")
    if "d" in options:
        try:
            await ctx.out(codec.b64decode(re.sub(rb"[^A-Za-z0-9+/=]", b"", data)))
        except binascii.Error:
            raise Failure("bad input") from None
        return 0
    text = codec.b64encode(data).decode()
    width = options.number("w", 76) or len(text) or 1
    lines = [text[at : at + width] for at in range(0, len(text), width)]
    await ctx.out("\n".join(lines) + ("\n" if options.number("w", 76) else ""))
    return 0
