"""Commands that cut lines into columns, join them, and compare neighbours."""

from __future__ import annotations

import re
from itertools import zip_longest

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command, decode
from pytest_mobileagent.virtual.shell.options import parse


@command("uniq")
async def uniq(ctx: Context, args: list[str]) -> int:
    """Print lines that differ from the one before."""
    options = parse(args, "cdf:is:uw:z", most=2)
    run: list[str] = []

    def key(line: str) -> str:
        text = re.sub(rf"^(\s*\S+){{0,{options.number('f', 0)}}}", "", line.rstrip("\n"))
        text = text[options.number("s", 0) :]
        text = text[: options.number("w", len(text))]
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
    options = parse(args, "b:c:d:DF:f:nO:s", {"complement": "n"})
    kinds = [letter for letter in "bcfF" if letter in options]
    if not kinds:
        raise Failure("no list")
    kind = kinds[0]
    ranges = _ranges(options.get(kind))
    async for line in ctx.lines(options.rest):
        text = line.removesuffix("\n")
        if kind in "bc":
            await ctx.out("".join(_chosen(list(text), ranges)) + "\n")
            continue
        between = options.get("d", "\t" if kind == "f" else " ")
        fields = text.split(between) if kind == "f" else re.split(r"\s+", text.strip())
        if len(fields) == 1:
            if "s" not in options:
                await ctx.out(text + "\n")
            continue
        await ctx.out(options.get("O", between).join(_chosen(fields, ranges)) + "\n")
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


@command("paste")
async def paste(ctx: Context, args: list[str]) -> int:
    """Join the lines of files side by side, or with -s one after the other."""
    options = parse(args, "d:s")
    between = options.get("d", "\t").encode().decode("unicode_escape") or ""
    files = [decode(await ctx.read(name)).splitlines() for name in options.rest or ["-"]]
    rows = files if "s" in options else [list(row) for row in zip_longest(*files, fillvalue="")]
    for row in rows:
        line = "".join(
            cell + (between[at % len(between)] if between and at < len(row) - 1 else "")
            for at, cell in enumerate(row)
        )
        await ctx.out(line + "\n")
    return 0


@command("comm")
async def comm(ctx: Context, args: list[str]) -> int:
    """Show which lines two sorted files share."""
    options = parse(args, "123", least=2, most=2)
    left, right = [decode(await ctx.read(name)).splitlines() for name in options.rest]
    shown = [str(column) not in options for column in (1, 2, 3)]
    while left or right:
        if not right or (left and left[0] < right[0]):
            column, line = 0, left.pop(0)
        elif not left or right[0] < left[0]:
            column, line = 1, right.pop(0)
        else:
            column, line = 2, left.pop(0)
            right.pop(0)
        if shown[column]:
            await ctx.out("\t" * sum(shown[:column]) + line + "\n")
    return 0
