"""log and logcat, and DropBox, in which Android keeps the records of crashes."""

from __future__ import annotations

import asyncio
import re
import struct
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from pytest_mobileagent import patterns
from pytest_mobileagent.patterns import Pattern, PatternError
from pytest_mobileagent.virtual.kernel.log import MOST_DROPS
from pytest_mobileagent.virtual.shell.android.service import Service, fill
from pytest_mobileagent.virtual.shell.commands import Context, Failure, command, parse
from pytest_mobileagent.virtual.shell.patterns import search

if TYPE_CHECKING:
    from collections.abc import Iterable
    from zoneinfo import ZoneInfo

    from pytest_mobileagent.virtual.app.app import App
    from pytest_mobileagent.virtual.kernel.log import Drop, Entry
    from pytest_mobileagent.virtual.shell.commands import Options

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
    levels: dict[str, str]  # the least level by tag; "*" is all other tags
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
        head = HEADS[self.format].format_map(entry._asdict() | {"stamp": self.stamp(entry)})
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


LEVELS = "VDIWEFS"
VERBOSE = 2  # the number of the lowest level
BUFFERS = {"main": 0, "radio": 1, "events": 2, "system": 3, "crash": 4, "kernel": 7}
MOST = 4068  # bytes of payload
SYSTEM_UID = 1000
# Sizes of payload and header, pid, tid, seconds, nanoseconds, buffer, uid.
HEADER = struct.Struct("<HHiIIIII")


@command("log")
async def log(ctx: Context, args: list[str]) -> None:
    """Write the words, or the lines of stdin, to the log."""
    options = parse(args, "p:t:", stop=True)
    level = options.get("p", "i")[:1].upper()
    if not level or level not in LEVELS:
        raise Failure(f"bad -p '{options.get('p')}'")
    lines = [" ".join(options.rest)]
    if not options.rest:
        lines = (await ctx.read_all()).decode(errors="replace").splitlines()
    for line in lines:
        if level != "S":
            ctx.phone.log.write(level, options.get("t", "log"), line, pid=ctx.pid)


def packed(entry: Entry) -> bytes:
    """Return the bytes of an entry: its header, then its priority, tag and message."""
    words = f"{entry.tag}\0{entry.message}".encode(errors="replace")
    payload = bytes([VERBOSE + LEVELS.index(entry.level)]) + words[: MOST - 2] + b"\0"
    seconds, nanoseconds = divmod(round(entry.time * 10**9), 10**9)
    numbers = (entry.pid, entry.tid, seconds, nanoseconds, BUFFERS[entry.buffer], SYSTEM_UID)
    return HEADER.pack(len(payload), HEADER.size, *numbers) + payload


service = Service("dropbox")
USAGE = "Usage: dumpsys dropbox [--print|--file] [YYYY-mm-dd] [HH:MM:SS] [tag]\n"
SHOWN = 70  # characters of an entry in a list
PRINT, FILE = {"-p", "--print"}, {"-f", "--file"}


@service.dump
def dump(ctx: Context, args: list[str]) -> str:
    """List the entries that match all words, each a part of their date or their tag."""
    drops, words = ctx.phone.drop_box.drops, [word for word in args if not word.startswith("-")]
    unknown = [word for word in args if word.startswith("-") and word not in PRINT | FILE]
    told = "".join(f"Unknown argument: {word}\n" for word in unknown)
    told += fill("dropbox_head", count=len(drops), most=MOST_DROPS)
    told += f"Searching for: {' '.join(words)}\n\n" if words else "\n"
    entries = ""
    for drop in drops:
        installed = drop.package in ctx.phone.packages
        app = ctx.phone.packages.app(drop.package) if installed else None
        tag = "system_app_crash" if app and app.system else "data_app_crash"
        when = f"{datetime.fromtimestamp(drop.time, ctx.phone.clock.zone):%F %T}"
        if all(word in when or word == tag for word in words):
            entries += _entry(ctx, drop, app, f"{when} {tag}", args)
    told += entries or "(No entries found.)\n"
    return told if args else f"{told}\n{USAGE}"


def _entry(ctx: Context, drop: Drop, app: App | None, head: str, args: list[str]) -> str:
    about = f"Package: {drop.package} v{app.version_code} ({app.version_name})\n" if app else ""
    text = fill("dropbox", drop=drop, about=about, build=ctx.phone.props["ro.build.fingerprint"])
    line = f"{head} (text, {len(text.encode())} bytes)\n"
    if FILE & {*args}:
        name = f"{head.rpartition(' ')[2]}@{int(drop.time * 1000)}.txt"
        line += f"    /data/system/dropbox/{name}\n"
    if PRINT & {*args}:
        return f"{'=' * 40}\n{line}{text}\n"
    short = text[:SHOWN].strip().replace("\n", "/")
    return line if FILE & {*args} else f"{line}    {short} ...\n"
