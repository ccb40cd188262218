"""The agent runner of external programs: it starts, watches and ends a program."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

from pytest_mobileagent.action import Finish, Impossible
from pytest_mobileagent.episode import Termination
from pytest_mobileagent.episode.output import hide
from pytest_mobileagent.errors import AgentError, AgentKilledError
from pytest_mobileagent.llm.providers import key_variables, keys
from pytest_mobileagent.processes import was_killed
from pytest_mobileagent.program.adapter import fill, fill_words
from pytest_mobileagent.program.launch import ProgramProcess, contained
from pytest_mobileagent.program.models.environment import LentKeys
from pytest_mobileagent.program.recorders import PROGRAM, Recorders
from pytest_mobileagent.program.reported import Traces, reported
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
    from pytest_mobileagent.program.recorders import Setting
    from pytest_mobileagent.program.reported import ProgramReport
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
            always = setting.model is not None
            keys = LentKeys(os.environ, setting.program.own_keys, always=always)
            recorders = Recorders(self._setting, session.device, watcher, briefing.folder, keys)
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
                watcher.end(
                    Termination.TIME_LIMIT, blame(session, f"it exceeded {limit:g} seconds")
                )
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
