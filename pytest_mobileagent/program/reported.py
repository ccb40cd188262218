"""Reads a program's report from its exit status, its output and its files."""

from __future__ import annotations

import os
import re
import stat
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.episode.secrets import without_secrets
from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.processes import signal_name

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_mobileagent.program.adapter import Adapter, Ending, ReportPlace

ANSWER_FILE, IMPOSSIBLE_FILE = "MOBILEAGENT_ANSWER_FILE", "MOBILEAGENT_IMPOSSIBLE_FILE"
_MOST_READ = 16 * 1024 * 1024  # bytes of a file; `Output` stores fewer
_MOST_ANSWER = 100_000  # characters of an answer
_MOST_LAST_LINE = 300
# Python's format of an exception group: the first line, rules between its parts, other lines.
_GROUP = "  + Exception Group Traceback (most recent call last):"
_BEFORE = (  # the lines before each exception of a chain, of which the last one counts
    "Traceback (most recent call last):",
    "The above exception was the direct cause of the following exception:",
    "During handling of the above exception, another exception occurred:",
)
_RULE = re.compile(r" *\+(-\+)?-{9,}(?: (?:\d+|\.\.\.) -+)?")
_BESIDE = re.compile(r" *[|+] (.*)")
# Sequences that colour or move text on a terminal (ECMA-48).
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")


@dataclass(frozen=True, slots=True)
class ProgramReport:
    """How a program ended, according to its own report: `text` is its answer, reason or error."""

    ending: Ending
    text: str = ""


@dataclass(frozen=True, slots=True)
class Traces:
    """The traces that a program leaves.

    - `status`: its exit status, negative for a signal; None if it is unknown.
    - `folder`: where it ran. `stdout`, `stderr`: the files with its output.
    - `notes`: the folder of the files named by `variables`.
    """

    status: int | None
    folder: Path
    stdout: Path
    stderr: Path
    notes: Path


def variables(notes: Path) -> dict[str, str]:
    """Return the variables that name the files for a program's answer, and for why it gave up."""
    return {ANSWER_FILE: str(notes / "answer"), IMPOSSIBLE_FILE: str(notes / "impossible")}


def reported(adapter: Adapter, traces: Traces, secrets: Sequence[str] = ()) -> ProgramReport:
    """Return what a program that has ended reports.

    The exit status says whether the program has succeeded; if so, a reason why the task is
    impossible takes precedence over an answer. If the adapter defines what the program prints when
    it is done, that is required, too: a program that has crashed may still exit with a status of
    success, such as that of a script around it. Secrets are removed from the text.
    """
    status = traces.status
    ending: Ending = "error" if status is None else adapter.exit_codes.get(status, "error")
    failure = _found(adapter.error, traces)
    limit = _found(adapter.step_limit, traces)
    if ending == "error":
        text = _error(traces)
    elif failure is not None:
        ending, text = "error", f"ended with status {traces.status}, and reported: {failure}"
    elif ending == "step limit" or limit is not None:
        how = f"with status {traces.status}" if limit is None else f"and reported: {limit}"
        ending, text = "step limit", f"reached its own limit, {how}"
    else:
        reason = _report(adapter.impossible, traces, "impossible")
        answer = _report(adapter.answer, traces, "answer")
        if ending == "impossible" or reason is not None:
            ending, text = "impossible", reason if reason is not None else answer or ""
        elif adapter.done is not None and _found(adapter.done, traces) is None:
            ending, text = "error", _error(traces, without=adapter.done)
        else:
            text = answer or ""
    return ProgramReport(ending, without_secrets(text, secrets))


def last_line(traces: Traces) -> str:
    """Return the last line of a program's output, preferably of standard error.

    For an exception group, return its message and those of its parts.
    """
    for path in (traces.stderr, traces.stdout):
        lines = [line.rstrip() for line in _clean(_read(path) or "").splitlines() if line.strip()]
        if lines:
            if _RULE.fullmatch(lines[-1]) and _GROUP in lines:
                return printable(_group(lines))[:_MOST_LAST_LINE]
            line = printable(lines[-1].strip())
            return line if len(line) <= _MOST_LAST_LINE else f"…{line[-_MOST_LAST_LINE:]}"
    return ""


def _group(lines: Sequence[str]) -> str:
    """Return the messages of the exception group at the end of the lines."""
    messages, message = "", ""
    start = max(number for number, line in enumerate(lines) if line == _GROUP)
    for line in lines[start:]:
        if rule := _RULE.fullmatch(line):
            if rule[1]:  # its parts follow
                message = f"{message.partition(': ')[2] or message}: "
            elif message:
                message += "; "
            messages, message = messages + message, ""
        elif beside := _BESIDE.fullmatch(line):
            if beside[1].endswith(_BEFORE):
                message = ""
            elif not message and not beside[1].startswith(" "):
                message = beside[1]
    return messages.removesuffix("; ")


def _error(traces: Traces, without: ReportPlace | None = None) -> str:
    """Return how a program failed, with its last line; `without` is output that was missing."""
    status = traces.status
    if status is None:
        how = "ended in an unknown way"
    elif status < 0:
        how = f"was killed by {signal_name(-status)}"
    else:
        how = f"ended with status {status}"
    if without is not None:
        how += f", but did not report that it is done ({without.pattern or without.file})"
    line = last_line(traces)
    return f"{how}; its last line of output: {line}" if line else f"{how}, without any output"


def _report(place: ReportPlace | None, traces: Traces, note: str) -> str | None:
    """Return what a program reports in the adapter's place, or else in the file `note`."""
    text = _found(place, traces)
    if text is None:
        text = _read(traces.notes / note)
    return None if text is None else text.strip()[:_MOST_ANSWER]


def _found(place: ReportPlace | None, traces: Traces) -> str | None:
    """Return what a program reports in a place; None if it reports nothing there."""
    if place is None:
        return None
    files = [traces.folder / place.file] if place.file else [traces.stdout, traces.stderr]
    for path in files:
        if (content := _read(path)) is not None:
            text = _last(place.pattern, _clean(content)) if place.pattern else content
            if text is not None:
                return text.strip()[:_MOST_ANSWER]
    return None


def _last(pattern: str, text: str) -> str | None:
    """Return the last match of a pattern: its first group that matched, or the whole match."""
    last = deque(re.finditer(pattern, text, re.MULTILINE), maxlen=1)
    if not last:
        return None
    found = last[0]
    return next((group for group in found.groups() if group is not None), found[0])


def _clean(text: str) -> str:
    return _ESCAPES.sub("", text).replace("\r\n", "\n")


def _read(path: Path) -> str | None:
    """Return the text of a file, even if it is malformed; None if it does not exist.

    Reading never blocks, even if the program has created a pipe there.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read(_MOST_READ).decode("utf-8", "replace")
