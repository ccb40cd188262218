"""A program's report: by its exit status, its output and its files."""

from __future__ import annotations

import os
import re
import signal
import stat
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.episode.redaction import without_secrets
from pytest_mobileagent.jsonable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_mobileagent.program.adapter import Adapter, Ending, ReportPlace

ANSWER_FILE, IMPOSSIBLE_FILE = "MOBILEAGENT_ANSWER_FILE", "MOBILEAGENT_IMPOSSIBLE_FILE"
_MOST_READ = 16 * 1024 * 1024  # bytes of a file; `Output` holds fewer
_MOST_SAID = 100_000  # characters of an answer
_MOST_LAST_WORDS = 300
# How Python prints a group of exceptions: the first line, rules between its parts, other lines.
_GROUP = "  + Exception Group Traceback (most recent call last):"
_BEFORE = (  # stand before the exceptions of a chain, of which the last one counts
    "Traceback (most recent call last):",
    "The above exception was the direct cause of the following exception:",
    "During handling of the above exception, another exception occurred:",
)
_RULE = re.compile(r" *\+(-\+)?-{9,}(?: (?:\d+|\.\.\.) -+)?")
_BESIDE = re.compile(r" *[|+] (.*)")
# Sequences that colour or move text on a terminal (ECMA-48).
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")


@dataclass(frozen=True, slots=True)
class Reported:
    """How a program ended, by its own account: `text` is its answer, reason or error."""

    ending: Ending
    text: str = ""


@dataclass(frozen=True, slots=True)
class Traces:
    """The traces that a program leaves.

    - `status`: its exit status, negative for a signal; None if it is unknown.
    - `folder`: where it ran. `stdout`, `stderr`: what it has printed.
    - `notes`: the folder of the files that `variables` names.
    """

    status: int | None
    folder: Path
    stdout: Path
    stderr: Path
    notes: Path


def variables(notes: Path) -> dict[str, str]:
    """Return the variables that name the files for a program's answer, or why it gave up."""
    return {
        ANSWER_FILE: str(notes / "answer"),
        IMPOSSIBLE_FILE: str(notes / "impossible"),
    }


def reported(adapter: Adapter, traces: Traces, secrets: Sequence[str] = ()) -> Reported:
    """Return what a program that has ended reports.

    Its status says whether it has succeeded; if so, a reason why the task is impossible takes
    precedence over an answer. If the adapter knows the words with which the program says that it is
    done, they are required: a program that has crashed may still end with a status of success, that
    of the script around it. The text contains no secrets.
    """
    ending = _ending(adapter, traces.status)
    failure = _found(adapter.error, traces)
    limit = _found(adapter.step_limit, traces)
    if ending == "error":
        text = _error(traces)
    elif failure is not None:
        ending, text = "error", f"ended with status {traces.status}, and said: {failure}"
    elif ending == "step limit" or limit is not None:
        how = f"with status {traces.status}" if limit is None else f"and said: {limit}"
        ending, text = "step limit", f"ended by its own limit, {how}"
    else:
        reason = _report(adapter.impossible, traces, "impossible")
        answer = _report(adapter.answer, traces, "answer")
        if ending == "impossible" or reason is not None:
            ending, text = "impossible", reason if reason is not None else answer or ""
        elif adapter.done is not None and _found(adapter.done, traces) is None:
            ending, text = "error", _error(traces, without=adapter.done)
        else:
            text = answer or ""
    return Reported(ending, without_secrets(text, secrets))


def last_words(traces: Traces) -> str:
    """Return the last line that a program has printed, on standard error if it has used that.

    For a group of exceptions, return its message and those of its parts.
    """
    for path in (traces.stderr, traces.stdout):
        lines = [line.rstrip() for line in _clean(_read(path) or "").splitlines() if line.strip()]
        if lines:
            if _RULE.fullmatch(lines[-1]) and _GROUP in lines:
                return printable(_group(lines))[:_MOST_LAST_WORDS]
            line = printable(lines[-1].strip())
            return line if len(line) <= _MOST_LAST_WORDS else f"…{line[-_MOST_LAST_WORDS:]}"
    return ""


def _group(lines: Sequence[str]) -> str:
    """Return the messages of the group of exceptions with which the lines end."""
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


def _ending(adapter: Adapter, status: int | None) -> Ending:
    return "error" if status is None else adapter.exit_codes.get(status, "error")


def _error(traces: Traces, without: ReportPlace | None = None) -> str:
    """Return how a program failed, and its last words; `without` are words that it lacked."""
    status = traces.status
    if status is None:
        how = "was ended, nobody knows how"
    elif status < 0:
        how = f"was killed by {_signal_name(-status)}"
    else:
        how = f"ended with status {status}"
    if without is not None:
        how += f", but did not say that it is done ({without.pattern or without.file})"
    words = last_words(traces)
    return f"{how}; the last it said: {words}" if words else f"{how}, and said nothing"


def _report(said: ReportPlace | None, traces: Traces, note: str) -> str | None:
    """Return what a program reports by the adapter's rule, or in the file `note`."""
    text = _found(said, traces)
    if text is None:
        text = _read(traces.notes / note)
    return None if text is None else text.strip()[:_MOST_SAID]


def _found(said: ReportPlace | None, traces: Traces) -> str | None:
    """Return what an adapter's rule finds; None if it finds nothing, or there is no rule."""
    if said is None:
        return None
    files = [traces.folder / said.file] if said.file else [traces.stdout, traces.stderr]
    for path in files:
        if (content := _read(path)) is not None:
            text = _last(said.pattern, _clean(content)) if said.pattern else content
            if text is not None:
                return text.strip()[:_MOST_SAID]
    return None


def _last(pattern: str, text: str) -> str | None:
    """Return the last match of a pattern: its first group that took part, or all of it."""
    last = deque(re.finditer(pattern, text, re.MULTILINE), maxlen=1)
    if not last:
        return None
    found = last[0]
    return next((group for group in found.groups() if group is not None), found[0])


def _clean(text: str) -> str:
    return _ESCAPES.sub("", text).replace("\r\n", "\n")


def _read(path: Path) -> str | None:
    """Return the text of a file, even if it is malformed; None if there is no file.

    Reading does not block, even on a pipe that the program has put there.
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


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"
