"""logcat: prints the log, once or continuously."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from pytest_mobileagent import patterns
from pytest_mobileagent.patterns import Pattern, PatternError
from pytest_mobileagent.virtual.shell.android.log import BUFFERS, LEVELS, packed
from pytest_mobileagent.virtual.shell.commands import Context, Failure, command
from pytest_mobileagent.virtual.shell.options import parse
from pytest_mobileagent.virtual.shell.patterns import search

if TYPE_CHECKING:
    from collections.abc import Iterable
    from zoneinfo import ZoneInfo

    from pytest_mobileagent.virtual.kernel.log import Entry
    from pytest_mobileagent.virtual.shell.options import Options

LOOK_AGAIN = 1.0  # seconds
DEFAULT_BUFFERS = ("main", "system", "crash")
HEADS = {  # printed before each line, or before the whole message if they end with a newline
    "brief": "{level}/{tag:<8}({pid:>5}): ",
    "long": "[ {stamp} {pid:>5}:{tid:>5} {level}/{tag:<8} ]\n",
    "process": "{level}({pid:>5}) ",
    "raw": "",
    "tag": "{level}/{tag:<8}: ",
    "thread": "{level}({pid:>5}:{tid:>5}) ",
    "threadtime": "{stamp} {pid:>5} {tid:>5} {level} {tag:<8}: ",
    "time": "{stamp} {level}/{tag:<8}({pid:>5}): ",
}
MODIFIERS = ("epoch", "year")
LONG = {
    "binary": "B", "buffer": "b", "buffer-size": "G", "clear": "c", "format": "v",
    "max-count": "m", "pid": "P", "regex": "e", "tail": "t",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Filter:
    """Selects the entries to print."""

    buffers: tuple[str, ...]
    levels: dict[str, str]  # minimum level by tag; "*" stands for all others
    pattern: Pattern
    pid: int | None

    def reads(self, entry: Entry) -> bool:
        """Return whether an entry is among those requested from the log daemon."""
        return entry.buffer in self.buffers and self.pid in (None, entry.pid)

    async def wants(self, entry: Entry) -> bool:
        """Return whether an entry that was read is printed."""
        least = self.levels.get(entry.tag, self.levels.get("*", "V"))
        loud = LEVELS.index(entry.level) >= LEVELS.index(least)
        return loud and await search(self.pattern, entry.message) is not None


@dataclass(frozen=True, slots=True)
class Layout:
    """The output format of entries."""

    format: str
    modifiers: set[str]
    zone: ZoneInfo

    def text(self, entry: Entry) -> str:
        """Format an entry, with a line for each line of its message."""
        told = entry._asdict() | {"stamp": self.stamp(entry)}
        head = HEADS[self.format].format_map(told)
        if self.format == "long":
            return f"{head}{entry.message}\n\n"
        tail = f"  ({entry.tag})" if self.format == "process" else ""
        return "".join(f"{head}{line}{tail}\n" for line in entry.message.split("\n"))

    def stamp(self, entry: Entry) -> str:
        """Format the time of an entry."""
        if "epoch" in self.modifiers:
            return f"{entry.time:>19.3f}"
        stamp = _stamp(entry, self.zone)
        return stamp if "year" in self.modifiers else stamp.partition("-")[2]


def _stamp(entry: Entry, zone: ZoneInfo) -> str:
    when = datetime.fromtimestamp(entry.time, zone)
    return f"{when:%Y-%m-%d %H:%M:%S}.{when.microsecond // 1000:03}"


@command("logcat")
async def logcat(ctx: Context, args: list[str]) -> int:
    """Print or clear the log."""
    options = parse(args, "Bcdsb:e:m:t:v:G:P:T:", LONG)
    buffers = _buffers(options)
    if "c" in options:
        ctx.phone.log.clear(set(buffers))
        return 0
    pid = _number("pid", options.get("P")) if "P" in options else None
    filter_ = Filter(buffers, _levels(options), _pattern(options), pid)
    layout = _layout(options, ctx.phone.clock.zone)
    waiting = _present(ctx, options, filter_)
    most = _number("m", options.get("m")) if "m" in options else -1
    arrived: asyncio.Queue[Entry] = asyncio.Queue()
    unsubscribe = ctx.phone.log.subscribe(arrived.put_nowait)
    try:
        seen = set[str]()
        while True:
            for entry in waiting:
                if not await filter_.wants(entry):
                    continue
                text = _divider(entry, seen) + layout.text(entry)
                await ctx.out(packed(entry) if "B" in options else text)
                most -= 1
                if most == 0:
                    return 0
            if "d" in options or "t" in options:
                return 0
            entry = await _next(ctx, arrived)
            waiting = [entry] if filter_.reads(entry) else []
    finally:
        unsubscribe()


async def _next(ctx: Context, arrived: asyncio.Queue[Entry]) -> Entry:
    """Wait for an entry; let an idle phone log its own messages now and then."""
    while True:
        with suppress(TimeoutError):
            return await asyncio.wait_for(arrived.get(), LOOK_AGAIN)
        ctx.phone.log.idle()


def _present(ctx: Context, options: Options, filter_: Filter) -> Iterable[Entry]:
    """Return existing entries; like the daemon, count the last ones before applying filters."""
    zone = ctx.phone.clock.zone
    entries = [entry for entry in ctx.phone.log.entries if filter_.reads(entry)]
    for option, value in options.given:
        if option not in "tT":
            continue
        if value.isdecimal():
            entries = entries[-_number(option, value) :]
        elif match := re.fullmatch(r"(\d{4}-)?(\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?)", value):
            since = f"{match[1] or f'{ctx.phone.clock.now():%Y-}'}{match[2]}"
            entries = [entry for entry in entries if _stamp(entry, zone) >= since]
        else:
            raise Failure(f'-{option} "{value}" not in time format')
    return entries


def _divider(entry: Entry, seen: set[str]) -> str:
    if entry.buffer in seen:
        return ""
    seen.add(entry.buffer)
    return f"--------- beginning of {entry.buffer}\n"


def _buffers(options: Options) -> tuple[str, ...]:
    chosen: list[str] = []
    for name in ",".join(options.all("b") or ["default"]).split(","):
        if name not in (*BUFFERS, "all", "default"):
            raise Failure(f"unknown buffer {name}")
        chosen += {"all": BUFFERS, "default": DEFAULT_BUFFERS}.get(name, (name,))
    return tuple(dict.fromkeys(chosen))


def _levels(options: Options) -> dict[str, str]:
    levels = {"*": "S"} if "s" in options else {}
    for spec in " ".join(options.rest).split():
        tag, colon, level = spec.partition(":")
        level = (level or ("V" if colon or tag != "*" else "D")).upper()
        if not tag or (level != "*" and level not in LEVELS):
            raise Failure(f"Invalid filter expression '{spec}'")
        levels[tag] = "V" if level == "*" else level
    return levels


def _pattern(options: Options) -> Pattern:
    try:
        return patterns.compile(options.get("e"))
    except PatternError as error:
        raise Failure(f"regex_error: {error}") from error


def _layout(options: Options, zone: ZoneInfo) -> Layout:
    format_, modifiers = "threadtime", set[str]()
    for part in ",".join(options.all("v") or [format_]).split(","):
        if part in HEADS:
            format_ = part
        elif part in MODIFIERS:
            modifiers.add(part)
        else:
            raise Failure(f'Invalid parameter "{part}" to -v')
    return Layout(format_, modifiers, zone)


def _number(option: str, value: str) -> int:
    if not value.isdecimal() or not int(value):
        raise Failure(f'-{option} "{value}" isn\'t an integer greater than zero')
    return int(value)
