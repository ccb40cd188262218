"""Finds the crashes of apps in what logcat prints, and in what Android keeps of them (DropBox).

The formats are those of AOSP: `logcat -v threadtime`; for crashes of managed code
RuntimeInit.loggingHandler, for native ones debuggerd's tombstones, and for apps that do not respond
ProcessErrorStateRecord. `dumpsys dropbox --print` is DropBoxManagerService's, its entries
ActivityManagerService.addErrorToDropBox writes.
"""

from __future__ import annotations

import re
from datetime import datetime
from itertools import takewhile
from posixpath import dirname
from typing import TYPE_CHECKING

from pytest_mobileagent.episode.log import Crash, LogLine

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_mobileagent.device.device import LogLevel

_LINE = re.compile(
    r"(\d\d-\d\d \d\d:\d\d:\d\d\.\d{3})\s+(?:\S+\s+)??(\d+)\s+(\d+) ([VDIWEF]) (.*?) *: ?(.*)",
    re.DOTALL,
)
MARKS = "mobileagent."  # begins the tags of the lines that this plugin writes
_REPORTS = ("AndroidRuntime", "ActivityManager", "DEBUG")  # the tags of what reports crashes
_MOST_TRACE = 8000  # characters
_PROCESS = re.compile(r"Process: ([\w.]+)")
_FATAL = re.compile(r"(?:\*\*\* )?FATAL EXCEPTION( IN SYSTEM PROCESS)?: ")
_NOT_RESPONDING = re.compile(r"ANR in ([\w.]+)")
_NATIVE = re.compile(r">>> ([^<]*?) <<<")
_SIGNAL = re.compile(r"signal \d+ \((\w+)\).*")
_FRAME = re.compile(
    r"\s*#00 pc [0-9a-f]+ +(\S+)(?: \((?!BuildId)(.*?)\))?(?: \(BuildId: \w+\))?\s*"
)
_JAVA_FRAME = re.compile(r"\s*at ([\w.$<>]+)\(([^)]*)\)")
_PYTHON_FRAME = re.compile(r'\s*File "([^"]+)", line (\d+)')


def parse_line(line: str) -> LogLine | None:
    """Return a line of `logcat -v threadtime`; None for what is none, such as its dividers."""
    found = _LINE.fullmatch(line.rstrip("\r\n"))
    if found is None:
        return None
    time, pid, tid, level, tag, text = found.groups()
    return LogLine(time, int(pid), int(tid), level, tag, text)


def is_wanted(line: LogLine, level: LogLevel) -> bool:
    """Whether a line is to be read at a level: "off" leaves those that report crashes."""
    match level:
        case "off":
            return line.tag in _REPORTS and line.level in "EF"
        case "warnings":
            return line.level in "WEF"
        case _:
            return not line.tag.startswith(MARKS)


def crashes(lines: Iterable[LogLine]) -> list[Crash]:
    """Return the crashes that lines of a log report, in order."""
    return [crash for block in _blocks(lines) if (crash := _crash(block)) is not None]


def _blocks(lines: Iterable[LogLine]) -> Iterator[list[str]]:
    """Yield the messages of each report: those that one thread writes under one tag."""
    blocks: dict[tuple[int, int, str], list[str]] = {}
    for line in lines:
        if line.tag not in _REPORTS:
            continue
        key = (line.pid, line.tid, line.tag)
        if _begins(line):
            if key in blocks:
                yield blocks.pop(key)
            blocks[key] = []
        if key in blocks and line.level in "EF":
            blocks[key].append(line.text)
    yield from blocks.values()


def _begins(line: LogLine) -> bool:
    """Whether a report begins with this line."""
    match line.tag:
        case "AndroidRuntime":
            return _FATAL.match(line.text) is not None
        case "ActivityManager":
            return line.level == "E" and _NOT_RESPONDING.match(line.text) is not None
        case _:
            return line.text.startswith("*** *** ***")


def _crash(block: Sequence[str]) -> Crash | None:
    trace = "\n".join(block)[:_MOST_TRACE]
    if fatal := _FATAL.match(block[0]):
        process = next(filter(None, map(_PROCESS.match, block)), None)
        package = "system_server" if fatal[1] else process[1] if process else ""
        error, place = _managed([each for each in block[1:] if not _PROCESS.match(each)], package)
        return Crash("crash", package, error, place, trace)
    if silent := _NOT_RESPONDING.match(block[0]):
        reasons = [each.removeprefix("Reason: ") for each in block if each.startswith("Reason: ")]
        return Crash("not responding", silent[1], reasons[0] if reasons else "", "", trace)
    process = next(filter(None, map(_NATIVE.search, block)), None)
    signal = next(filter(None, map(_SIGNAL.match, block)), None)
    if process is None or signal is None:
        return None  # a report that was asked for, without a crash
    aborted = [each for each in block if each.startswith("Abort message: ")]
    error = ": ".join([signal[1], *(each.removeprefix("Abort message: ") for each in aborted[:1])])
    frame = next(filter(None, map(_FRAME.fullmatch, block)), None)
    place = "" if frame is None else " ".join([frame[1].rpartition("/")[2], frame[2] or ""]).strip()
    return Crash("native crash", process[1].partition(":")[0], error, place, trace)


_TAGS = [f"{where}_app_{what}" for where in ("data", "system") for what in ("crash", "anr")]
_TAGS += ["data_app_native_crash", "system_app_native_crash"]
_MOST_KEPT = 200_000  # bytes of each tag that are read, the newest
# Prints what Android keeps of crashes, in a shell of the phone.
KEPT = (
    f"for tag in {' '.join(_TAGS)}; "
    f"do echo mobileagent $tag; dumpsys dropbox --print $tag | tail -c {_MOST_KEPT}; done"
)
_OF_TAG = re.compile(r"(?m)^mobileagent \w+\n")
_ENTRY = re.compile(
    r"(?m)^={20,}\n(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) (?:data|system)_app_(\w+) \(.*\)\n"
)
_FIELD = re.compile(r"([A-Z][\w-]*): (.*)")
_KEPT_BY = "Drop box contents: "


def kept_crashes(printed: str, since: datetime) -> list[tuple[datetime, Crash]] | None:
    """Return the crashes since a moment, each with when it was, from what `KEPT` has printed.

    Moments are of the phone's clock, in whole seconds. None if the phone keeps none.
    """
    if _KEPT_BY not in printed:
        return None
    text = printed.replace("\r\n", "\n")
    entries = [part for each in _OF_TAG.split(text) for part in _ENTRY.split(each)[1:]]
    found = []
    for when, what, content in zip(entries[::3], entries[1::3], entries[2::3], strict=True):
        try:
            moment = datetime.fromisoformat(when)
        except ValueError:  # no date that there is
            continue
        crash = _crash_of(what, content) if moment >= since.replace(microsecond=0) else None
        found += [(moment, crash)] if crash is not None else []
    return sorted(found, key=lambda each: each[0])


def _crash_of(what: str, content: str) -> Crash | None:
    """Return the crash that an entry tells of; None if it tells of none."""
    lines = content.rstrip("\n").split("\n")
    head = [found for found in map(_FIELD.fullmatch, takewhile(bool, lines)) if found]
    about = {found[1]: found[2] for found in reversed(head)}
    package = about.get("Process", "").partition(":")[0]
    trace = content.strip()[:_MOST_TRACE]
    body = [line for line in lines[len(head) :] if line]
    match what:
        case "anr":
            return Crash("not responding", package, about.get("Subject", ""), "", trace)
        case "native_crash":
            return _crash(["", *body])
        case "crash" if body:
            return Crash("crash", package, *_managed(body, package), trace)
    return None


def _managed(block: Sequence[str], package: str) -> tuple[str, str]:
    """Return what was thrown first, and where, from a stack trace of Java, Kotlin or Python."""
    if any(each.startswith("Traceback (most recent call last)") for each in block):
        thrown = [each for each in block if each and not each[0].isspace()]
        return thrown[-1] if thrown else "", _python_place(block)
    causes = [n for n, each in enumerate(block) if each.startswith("Caused by: ")]
    cause = block[causes[-1] :] if causes else block
    frames = [found for each in cause if (found := _JAVA_FRAME.match(each))]
    own = [frame for frame in frames if package and frame[1].startswith(f"{package}.")]
    error = cause[0].removeprefix("Caused by: ") if cause else ""
    return error, next((frame[2] for frame in (*own, *frames)), "")


def _python_place(block: Sequence[str]) -> str:
    """Return the last place in the app's own folder, which the last traceback begins in."""
    starts = [n for n, each in enumerate(block) if each.startswith("Traceback ")]
    frames = [found for each in block[starts[-1] :] if (found := _PYTHON_FRAME.match(each))]
    if not frames:
        return ""
    own = [frame for frame in frames if dirname(frame[1]) == dirname(frames[0][1])]
    return f"{'/'.join(own[-1][1].split('/')[-2:])}:{own[-1][2]}"
