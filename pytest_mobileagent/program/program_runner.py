"""The agent runner of external programs: it starts, watches and ends them, and reads their reports.

A program reports by its exit status, its output and its files.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections import deque
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.action import Finish, Impossible
from pytest_mobileagent.episode import Termination
from pytest_mobileagent.episode.output import hide
from pytest_mobileagent.episode.secrets import without_secrets
from pytest_mobileagent.errors import AgentError, AgentKilledError
from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.llm.providers import key_variables, keys
from pytest_mobileagent.processes import signal_name, was_killed
from pytest_mobileagent.program import fill, fill_words
from pytest_mobileagent.program.launch import ProgramProcess, contained
from pytest_mobileagent.program.model_routes import LentKeys
from pytest_mobileagent.program.recorders import PROGRAM, Recorders
from pytest_mobileagent.program.session_watcher import SessionWatcher
from pytest_mobileagent.program.track import RAW_LOG, Jobs, LoopThread, RawLog
from pytest_mobileagent.program.workplace import (
    Workplace,
    environment_variables,
    install,
    workplace,
)
from pytest_mobileagent.run.runner import blame, reached_limit, recorded_error

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_mobileagent.agent.agent import Briefing
    from pytest_mobileagent.program import Adapter, Ending, ReportPlace
    from pytest_mobileagent.program.recorders import Setting
    from pytest_mobileagent.run.session import Session


# Variables that would lead to other adb servers than the recorded one.
_OTHER_SERVERS = {"ADB_SERVER_SOCKET", "ANDROID_ADB_SERVER_ADDRESS", "ANDROID_ADB_SERVER_PORT"}
_NOTICE = 0.05  # seconds between checks of whether the program has ended
_KILL_SECONDS = 0.5  # that the program has to end by itself before it is killed


class ProgramRunner:
    """Runs an external program, which controls the phone by its own means (see `AgentRunner`)."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._lost = 0.0  # seconds lost to busy providers

    def run(self, session: Session, briefing: Briefing) -> None:
        """Run the program until the episode is over (see `AgentRunner`)."""
        record = briefing.folder / PROGRAM
        record.mkdir(exist_ok=True)
        jobs = Jobs()
        watcher = SessionWatcher(session, briefing.goal, jobs, RawLog(record / RAW_LOG))

        def on_budget(why: str) -> None:
            jobs.add(lambda: watcher.end(Termination.BUDGET, why))

        with ExitStack() as stack:
            try:
                setting = self._setting
                made = workplace(setting.program, setting.here, setting.scratch)
                place = stack.enter_context(made)
            except AgentError as error:
                session.end(Termination.AGENT_ERROR, str(error))
                return
            loop = stack.enter_context(LoopThread())
            keys = LentKeys(os.environ, setting.program.own_keys, always=setting.model is not None)
            recorders = Recorders(setting, session.device, watcher, briefing.folder, keys)
            stack.callback(lambda: loop.run(recorders.close()))
            stack.callback(jobs.cancel)
            base = keys.environment(self._base())
            loop.run(recorders.start(place.notes, base, on_budget))
            self._run(session, watcher, place, recorders, base)

    def _base(self) -> dict[str, str]:
        """Return the part of the program's environment that comes from the user's."""
        base = {name: value for name, value in os.environ.items() if name not in _OTHER_SERVERS}
        if (requirements := self._setting.program.requirements) is not None:
            base |= environment_variables(install(requirements), base)
        return base

    def _run(
        self,
        session: Session,
        watcher: SessionWatcher,
        place: Workplace,
        recorders: Recorders,
        base: dict[str, str],
    ) -> None:
        """Start, watch and end the program, and end the session according to its report."""
        record = session.folder / PROGRAM
        try:
            process = self._process(place, recorders, base, record)
            process.start()
        except AgentError as error:
            session.end(Termination.AGENT_ERROR, str(error))
            return
        try:
            self._watch(session, watcher, process, recorders)
        finally:
            process.end(_KILL_SECONDS)
            secrets = [*process.secrets, *recorders.secrets]
            for path in (process.stdout, process.stderr):
                hide(path, secrets)
            place.save(record / "files", secrets)
        watcher.drain()
        if reached_limit(session):
            recorders.models.blame_provider("the program went on to its step limit")
        if session.ending is None:
            status, out, err = process.status, process.stdout, process.stderr
            traces = Traces(status, place.folder, out, err, place.notes)
            report = reported(self._setting.program, traces, secrets)
            if report.ending == "error":
                if session.plan.repeats_kills and was_killed(status):
                    raise AgentKilledError(blame(session, f"the program {report.text}"))
                recorders.models.blame_provider(f"the program {report.text}")
            else:  # many programs only print that their last call failed
                recorders.models.blame_provider("the program ended after its model did not answer")
            _conclude(session, watcher, report)

    def _process(
        self, place: Workplace, recorders: Recorders, base: dict[str, str], record: Path
    ) -> ProgramProcess:
        program = self._setting.program
        own = self._variables(place, recorders)
        words: Sequence[str] = ["sh", "-c", *program.command]
        if not program.shell:
            words = fill_words(program.command, recorders.values)
        environment, after = base | own, tuple[str, ...]()
        if program.image:
            container = contained(
                words,
                program.image,
                place.folder,
                environment,
                run=self._setting.run,
                own=[*own, *key_variables()],
                paths=[place.notes, record, *recorders.paths],
                search=recorders.search,
            )
            words, environment, after = container.words, container.environment, container.after
        return ProgramProcess(
            words,
            place.folder,
            environment,
            record,
            run=self._setting.run,
            secrets=keys(),
            stdin=place.stdin,
            after=after,
        )

    def _variables(self, place: Workplace, recorders: Recorders) -> dict[str, str]:
        """Return the program's variables in addition to the user's."""
        program, values = self._setting.program, recorders.values
        given = {name: fill(text, values) for name, text in program.env.items()}
        if "PATH" in given:  # the adapter's PATH, after the recorded adb
            given["PATH"] = os.pathsep.join([*recorders.search, given["PATH"]])
        prepared = place.prepare(program, values)
        return recorders.environment | values.environment() | prepared | given

    def _watch(
        self,
        session: Session,
        watcher: SessionWatcher,
        process: ProgramProcess,
        recorders: Recorders,
    ) -> None:
        """Serve the recorders' requests until the program has ended, or has run out of time."""
        limit = session.limits.seconds
        while not process.is_over and session.ending is None:
            recorders.models.check()
            self._lost += session.calls.seconds_lost()
            is_over = watcher.track.worked() - self._lost > limit
            if is_over and not session.calls.awaits_provider():
                why = f"it exceeded {limit:g} seconds"
                watcher.end(Termination.TIME_LIMIT, blame(session, why))
            watcher.work(_NOTICE)
        ends = time.monotonic() + self._setting.program.grace
        while not process.is_over and time.monotonic() < ends:
            watcher.work(_NOTICE)


def _conclude(session: Session, watcher: SessionWatcher, report: ProgramReport) -> None:
    """End the session according to the report of a program that has ended by itself."""
    match report.ending:
        case "done":
            watcher.finish(Finish(report.text))
        case "impossible":
            watcher.finish(Impossible(report.text))
        case "step limit":
            watcher.end(Termination.STEP_LIMIT, report.text)
        case "error":
            watcher.close_steps()
            error = blame(session, f"the program {report.text}")
            session.end(Termination.AGENT_ERROR, recorded_error(error, session.folder))


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
    - `notes`: the folder for its answer, or for why the task is impossible (see `Workplace`).
    """

    status: int | None
    folder: Path
    stdout: Path
    stderr: Path
    notes: Path


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
