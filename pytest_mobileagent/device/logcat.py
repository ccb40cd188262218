"""Parses logcat, and finds app crashes in it and in Android's store of crash reports (DropBox).

The formats are those of AOSP: `logcat -v threadtime`; RuntimeInit.LoggingHandler for crashes of
managed code, debuggerd's tombstones for native crashes, and ProcessErrorStateRecord for apps that
do not respond. The output of `dumpsys dropbox --print` is written by DropBoxManagerService, its
entries by ActivityManagerService.addErrorToDropBox.
"""

from __future__ import annotations

import re
from datetime import datetime
from itertools import takewhile
from posixpath import dirname
from typing import TYPE_CHECKING

from pytest_mobileagent.episode.event import Crash, LogLine

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_mobileagent.device.device import LogLevel

_LINE = re.compile(
    r"(?:\d{4}-)?(\d\d-\d\d \d\d:\d\d:\d\d\.\d{3})\d*\s+"
    r"(?:\S+\s+)??(\d+)\s+(\d+) ([VDIWEF]) (.*?) *: ?(.*)",
    re.DOTALL,
)
MARKS = "mobileagent."  # the prefix of the tags of lines that this plugin writes
_REPORTS = ("AndroidRuntime", "ActivityManager", "DEBUG")  # the tags of crash reports
_MOST_TRACE = 8000  # characters
_PROCESS = re.compile(r"Process: ([\w.]+)|PID: \d+$")  # programs of the shell have no process
_FATAL = re.compile(r"(?:!@)?(?:\*\*\* )?FATAL EXCEPTION( IN SYSTEM PROCESS)?: ")
_NOT_RESPONDING = re.compile(r"ANR in ([\w.]+)")
_NATIVE = re.compile(r">>> ([^<]*?) <<<")
_SIGNAL = re.compile(r"signal \d+ \((\w+)\).*")
_FRAME = re.compile(
    r"\s*#00 pc [0-9a-f]+ +(\S+)(?: \((?!BuildId)(.*?)\))?(?: \(BuildId: \w+\))?\s*"
)
_JAVA_FRAME = re.compile(r"\s*at ([\w.$<>]+)\(([^)]*)\)")
_PYTHON_FRAME = re.compile(r'\s*File "([^"]+)", line (\d+)')


def parse_line(line: str) -> LogLine | None:
    """Parse a line of `logcat -v threadtime`; return None for other lines, such as dividers."""
    found = _LINE.fullmatch(line.rstrip("\r\n"))
    if found is None:
        return None
    time, pid, tid, level, tag, text = found.groups()
    return LogLine(time, int(pid), int(tid), level, tag, text)


def is_wanted(line: LogLine, level: LogLevel) -> bool:
    """Return whether a line is read at a level; "off" reads only the lines that report crashes."""
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
    """Yield the messages of each report, which one thread writes with one tag."""
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
    """Return whether a report begins with this line."""
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
        package = "system_server" if fatal[1] else process[1] or "" if process else ""
        error, place = _managed([each for each in block[1:] if not _PROCESS.match(each)], package)
        return Crash("crash", package, error, place, trace)
    if silent := _NOT_RESPONDING.match(block[0]):
        reasons = [each.removeprefix("Reason: ") for each in block if each.startswith("Reason: ")]
        return Crash("not responding", silent[1], reasons[0] if reasons else "", "", trace)
    process = next(filter(None, map(_NATIVE.search, block)), None)
    signal = next(filter(None, map(_SIGNAL.match, block)), None)
    if process is None or signal is None:
        return None  # a report that was requested without a crash
    aborted = [each for each in block if each.startswith("Abort message: ")]
    error = ": ".join([signal[1], *(each.removeprefix("Abort message: ") for each in aborted[:1])])
    frame = next(filter(None, map(_FRAME.fullmatch, block)), None)
    place = "" if frame is None else " ".join([frame[1].rpartition("/")[2], frame[2] or ""]).strip()
    return Crash("native crash", process[1].partition(":")[0], error, place, trace)


_TAGS = [f"{where}_app_{what}" for where in ("data", "system") for what in ("crash", "anr")]
_TAGS += ["data_app_native_crash", "system_app_native_crash"]
_MOST_BYTES = 200_000  # that are read of each tag, from the end
# Prints DropBox's crash reports, in the phone's shell.
DROPBOX_SCRIPT = (
    f"for tag in {' '.join(_TAGS)}; "
    f"do echo mobileagent $tag; dumpsys dropbox --print $tag | tail -c {_MOST_BYTES}; done"
)
_OF_TAG = re.compile(r"(?m)^mobileagent \w+\n")
_ENTRY = re.compile(
    r"(?m)^={20,}\n(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) (?:data|system)_app_(\w+) \(.*\)\n"
)
_FIELD = re.compile(r"([A-Z][\w-]*): (.*)")
_HEADING = "Drop box contents: "


def dropbox_crashes(printed: str, since: datetime) -> list[tuple[datetime, Crash]] | None:
    """Return the crashes since a moment with their times, from the output of `DROPBOX_SCRIPT`.

    Times are those of the phone's clock, in whole seconds. None if the phone has no DropBox.
    """
    if _HEADING not in printed:
        return None
    text = printed.replace("\r\n", "\n")
    entries = [part for each in _OF_TAG.split(text) for part in _ENTRY.split(each)[1:]]
    found = []
    for when, what, content in zip(entries[::3], entries[1::3], entries[2::3], strict=True):
        try:
            moment = datetime.fromisoformat(when)
        except ValueError:  # not a valid date
            continue
        crash = _crash_of(what, content) if moment >= since.replace(microsecond=0) else None
        found += [(moment, crash)] if crash is not None else []
    return sorted(found, key=lambda each: each[0])


def _crash_of(what: str, content: str) -> Crash | None:
    """Return the crash that a DropBox entry reports; None if it reports no crash."""
    lines = content.rstrip("\n").split("\n")
    head = [found for found in map(_FIELD.fullmatch, takewhile(bool, lines)) if found]
    about = {found[1]: found[2] for found in reversed(head)}
    package = about.get("Process", "").partition(":")[0]
    trace = content.strip()[:_MOST_TRACE]
    body = [line for line in lines[len(head) :] if line]
    match what:
        case "anr":
            found = re.search(r"(?m)^Subject: (.*)", content)  # some write it after the CPU usage
            return Crash("not responding", package, found[1] if found else "", "", trace)
        case "native_crash":
            return _crash(["", *body])
        case "crash" if body:
            return Crash("crash", package, *_managed(body, package), trace)
    return None


def _managed(block: Sequence[str], package: str) -> tuple[str, str]:
    """Return the root cause and its place from a stack trace of Java, Kotlin or Python."""
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
    """Return the innermost frame in the app's folder, which is that of the outermost frame."""
    starts = [n for n, each in enumerate(block) if each.startswith("Traceback ")]
    frames = [found for each in block[starts[-1] :] if (found := _PYTHON_FRAME.match(each))]
    if not frames:
        return ""
    own = [frame for frame in frames if dirname(frame[1]) == dirname(frames[0][1])]
    return f"{'/'.join(own[-1][1].split('/')[-2:])}:{own[-1][2]}"
