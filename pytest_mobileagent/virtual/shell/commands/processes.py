"""ps, top, free and lsof, and the commands that find processes and end them."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from pytest_mobileagent.patterns import QUICK, PatternError, within
from pytest_mobileagent.virtual.kernel.processes import PROCESSORS
from pytest_mobileagent.virtual.kernel.users import ROOT, name_of, number_of
from pytest_mobileagent.virtual.shell.android.service import help_text
from pytest_mobileagent.virtual.shell.commands import Context, Failure, UsageError, command, parse
from pytest_mobileagent.virtual.shell.commands.listing import human_size, inode
from pytest_mobileagent.virtual.shell.patterns import posix
from pytest_mobileagent.virtual.shell.processes import SIGNALS, processes_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.shell.commands import Options

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


@command("ps")
async def ps(ctx: Context, args: list[str]) -> int:
    """List processes."""
    if "--help" in args:  # Appium checks here whether -A is supported
        await ctx.out(f"{help_text('ps')}\n")
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


UNITS = {"b": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


@command("top")
async def top(ctx: Context, args: list[str]) -> None:
    """Show the processes continuously, or with -n a number of times."""
    options = parse(args, "bd:HhIik:m:n:Oo:p:qs:u:")
    left = float(options.number("n", 0)) or inf
    while left > 0:
        await ctx.out(_screen(ctx, options))
        left -= 1
        if left > 0:
            await asyncio.sleep(float(options.get("d", "3")))


def _screen(ctx: Context, options: Options) -> str:
    shown, (total, free) = rows(ctx), ctx.phone.procfs.memory()
    head = (
        f"Tasks: {len(shown)} total,   1 running, {len(shown) - 1:>3} sleeping,   0 stopped,"
        "   0 zombie\n"
        f"  Mem: {total:>8}K total, {total - free:>8}K used, {free:>8}K free,        0K buffers\n"
        "  Swap:        0K total,        0K used,        0K free,        0K cached\n"
        f"{PROCESSORS}00%cpu   0%user   0%nice   0%sys {PROCESSORS}00%idle   0%iow   0%irq"
        "   0%sirq   0%host\n"
    )
    if pids := ids(options.all("p")):
        shown = [row for row in shown if row.pid in pids]
    if users := options.all("u"):
        shown = [row for row in shown if row.uid in {number_of(name) for name in users}]
    shown.sort(key=lambda row: row.name != "top")  # the only one that is computing
    most = options.number("m", len(shown))
    lines = "".join(_line(row, total) for row in shown[:most])
    titles = "  PID USER         PR  NI VIRT  RES  SHR S[%CPU] %MEM     TIME+ ARGS\n"
    return ("" if "q" in options else head) + titles + lines


def _line(row: Row, total: int) -> str:
    sizes = " ".join(f"{human_size(size * 1024):>4}" for size in (row.vsz, row.rss, row.rss // 2))
    state, share = ("R", 3.3) if row.name == "top" else ("S", 0.0)
    return (
        f"{row.pid:>5} {name_of(row.uid):<12} 20   0 {sizes} {state} {share:>5}"
        f" {100 * row.rss / total:>5.1f}   0:00.00 {row.args}\n"
    )


@command("free")
async def free(ctx: Context, args: list[str]) -> str:
    """Print how much memory is used."""
    options = parse(args, "bghkmt")
    unit = UNITS[next((name for name, _ in options.given if name in UNITS), "b")]

    def text(kib: int) -> str:
        return human_size(kib * 1024) if "h" in options else str(kib * 1024 // unit)

    total, left = ctx.phone.procfs.memory()
    texts = [text(count) for count in (total, total - left, left, 0, 0)]
    return (
        "\t\ttotal        used        free      shared     buffers\n"
        f"Mem:{texts[0]:>17}{''.join(f'{each:>12}' for each in texts[1:])}\n"
        f"-/+ buffers/cache:{texts[1]:>15}{texts[2]:>12}\n"
        f"Swap:{text(0):>16}{text(0):>12}{text(0):>12}\n"
    )


@command("lsof")
async def lsof(ctx: Context, args: list[str]) -> int:
    """List the open files of processes; only root sees those of others."""
    options = parse(args, "lp:t")
    pids = ids(options.all("p"))
    shown = [each for each in rows(ctx) if not pids or each.pid in pids]
    if "t" in options:
        await ctx.out("".join(f"{each.pid}\n" for each in shown))
        return int(not shown)
    columns = "FD      TYPE             DEVICE  SIZE/OFF       NODE NAME"
    await ctx.out(f"COMMAND     PID       USER   {columns}\n")
    for each in shown:
        named = f"{each.name[:9]:<9} {each.pid:>5} {name_of(each.uid):>10}"
        if ctx.uid in (0, each.uid):
            place = f"{'253,5':>18} {4096:>9} {inode('/'):>10} /"
            await ctx.out(f"{named}  cwd       DIR{place}\n")
        else:
            place = f"/proc/{each.pid}/cwd (readlink: Permission denied)"
            await ctx.out(f"{named}  cwd   unknown{'':>38} {place}\n")
    return 0


@command("netstat")
async def netstat(ctx: Context, args: list[str]) -> None:
    """List the phone's listening ports; connections only exist through adb."""
    options = parse(args, "aeilnoprstuWwx")
    if options.rest:
        raise Failure("Max 0 arguments")
    which = "servers and established" if "a" in options else "w/o servers"
    which = "only servers" if "l" in options else which
    titles = f"{'Local Address':<23} {'Foreign Address':<23} State"
    await ctx.out(f"Active Internet connections ({which})\nProto Recv-Q Send-Q {titles}\n")
    if "a" in options or "l" in options:
        ports = (name.partition(":")[2] for name in ctx.phone.sockets if name.startswith("tcp:"))
        for port in sorted(ports, key=int):
            local = f"127.0.0.1:{port}" if "n" in options else f"localhost:{port}"
            await ctx.out(f"tcp        0      0 {local:<23} {'0.0.0.0:*':<23} LISTEN\n")
