"""Commands that find processes by name, and end them."""

from __future__ import annotations

import asyncio
import re

from pytest_mobileagent.virtual.kernel.users import ROOT
from pytest_mobileagent.virtual.shell.commands import Context, Failure, UsageError, command
from pytest_mobileagent.virtual.shell.options import parse
from pytest_mobileagent.virtual.shell.processes import SIGNALS, processes_of
from pytest_mobileagent.virtual.shell.table import Row, ids, rows


@command("pidof")
async def pidof(ctx: Context, args: list[str]) -> int:
    """Print the ids of the processes with a name."""
    options = parse(args, "so:x", least=1)
    omitted = ids(options.all("o"))
    found = [
        row.pid
        for row in rows(ctx)
        if row.name in options.rest and row.pid not in {ctx.pid, *omitted}
    ]
    if not found:
        return 1
    chosen = found[:1] if "s" in options else found
    await ctx.out(" ".join(str(pid) for pid in reversed(chosen)) + "\n")
    return 0


@command("pgrep", "pkill")
async def pgrep(ctx: Context, args: list[str]) -> int:
    """Print, or signal, the processes whose name has a pattern in it."""
    signal, words = _signal(args) if ctx.name == "pkill" else (15, args)
    options = parse(words, "fl:x")
    if "l" in options and ctx.name == "pkill":
        signal = _signal_number(options.get("l"))
    if ctx.name == "pgrep" and "l" in options:
        options.rest = [options.get("l"), *options.rest]  # there it takes no value
    if len(options.rest) != 1:
        raise UsageError("Needs 1 argument", 2)
    matches = re.compile(options.rest[0]).search
    found = [
        row
        for row in rows(ctx)
        if matches(row.args if "f" in options else row.name)
        and not ("x" in options and row.name != options.rest[0])
        and row.pid != ctx.pid
    ]
    if ctx.name == "pkill":
        for row in found:
            _send(ctx, row, signal)
        await asyncio.sleep(0)
        return int(not found)
    lines = [f"{row.pid} {row.name}" if "l" in options else str(row.pid) for row in found]
    await ctx.out("".join(f"{line}\n" for line in lines))
    return int(not found)


@command("killall")
async def killall(ctx: Context, args: list[str]) -> int:
    """Signal all processes with a name."""
    signal, words = _signal(args)
    options = parse(words, "ilqvw", least=1)

    async def end(name: str) -> None:
        found = [row for row in rows(ctx) if row.name == name and row.pid != ctx.pid]
        if not found:
            raise Failure(f"{name}: No such process")
        for row in found:
            _send(ctx, row, signal)

    return await ctx.each(options.rest, end)


@command("kill", builtin=True)
async def kill(ctx: Context, args: list[str]) -> int:
    """Signal processes and jobs."""
    if args[:1] == ["-l"]:
        await ctx.out("".join(f"{number:2d} {name}\n" for number, name in SIGNALS.items()))
        return 0
    signal, words = _signal(args)
    if not words:
        raise Failure("usage: kill [-s signame | -signum | -signame] { job | pid | pgrp } ...")

    async def end(word: str) -> None:
        if not re.fullmatch(r"%.*|-?\d+", word):
            raise Failure(f"{word}: arguments must be jobs or process IDs")
        pid = abs(ctx.shell.job_id(word))
        row = next((row for row in rows(ctx) if row.pid == pid), None)
        try:
            if row is None:
                raise ProcessLookupError(3, "No such process")
            _send(ctx, row, signal)
        except OSError as error:
            raise Failure(f"{word}: {error.strerror}") from None

    status = await ctx.each(words, end)
    await asyncio.sleep(0)  # a signal to this very shell arrives here
    return status


def _signal(args: list[str]) -> tuple[int, list[str]]:
    """Return the signal that the options name, and the words after them."""
    if args[:1] == ["-s"] and args[1:]:
        return _signal_number(args[1]), args[2:]
    if args and re.fullmatch(r"-(\d+|[A-Z][A-Z0-9]+)", args[0]):
        return _signal_number(args[0][1:]), args[1:]
    return 15, args[1:] if args[:1] == ["--"] else args


def _signal_number(text: str) -> int:
    if text.isdecimal() and (int(text) == 0 or int(text) in SIGNALS):
        return int(text)
    name = text.upper().removeprefix("SIG")
    for number, known in SIGNALS.items():
        if known == name:
            return number
    raise Failure(f"bad signal '{text}'")


def _send(ctx: Context, row: Row, signal: int) -> None:
    """Send a signal, which only root and the same user may."""
    if ctx.uid not in {ROOT, row.uid}:
        raise PermissionError(1, "Operation not permitted")
    process = processes_of(ctx.phone).find(row.pid)
    if process:
        process.kill(signal)
    elif signal and row.uid >= 10000:
        ctx.phone.activities.kill(row.name, f"signal {signal}")
