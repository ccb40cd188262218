"""The shell's own commands that take input apart: read and getopts."""

from __future__ import annotations

import re

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command
from pytest_mobileagent.virtual.shell.streams import read_line


@command("read", folder=None)
async def read(ctx: Context, args: list[str]) -> int:
    """Read a line into variables, the last of which takes what is left."""
    words = list(args)
    raw = False
    source = ctx.stdin
    while words and words[0].startswith("-"):
        option = words.pop(0)
        raw = raw or "r" in option
        if option[-1] == "p" and words:
            await ctx.err(words.pop(0))
        elif option.startswith("-u"):
            number = option[2:] or (words.pop(0) if words else "0")
            if not number.isdecimal() or int(number) not in ctx.shell.readers:
                raise Failure(f"-u: {number}: bad file descriptor")
            source = ctx.shell.readers[int(number)]
    line = (await read_line(source)).decode(errors="surrogateescape")
    while not raw and line.endswith("\\\n"):
        line = line[:-2] + (await read_line(source)).decode(errors="surrogateescape")
    names = words or ["REPLY"]
    for name, value in zip(
        names,
        _fields(line.removesuffix("\n"), len(names), ctx.shell.get("IFS", " \t\n"), raw=raw),
        strict=True,
    ):
        ctx.shell.assign(name, value)
    return 0 if line.endswith("\n") else 1


def _fields(line: str, count: int, separators: str, *, raw: bool) -> list[str]:
    """Split a line into `count` fields; a backslash takes away what the next character means."""
    blank = "".join(char for char in separators if char in " \t\n")
    values: list[str] = []
    at = 0
    while len(values) < count - 1:
        value, at = _field(line, at, separators, blank, raw=raw)
        values.append(value)
    rest = line[at:].lstrip(blank)
    trimmed = rest.rstrip(blank)
    if len(trimmed) < len(rest) and trimmed.endswith("\\") and not raw:
        trimmed += rest[len(trimmed)]
    hard = [char for char in separators if char not in blank]
    if hard and trimmed[-1:] in hard and not any(char in trimmed[:-1] for char in separators):
        trimmed = trimmed[:-1]
    values.append(trimmed if raw else re.sub(r"\\(.)", r"\1", trimmed))
    return values


def _field(line: str, at: int, separators: str, blank: str, *, raw: bool) -> tuple[str, int]:
    """Return the field that starts at `at`, and where the next one starts."""
    while at < len(line) and line[at] in blank:
        at += 1
    value = ""
    while at < len(line) and line[at] not in separators:
        at += line[at] == "\\" and not raw
        value += line[at : at + 1]
        at += 1
    while at < len(line) and line[at] in blank:
        at += 1
    if at < len(line) and line[at] in separators:
        at += 1
    return value, at
