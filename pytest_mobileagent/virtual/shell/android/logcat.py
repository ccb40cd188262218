"""logcat: prints the log, once or as it grows."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from pytest_mobileagent.virtual.shell.android.log import packed
from pytest_mobileagent.virtual.shell.commands import Context, command

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.kernel.clock import Clock
    from pytest_mobileagent.virtual.kernel.log import Entry

LEVELS = "VDIWEFS"
LOOK_AGAIN = 1.0  # seconds
BUFFERS = ("main", "system", "crash", "events", "radio", "kernel")
DEFAULT_BUFFERS = ("main", "system", "crash")
FORMATS = ("brief", "long", "process", "raw", "tag", "thread", "threadtime", "time")
MODIFIERS = ("epoch", "printable", "usec", "UTC", "year", "zone")
SIZES = "ring buffer is 1 MiB (1 MiB consumed), max entry is 5120 B, max payload is 4068 B"


class BadCall(Exception):  # noqa: N818 - what logcat says about its arguments
    """What is wrong with an argument."""


@dataclass(slots=True)
class Request:
    """What a call asks for."""

    format: str = "threadtime"
    modifiers: set[str] = field(default_factory=set)
    buffers: tuple[str, ...] = DEFAULT_BUFFERS
    levels: dict[str, str] = field(default_factory=dict)  # by tag; "*" is all others
    pattern: re.Pattern[str] | None = None
    pid: int | None = None
    tail: int | None = None
    since: str = ""
    most: int | None = None
    clear: bool = False
    dump: bool = False
    sizes: bool = False
    binary: bool = False

    def reads(self, entry: Entry) -> bool:
        """Tell whether an entry is among those that the log's daemon is asked for."""
        return entry.buffer in self.buffers and (self.pid is None or entry.pid == self.pid)

    def wants(self, entry: Entry) -> bool:
        """Tell whether an entry that was read is printed."""
        least = self.levels.get(entry.tag, self.levels.get("*", "V"))
        return LEVELS.index(entry.level) >= LEVELS.index(least) and (
            self.pattern is None or self.pattern.search(entry.message) is not None
        )

    def zone(self, clock: Clock) -> ZoneInfo:
        """Give the time zone to print in."""
        return ZoneInfo("UTC") if "UTC" in self.modifiers else clock.zone


@command("logcat")
async def logcat(ctx: Context, args: list[str]) -> int:
    """Print, clear or measure the log."""
    try:
        request = parse(args)
    except BadCall as problem:
        await ctx.err(f"logcat: {problem}\n")
        return 1
    if request.clear:
        ctx.phone.log.clear(set(request.buffers))
        return 0
    if request.sizes:
        await ctx.out("".join(f"{name}: {SIZES}\n" for name in request.buffers))
        return 0
    return await _print(ctx, request)


async def _print(ctx: Context, request: Request) -> int:
    arrived: asyncio.Queue[Entry] = asyncio.Queue()
    unsubscribe = ctx.phone.log.subscribe(arrived.put_nowait)
    try:
        zone, seen, printed = request.zone(ctx.phone.clock), set[str](), 0
        waiting = _present(ctx, request)
        while True:
            for entry in waiting:
                if request.binary:
                    await ctx.out(packed(entry))
                else:
                    await ctx.out(_divider(entry, seen) + text(entry, request, zone))
                printed += 1
                if printed == request.most:
                    return 0
            if request.dump:
                return 0
            entry = await _next(ctx, arrived)
            waiting = [entry] if request.reads(entry) and request.wants(entry) else []
    finally:
        unsubscribe()


async def _next(ctx: Context, arrived: asyncio.Queue[Entry]) -> Entry:
    """Wait for an entry; a phone that nobody uses is asked now and then what it has to say."""
    while True:
        with suppress(TimeoutError):
            return await asyncio.wait_for(arrived.get(), LOOK_AGAIN)
        ctx.phone.log.idle()


def _present(ctx: Context, request: Request) -> list[Entry]:
    """Give what is there: the last entries are counted before any filter, as the daemon does."""
    zone = request.zone(ctx.phone.clock)
    entries = [entry for entry in ctx.phone.log.entries if request.reads(entry)]
    if request.since:
        entries = [entry for entry in entries if _stamp(entry, zone) >= request.since]
    if request.tail is not None:
        entries = entries[-request.tail :]
    return [entry for entry in entries if request.wants(entry)]


def _divider(entry: Entry, seen: set[str]) -> str:
    if entry.buffer in seen:
        return ""
    seen.add(entry.buffer)
    return f"--------- beginning of {entry.buffer}\n"


def parse(args: list[str]) -> Request:
    """Read a call; BadCall in logcat's words."""
    request, words = Request(), list(args)
    buffers: list[str] = []
    while words:
        word = words.pop(0)
        if not word.startswith("-"):
            _filter(word, request)
        elif word in SWITCHES:
            setattr(request, SWITCHES[word], True)
        elif word == "-s":
            request.levels["*"] = "S"
        else:
            option, value = _split(word, words)
            if option == "b":
                buffers += value.split(",")
            elif option in VALUES:
                VALUES[option](request, value)
            elif option != "G":
                raise BadCall(f"unrecognized option '{word}'")
    if buffers:
        request.buffers = _buffers(buffers)
    return request


LONG = {
    "--format": "v", "--buffer": "b", "--regex": "e", "--max-count": "m", "--pid": "pid",
    "--tail": "t", "--buffer-size": "G",
}  # fmt: skip


def _split(word: str, words: list[str]) -> tuple[str, str]:
    """Give an option and its value, which may be joined to it."""
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        return LONG.get(name, ""), value if equals else (words.pop(0) if words else "")
    return word[1:2], word[2:] or (words.pop(0) if words else "")


def _buffers(names: list[str]) -> tuple[str, ...]:
    chosen: list[str] = []
    for name in names:
        if name not in (*BUFFERS, "all", "default"):
            raise BadCall(f"unknown buffer {name}")
        chosen += {"all": BUFFERS, "default": DEFAULT_BUFFERS}.get(name, (name,))
    return tuple(dict.fromkeys(chosen))


def _filter(word: str, request: Request) -> None:
    for spec in word.split():
        tag, colon, level = spec.partition(":")
        level = (level or ("V" if colon or tag != "*" else "D")).upper()
        if not tag or (level != "*" and level not in LEVELS):
            raise BadCall(f"Invalid filter expression '{spec}'")
        request.levels[tag] = "V" if level == "*" else level


def _set_format(request: Request, value: str) -> None:
    for part in value.split(","):
        if part in FORMATS:
            request.format = part
        elif part in MODIFIERS:
            request.modifiers.add(part)
        else:
            raise BadCall(f'Invalid parameter "{part}" to -v')


def _set_start(option: str, request: Request, value: str) -> None:
    request.dump = request.dump or option == "t"
    if value.isdecimal():
        if not int(value):
            raise BadCall(f'-{option} "{value}" isn\'t an integer greater than zero')
        request.tail = int(value)
    elif re.match(r"(\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$", value):
        request.since = re.sub(r"^\d{4}-", "", value)
    else:
        raise BadCall(f'-{option} "{value}" not in time format')


def _set_pattern(request: Request, value: str) -> None:
    try:
        request.pattern = re.compile(value)
    except re.error as error:
        raise BadCall(f"regex_error: {error}") from error


def _set_number(name: str, request: Request, value: str) -> None:
    if not value.isdecimal():
        raise BadCall(f'-{name} "{value}" isn\'t an integer greater than zero')
    setattr(request, name, int(value))


SWITCHES = {
    "-d": "dump", "-c": "clear", "--clear": "clear", "-B": "binary", "--binary": "binary",
    "-g": "sizes",
}  # fmt: skip
VALUES: dict[str, Callable[[Request, str], None]] = {
    "v": _set_format,
    "e": _set_pattern,
    "t": partial(_set_start, "t"),
    "T": partial(_set_start, "T"),
    "m": partial(_set_number, "most"),
    "pid": partial(_set_number, "pid"),
}


def text(entry: Entry, request: Request, zone: ZoneInfo) -> str:
    """Format an entry, a line of the message per line."""
    pid, tid, level, tag = entry.pid, entry.tid, entry.level, f"{entry.tag:<8}"
    stamp = _stamp(entry, zone, request.modifiers)
    if request.format == "long":
        head = f"[ {stamp} {pid:>5}:{tid:>5} {level}/{tag} ]\n"
        return f"{head}{entry.message}\n\n"
    heads = {
        "threadtime": f"{stamp} {pid:>5} {tid:>5} {level} {tag}: ",
        "brief": f"{level}/{tag}({pid:>5}): ",
        "time": f"{stamp} {level}/{tag}({pid:>5}): ",
        "tag": f"{level}/{tag}: ",
        "process": f"{level}({pid:>5}) ",
        "thread": f"{level}({pid:>5}:{tid:>5}) ",
        "raw": "",
    }
    tail = f"  ({entry.tag})" if request.format == "process" else ""
    head, lines = heads[request.format], entry.message.split("\n")
    return "".join(f"{head}{line}{tail}\n" for line in lines)


def _stamp(entry: Entry, zone: ZoneInfo, modifiers: set[str] | frozenset[str] = frozenset()) -> str:
    if "epoch" in modifiers:
        return f"{entry.time:>19.3f}"
    when = datetime.fromtimestamp(entry.time, zone)
    digits = f"{when.microsecond:06}" if "usec" in modifiers else f"{when.microsecond // 1000:03}"
    year = f"{when:%Y-}" if "year" in modifiers else ""
    offset = f" {when:%z}" if "zone" in modifiers else ""
    return f"{year}{when:%m-%d %H:%M:%S}.{digits}{offset}"
