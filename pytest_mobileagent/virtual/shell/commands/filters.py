"""cut, sort, tr and uniq: fields, order, characters and repetitions of lines."""

from __future__ import annotations

import re
from functools import partial
from heapq import merge
from itertools import groupby
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command, encode, parse
from pytest_mobileagent.virtual.shell.limits import LINES, breathe, out_of_memory
from pytest_mobileagent.virtual.shell.patterns import CLASSES

if TYPE_CHECKING:
    from collections.abc import Callable

_PIECE = 20_000  # lines that are sorted at once
_RANGE = re.compile(r"(\d+)?(-)?(\d+)?")
_KEY = re.compile(r"([1-9]\d*)([bfnr]*)(?:,(\d+)([bfnr]*))?")
_NUMBER = re.compile(r"\s*(-?(?:\d+\.?\d*|\.\d+))")


@command("cut")
async def cut(ctx: Context, args: list[str]) -> int:
    """Print parts of lines."""
    options = parse(args, "b:c:d:f:s")
    kind = next((letter for letter in "bcf" if letter in options), None)
    if kind is None:
        raise Failure("no list")
    parts: list[slice] = []
    for part in options.get(kind).split(","):
        match = _RANGE.fullmatch(part)
        if match is None or not (match[1] or match[3]) or match[1] == "0":
            raise Failure(f"bad range '{part}'")
        last = match[3] or (None if match[2] else match[1])
        parts.append(slice(int(match[1] or 1) - 1, last and int(last)))
    parts.sort(key=lambda each: each.start)
    between = options.get("d", "\t") if kind == "f" else ""
    async for line in ctx.lines(options.rest):
        text = line.removesuffix("\n")
        fields = text.split(between) if between else list(text)
        if between and len(fields) == 1:
            await ctx.out("" if "s" in options else f"{text}\n")
        else:
            await ctx.out(between.join(each for part in parts for each in fields[part]) + "\n")
    return ctx.failed


@command("uniq")
async def uniq(ctx: Context, args: list[str]) -> int:
    """Print lines that differ from the previous one."""
    options = parse(args, "cdu", most=1)

    async def show(line: str | None, count: int) -> None:
        few, many = count < 2, count > 1
        if line is not None and not ("d" in options and few) and not ("u" in options and many):
            await ctx.out((f"{count:7d} " if "c" in options else "") + f"{line}\n")

    last: str | None = None
    count = 0
    async for text in ctx.lines(options.rest):
        line = text.removesuffix("\n")
        if line != last:
            await show(last, count)
            last, count = line, 0
        count += 1
    await show(last, count)
    return ctx.failed


@command("sort")
async def sort(ctx: Context, args: list[str]) -> None:
    """Sort lines."""
    options = parse(args, "bfk:no:rt:u")
    letters = "".join(flag for flag, _ in options.given if flag in "bfnr")
    keys = [_key(text, letters) for text in options.all("k")] or [(0, None, letters)]

    def rank(key: tuple[int, int | None, str], line: str) -> float | str:
        first, last, how = key
        if first or last:
            mark = options.get("t")
            fields = line.split(mark) if mark else re.findall(r"\s*\S+", line)
            line = mark.join(fields[first:last])
        if "n" in how:
            return float(match[1]) if (match := _NUMBER.match(line)) else 0.0
        line = line.lstrip() if "b" in how else line
        return line.upper() if "f" in how else line

    try:
        data = [encode(await ctx.read(name)) for name in options.rest or ["-"]]
    except OSError as error:
        raise Failure(f"{error.filename}: {error.strerror}", 2) from None
    if sum(each.count(b"\n") for each in data) > LINES:
        raise out_of_memory()
    lines = b"".join(data).decode(errors="surrogateescape").removesuffix("\n").split("\n")
    lines = lines if any(data) else []
    if "u" not in options:  # lines with equal keys are compared as a whole
        lines = await _sorted(lines, str, reverse="r" in letters)
    for key in reversed(keys):
        lines = await _sorted(lines, partial(rank, key), reverse="r" in key[2])
    if "u" in options:
        same = groupby(lines, lambda line: [rank(key, line) for key in keys])
        lines = [next(group) for _, group in same]
    await ctx.save(options.get("o", "/dev/stdout"), encode("".join(f"{e}\n" for e in lines)))


async def _sorted(lines: list[str], key: Callable[[str], Any], *, reverse: bool) -> list[str]:
    """Return the sorted lines, like `sorted`, but yield to other tasks between parts."""
    pieces = []
    for at in range(0, len(lines), _PIECE):
        pieces.append(sorted(lines[at : at + _PIECE], key=key, reverse=reverse))
        await breathe()
    if len(pieces) == 1:
        return pieces[0]
    merged = []
    for line in merge(*pieces, key=key, reverse=reverse):
        merged.append(line)
        await breathe()
    return merged


def _key(text: str, letters: str) -> tuple[int, int | None, str]:
    """Return the fields that a -k option selects, and how they are compared."""
    match = _KEY.fullmatch(text)
    if match is None:
        raise Failure(f"bad -k '{text}'", 2)
    how = match[2] + (match[4] or "")
    return int(match[1]) - 1, int(match[3]) if match[3] else None, how or letters


@command("tr")
async def tr(ctx: Context, args: list[str]) -> None:
    """Replace, delete or squeeze characters."""
    options = parse(args, "cds", least=1, most=2)
    first, second = [*map(_characters, options.rest), b""][:2]
    if "c" in options:
        first = bytes(byte for byte in range(256) if byte not in first)
    squeezed = (second or first) if "s" in options else b""
    runs = re.compile(b"([" + re.escape(squeezed or b"\0") + rb"])\1+", re.DOTALL)
    gone = first if "d" in options else b""
    table = None
    if second and not gone:
        table = bytes.maketrans(first, second[: len(first)].ljust(len(first), second[-1:]))
    last = b""
    while data := await ctx.stdin.read():
        data = data.translate(table, gone)
        if squeezed:
            data = runs.sub(rb"\1", last + data)[len(last) :]
            last = data[-1:] if data[-1:] in squeezed else b""
        await ctx.out(data)


def _characters(text: str) -> bytes:
    """Return the bytes that a set such as a-z or [:space:] stands for."""
    text = re.sub(r"\[:(\w+):\]", lambda match: CLASSES.get(match[1], match[0]), text)
    escapes = {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}
    data = encode(re.sub(r"\\(.)", lambda match: escapes.get(match[1], match[1]), text))
    return re.sub(rb"(?s)(.)-(.)", lambda match: bytes(range(match[1][0], match[2][0] + 1)), data)
