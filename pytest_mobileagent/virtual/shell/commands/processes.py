"""ps, and the commands that find processes by name and end them."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.patterns import QUICK, PatternError, within
from pytest_mobileagent.virtual.kernel.users import ROOT, name_of, number_of
from pytest_mobileagent.virtual.shell.commands import Context, Failure, UsageError, command
from pytest_mobileagent.virtual.shell.options import parse
from pytest_mobileagent.virtual.shell.patterns import posix
from pytest_mobileagent.virtual.shell.processes import SIGNALS, processes_of

if TYPE_CHECKING:
    from collections.abc import Callable

_NUMBERS = {"0": 0, **{str(number): number for number in SIGNALS}}
_NUMBERS |= {name: number for number, name in SIGNALS.items()}
_SHELL_VSZ, _SHELL_RSS = 10_820_000, 3_400  # KiB, for any small program


@dataclass(frozen=True, slots=True)
class Row:
    """A process, either of the phone or of a shell."""

    pid: int
    ppid: int
    uid: int
    name: str
    args: str
    vsz: int
    rss: int


def rows(ctx: Context) -> list[Row]:
    """Return all processes, sorted by id."""
    system = [
        Row(each.pid, each.ppid, each.uid, each.name, each.name, each.vsz, each.rss)
        for each in ctx.phone.proc.list()
    ]
    shells = [
        Row(each.pid, each.ppid, each.uid, each.name, " ".join(each.words), _SHELL_VSZ, _SHELL_RSS)
        for each in processes_of(ctx.phone).running()
    ]
    return sorted(system + shells, key=lambda row: row.pid)


def _others(ctx: Context, wanted: Callable[[Row], object]) -> list[Row]:
    """Return the matching processes, except the calling one."""
    return [row for row in rows(ctx) if row.pid != ctx.pid and wanted(row)]


def ids(texts: list[str]) -> set[int]:
    """Return the process ids in texts such as 1,2."""
    words = [word for text in texts for word in text.split(",")]
    for word in words:
        if not word.isdecimal():
            raise Failure(f"bad -p '{word}'")
    return {int(word) for word in words}


@dataclass(frozen=True, slots=True)
class Field:
    """A column of ps."""

    title: str
    width: int  # negative: left-aligned
    text: Callable[[Row], str]


_FIELDS = {
    "USER": Field("USER", -12, lambda row: name_of(row.uid)),
    "UID": Field("UID", 5, lambda row: str(row.uid)),
    "PID": Field("PID", 5, lambda row: str(row.pid)),
    "TID": Field("TID", 5, lambda row: str(row.pid)),
    "PPID": Field("PPID", 5, lambda row: str(row.ppid)),
    "VSZ": Field("VSZ", 10, lambda row: str(row.vsz)),
    "VSIZE": Field("VSZ", 10, lambda row: str(row.vsz)),
    "RSS": Field("RSS", 6, lambda row: str(row.rss)),
    "WCHAN": Field("WCHAN", -10, lambda _: "0"),
    "ADDR": Field("ADDR", 10, lambda _: "0"),
    "S": Field("S", -1, lambda row: "R" if row.name == "ps" else "S"),
    "NAME": Field("NAME", -27, lambda row: row.name),
    "COMM": Field("COMM", -27, lambda row: row.name),
    "CMD": Field("CMD", -27, lambda row: row.name),
    "CMDLINE": Field("CMDLINE", -27, lambda row: row.args),
    "ARGS": Field("ARGS", -27, lambda row: row.args),
    "C": Field("C", 1, lambda _: "0"),
    "STIME": Field("STIME", 5, lambda _: "00:00"),
    "TTY": Field("TTY", -8, lambda _: "?"),
    "TIME": Field("TIME", 8, lambda _: "00:00:00"),
}
_USUAL = "USER,PID,PPID,VSIZE,RSS,WCHAN,ADDR,S,NAME"
_FULL = "UID,PID,PPID,C,STIME,TTY,TIME,CMDLINE"


_HELP = """\
usage: ps [-AadefnTZ] [-o FIELD,] [-p PID,] [-uU USER,]

List processes.

-A	All
-a	Processes with terminals that aren't session leaders
-d	All processes that aren't session leaders
-e	Synonym for -A
-p	Process PIDs (--pid)
-u	Owned by USER
-U	Process has real USER
-f	Full listing (-o USER:8=UID,PID,PPID,C,STIME,TTY,TIME,ARGS=CMD)
-n	Show numeric USER and GROUP
-o	Show FIELDs instead of defaults
"""


@command("ps")
async def ps(ctx: Context, args: list[str]) -> int:
    """List processes."""
    if "--help" in args:  # Appium checks here whether -A is supported
        await ctx.out(_HELP)
        return 0
    options = parse(args, "AadefG:g:k:lMno:O:P:p:s:Tt:U:u:wZ")
    flags = {flag for flag, _ in options.given}
    wanted = rows(ctx)
    if pids := ids(options.all("p")):
        wanted = [row for row in wanted if row.pid in pids]
    elif users := options.all("u") + options.all("U"):
        uids = {number_of(name) for text in users for name in text.split(",")}
        wanted = [row for row in wanted if row.uid in uids]
    elif not flags & {"A", "e", "a", "d"}:
        ours = {each.pid for each in processes_of(ctx.phone).running()}
        wanted = [row for row in wanted if row.pid in ours and row.uid == ctx.uid]
    names = ",".join(options.all("o")) or (_FULL if "f" in flags else _USUAL)
    fields = [_field(text) for text in names.split(",")]
    if "n" in flags:
        fields = [_FIELDS["UID"] if each.title == "USER" else each for each in fields]
    for line in _table(fields, wanted):
        await ctx.out(line)
    return int(not wanted)


def _field(text: str) -> Field:
    """Return the column that -o names: NAME, NAME:20, NAME=title."""
    name, equals, title = text.partition("=")
    name, _, width = name.partition(":")
    field = _FIELDS.get(name.upper())
    if field is None:
        raise Failure(f"bad -o {name}")
    chosen = int(width[:4]) if width.isdecimal() else abs(field.width)
    signed = -chosen if field.width < 0 else chosen
    return Field(title if equals else field.title, signed, field.text)


def _table(fields: list[Field], shown: list[Row]) -> list[str]:
    lines = [[field.title for field in fields]] if any(field.title for field in fields) else []
    lines += [[field.text(row) for field in fields] for row in shown]
    return [
        " ".join(
            cell.ljust(-field.width) if field.width < 0 else cell.rjust(field.width)
            for cell, field in zip(line, fields, strict=True)
        ).rstrip()
        + "\n"
        for line in lines
    ]


@command("pidof")
async def pidof(ctx: Context, args: list[str]) -> int:
    """Print the ids of the processes with a name."""
    options = parse(args, "so:x", least=1)
    omitted = ids(options.all("o"))
    found = _others(ctx, lambda row: row.name in options.rest and row.pid not in omitted)
    if found:
        chosen = found[:1] if "s" in options else found[::-1]
        await ctx.out(" ".join(str(row.pid) for row in chosen) + "\n")
    return int(not found)


@command("pgrep", "pkill")
async def pgrep(ctx: Context, args: list[str]) -> int:
    """Print or signal the processes whose name matches a pattern."""
    signal, words = _signal(args) if ctx.name == "pkill" else (15, args)
    options = parse(words, "flx")
    if len(options.rest) != 1:
        raise UsageError("Needs 1 argument", 2)
    try:
        pattern = posix(options.rest, extended=True)
    except PatternError as error:
        raise Failure(f"bad REGEX '{options.rest[0]}': {error}", 2) from None
    matches = pattern.fullmatch if "x" in options else pattern.search
    with within(QUICK):
        found = _others(ctx, lambda row: matches(row.args if "f" in options else row.name))
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
        found = _others(ctx, lambda row: row.name == name)
        if not found:
            raise Failure(f"{name}: No such process")
        for row in found:
            _send(ctx, row, signal)

    return await ctx.each(options.rest, end)


@command("kill", builtin=True)
async def kill(ctx: Context, args: list[str]) -> int:
    """Signal processes and jobs."""
    signal, words = _signal(args)
    if not words:
        raise Failure("usage: kill [-s signame | -signum | -signame] { job | pid | pgrp } ...")

    async def end(word: str) -> None:
        if not re.fullmatch(r"-?\d+", word):
            raise Failure(f"{word}: arguments must be jobs or process IDs")
        pid = abs(int(word))
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
    """Return the signal in the options, and the words after them."""
    if args[:1] == ["-s"] and args[1:]:
        return _signal_number(args[1]), args[2:]
    if args and re.fullmatch(r"-(\d+|[A-Z][A-Z0-9]+)", args[0]):
        return _signal_number(args[0][1:]), args[1:]
    return 15, args[1:] if args[:1] == ["--"] else args


def _signal_number(text: str) -> int:
    name = text.upper().removeprefix("SIG")
    if name not in _NUMBERS:
        raise Failure(f"bad signal '{text}'")
    return _NUMBERS[name]


def _send(ctx: Context, row: Row, signal: int) -> None:
    """Send a signal, which only root and the process's own user may do."""
    if ctx.uid not in {ROOT, row.uid}:
        raise PermissionError(1, "Operation not permitted")
    process = processes_of(ctx.phone).find(row.pid)
    if process:
        process.kill(signal)
    elif signal and row.uid >= 10000:
        ctx.phone.activities.kill(row.name, f"signal {signal}")
