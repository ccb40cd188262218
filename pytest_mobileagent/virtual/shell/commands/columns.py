"""Commands that cut lines into columns, join them, and compare neighbours."""

from __future__ import annotations

import re

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command
from pytest_mobileagent.virtual.shell.options import parse


@command("uniq")
async def uniq(ctx: Context, args: list[str]) -> int:
    """Print lines that differ from the one before."""
    options = parse(args, "cdiu", most=2)
    run: list[str] = []

    def key(line: str) -> str:
        text = line.rstrip("\n")
        return text.lower() if "i" in options else text

    async def flush() -> None:
        wanted = (
            run and not ("d" in options and len(run) < 2) and not ("u" in options and len(run) > 1)
        )
        if wanted:
            count = f"{len(run):7d} " if "c" in options else ""
            await ctx.out(count + run[0].rstrip("\n") + "\n")
        run.clear()

    async for line in ctx.lines(options.rest[:1]):
        if run and key(run[0]) != key(line):
            await flush()
        run.append(line)
    await flush()
    return ctx.failed


@command("cut")
async def cut(ctx: Context, args: list[str]) -> int:
    """Print parts of lines."""
    options = parse(args, "b:c:d:f:s")
    kinds = [letter for letter in "bcf" if letter in options]
    if not kinds:
        raise Failure("no list")
    kind = kinds[0]
    ranges = _ranges(options.get(kind))
    async for line in ctx.lines(options.rest):
        text = line.removesuffix("\n")
        if kind in "bc":
            await ctx.out("".join(_chosen(list(text), ranges)) + "\n")
            continue
        between = options.get("d", "\t")
        fields = text.split(between)
        if len(fields) == 1:
            if "s" not in options:
                await ctx.out(text + "\n")
            continue
        await ctx.out(between.join(_chosen(fields, ranges)) + "\n")
    return ctx.failed


def _ranges(text: str) -> list[tuple[int, int | None]]:
    ranges: list[tuple[int, int | None]] = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d*)(-?)(\d*)", part)
        if match is None or not (match[1] or match[3]) or match[1] == "0":
            raise Failure(f"bad range '{part}'")
        first = int(match[1] or 1)
        last = int(match[3]) if match[3] else (None if match[2] else first)
        ranges.append((first, last))
    return sorted(ranges, key=lambda each: each[0])


def _chosen(items: list[str], ranges: list[tuple[int, int | None]]) -> list[str]:
    return [
        item
        for at, item in enumerate(items, 1)
        if any(first <= at and (last is None or at <= last) for first, last in ranges)
    ]
