"""Commands that show, copy and count lines."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.commands import Context, command, encode, number
from pytest_mobileagent.virtual.shell.options import Options, parse, size
from pytest_mobileagent.virtual.shell.streams import read_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.virtual.shell.streams import Reader, Writer

_POLL = 0.2
_BLOCK = 65536


@command("cat")
async def cat(ctx: Context, args: list[str]) -> int:
    """Copy files to stdout."""
    options = parse(args, "u")

    async def copy(name: str) -> None:
        source = ctx.reader(name)
        while data := await source.read():
            await ctx.out(data)

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
            await _copy_bytes(ctx, source, options.number("c", 0))
            return
        left = options.number("n", 10)
        if left < 0:
            lines = (await source.read_all()).splitlines(keepends=True)
            await ctx.out(b"".join(lines[:left]))
            return
        while left and (line := await read_line(source)):
            await ctx.out(line)
            left -= 1

    return await ctx.each(options.rest or ["-"], copy)


async def _copy_bytes(ctx: Context, source: Reader, count: int) -> None:
    if count < 0:
        await ctx.out((await source.read_all())[:count])
        return
    while count and (data := await source.read(min(count, _BLOCK))):
        await ctx.out(data)
        count -= len(data)


@command("tail")
async def tail(ctx: Context, args: list[str]) -> int:
    """Copy the last lines of files, and with -f what is added to them."""
    options = parse(_with_number(args), "n:c:fFqs:v")
    many = len(options.rest) > 1

    async def copy(name: str) -> None:
        data = await ctx.read(name)
        await _title(ctx, name, options, many=many)
        await ctx.out(_tail(data, options))

    status = await ctx.each(options.rest or ["-"], copy)
    if {"f", "F"} & {flag for flag, _ in options.given} and options.rest:
        await _follow(ctx, options.rest)
    return status


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


async def _follow(ctx: Context, names: list[str]) -> None:
    seen = {name: len(ctx.files.read(name)) for name in names if ctx.files.exists(name)}
    while True:
        await asyncio.sleep(_POLL)
        for name in seen:
            data = ctx.files.read(name) if ctx.files.exists(name) else b""
            await ctx.out(data[seen[name] :])
            seen[name] = len(data)


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


@command("yes")
async def yes(ctx: Context, args: list[str]) -> int:
    """Print a line until nobody reads any more."""
    line = encode((" ".join(args) or "y") + "\n")
    while True:
        await ctx.out(line * 64)
        await asyncio.sleep(0)


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
