"""Commands that show, copy and count lines."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.commands import Context, command, encode, number
from pytest_mobileagent.virtual.shell.options import Options, parse, size
from pytest_mobileagent.virtual.shell.streams import lines_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.virtual.shell.streams import Reader, Writer

_POLL = 0.2
_BLOCK = 65536


@command("cat")
async def cat(ctx: Context, args: list[str]) -> int:
    """Copy files to stdout."""
    options = parse(args, "benstuv")

    async def copy(name: str) -> None:
        source = ctx.reader(name)
        while data := await source.read():
            await ctx.out(data)

    if "n" in options or "b" in options:
        count = 0
        async for line in ctx.lines(options.rest):
            blank = "b" in options and line == "\n"
            count += not blank
            await ctx.out(line if blank else f"{count:6d}\t{line}")
        return ctx.failed
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
        async for line in lines_of(source):
            if left <= 0:
                break
            await ctx.out(line)
            left -= 1
            if left == 0:
                break

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
    options = parse(args, "cLlmw")
    wanted = [letter for letter in "lwmcL" if letter in options] or ["l", "w", "c"]
    totals = [0] * len(wanted)

    async def count(name: str) -> None:
        data = await ctx.read(name)
        counts = {
            "l": data.count(b"\n"),
            "w": len(data.split()),
            "c": len(data),
            "m": len(data.decode(errors="replace")),
            "L": max((len(line) for line in data.split(b"\n")), default=0),
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


@command("tac")
async def tac(ctx: Context, args: list[str]) -> int:
    """Print lines, the last first."""
    lines = [line async for line in ctx.lines(parse(args, "").rest)]
    await ctx.out("".join(reversed(lines)))
    return ctx.failed


@command("rev")
async def rev(ctx: Context, args: list[str]) -> int:
    """Print lines, the last character first."""
    async for line in ctx.lines(parse(args, "").rest):
        await ctx.out(line.rstrip("\n")[::-1] + "\n")
    return ctx.failed


@command("nl")
async def nl(ctx: Context, args: list[str]) -> int:
    """Print lines with their numbers."""
    options = parse(args, "b:d:f:h:i:l:n:ps:v:w:")
    count, width = options.number("v", 1), options.number("w", 6)
    between = options.get("s", "\t")
    async for line in ctx.lines(options.rest):
        if line == "\n" and options.get("b", "t") != "a":
            await ctx.out(" " * (width + len(between)) + "\n")
        else:
            await ctx.out(f"{count:{width}d}{between}{line}")
            count += 1
    return ctx.failed


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
    negative = [word for word in args if re.fullmatch(r"-\.?\d.*", word)]
    options = parse(
        [f"+{word}" if word in negative else word for word in args], "f:s:w", least=1, most=3
    )
    words = [word.removeprefix("+") for word in options.rest]
    first, step, last = (
        ["1", "1", *words][-3:] if len(words) < 2 else [words[0], *["1", *words[1:]][-2:]]
    )
    values = [_real(word) for word in (first, step, last)]
    digits = max(len(word.partition(".")[2]) for word in (first, step))
    form = options.get("f") or (f"%.{digits}f" if digits or "." in first + step else "%.0f")
    if "w" in options:
        width = max(len(form % value) for value in (values[0], values[2]))
        form = f"%0{width}.{digits}f"
    between = options.get("s", "\n")
    count = max(0, int((values[2] - values[0]) / values[1] + 1e-9) + 1) if values[1] else 0
    if (values[2] - values[0]) * values[1] < 0:
        count = 0
    for start in range(0, count, 1000):
        chunk = range(start, min(count, start + 1000))
        text = between.join(form % (values[0] + at * values[1]) for at in chunk)
        await ctx.out((between if start else "") + text)
        await asyncio.sleep(0)
    if count:
        await ctx.out("\n")
    return 0


def _real(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return number(text)
