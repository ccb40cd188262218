"""sort: puts lines in order."""

from __future__ import annotations

import re
from functools import cmp_to_key
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command, decode, encode
from pytest_mobileagent.virtual.shell.options import Options, parse

if TYPE_CHECKING:
    from collections.abc import Callable

_KEY = re.compile(r"(\d+)(?:\.(\d+))?([a-zA-Z]*)(?:,(\d+)(?:\.(\d+))?([a-zA-Z]*))?")
_NUMBER = re.compile(r"\s*-?(?:\d+\.?\d*|\.\d+)")


@command("sort")
async def sort(ctx: Context, args: list[str]) -> int:
    """Sort lines."""
    options = parse(args, "bcfk:no:rst:uV")
    text = "".join([decode(await _input(ctx, name)) for name in options.rest or ["-"]])
    lines = text.removesuffix("\n").split("\n") if text else []
    compare = _comparison(options)
    ordered = sorted(lines, key=cmp_to_key(compare))
    if "c" in options:
        return int(ordered != lines)
    if "u" in options:
        ordered = [
            line for at, line in enumerate(ordered) if not at or compare(ordered[at - 1], line)
        ]
    data = encode("".join(f"{line}\n" for line in ordered))
    if "o" in options:
        await ctx.save(options.get("o"), data)
    else:
        await ctx.out(data)
    return 0


async def _input(ctx: Context, name: str) -> bytes:
    try:
        return await ctx.read(name)
    except OSError as error:
        raise Failure(f"{name}: {error.strerror}", 2) from None


def _comparison(options: Options) -> Callable[[str, str], int]:
    letters = "".join(flag for flag, _ in options.given if flag in "bfnrV")
    keys = [_key(text, options.get("t"), letters) for text in options.all("k")] or [
        (_whole, letters)
    ]

    def compare(left: str, right: str) -> int:
        for extract, how in keys:
            order = _compare(extract(left), extract(right), how)
            if order:
                return -order if "r" in how else order
        if "s" in options or "u" in options:
            return 0
        order = (left > right) - (left < right)
        return -order if "r" in letters else order

    return compare


def _whole(line: str) -> str:
    return line


def _key(text: str, separator: str, letters: str) -> tuple[Callable[[str], str], str]:
    """Return what a -k option takes from a line, and how that is compared."""
    match = _KEY.fullmatch(text)
    if match is None or match[1] == "0":
        raise Failure(f"bad -k '{text}'", 2)
    first, offset = int(match[1]), int(match[2] or 1)
    last, end = int(match[4] or 0), int(match[5] or 0)

    def extract(line: str) -> str:
        if separator:
            fields = [field + separator for field in line.split(separator)]
            fields[-1] = fields[-1].removesuffix(separator)
        else:
            fields = re.findall(r"\s*\S+", line)
        chosen = fields[first - 1 : last or None]
        if last and end and len(chosen) == last - first + 1:
            chosen[-1] = chosen[-1][:end]
        joined = "".join(chosen)[offset - 1 :]
        return joined.removesuffix(separator) if separator and last and not end else joined

    return extract, (match[3] + (match[6] or "")) or letters


def _compare(left: str, right: str, how: str) -> int:
    first, second = _sort_key(left, how), _sort_key(right, how)
    return (first > second) - (first < second)


def _sort_key(text: str, how: str) -> list[tuple[float, str]]:
    """Return what a text is compared by: pairs of a number and a text."""
    if "n" in how:
        match = _NUMBER.match(text)
        return [(float(match[0]), "")] if match else [(0.0, "")]
    text = text.lstrip() if "b" in how else text
    text = text.upper() if "f" in how else text
    if "V" in how:
        parts = re.split(r"(\d+)", text)
        return [(int(part), "") if part.isdecimal() else (0, part) for part in parts]
    return [(0, text)]
