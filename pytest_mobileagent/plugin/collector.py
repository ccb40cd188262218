"""Collects the results of all workers in the process that owns a run.

This plugin is part of every session, so what only a run with tasks needs is imported late.
"""

from __future__ import annotations

import signal
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import pytest

from pytest_mobileagent.plugin.outputs import FailureGroups, write_all
from pytest_mobileagent.plugin.pytest_private import is_repeated_by_others
from pytest_mobileagent.plugin.shutdown import (
    RunEnding,
    end_workers,
    interrupt_when_asked,
    why_it_ended,
)
from pytest_mobileagent.plugin.state import IS_REUSED, result_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet

    from pytest_mobileagent.plugin.config import RunConfig
    from pytest_mobileagent.plugin.engine.waiting import InterimAnalyser
    from pytest_mobileagent.report.entry import Entry, Report


_CRASHED = "???"  # pytest-xdist's name for the phase of a test whose worker died
_REPEATED = "repeated"


class Collector:
    """A plugin for the process that owns the run: it collects, writes and displays the results."""

    def __init__(self, run: RunConfig) -> None:
        self.run = run
        self.results: dict[str, Entry] = {}
        self.selected: set[str] = set()
        self.finished: set[str] = set()
        self.reused: set[str] = set()  # the results that were reported from a record
        self.crashes: dict[str, int] = {}
        self.missing: list[str] = []
        self.failed: set[str] = set()
        self.broken: set[str] = set()
        self.uncollected: set[str] = set()
        self.problem = ""
        self.broke: dict[str, int] = {}  # attempts lost to infrastructure, by node id
        self.stop: Callable[[str], None] = lambda _: None
        self.stopped = False
        self.budget = ""  # the budget of the run that is spent, if any
        self.interrupting: tuple[signal.Signals, ...] = ()
        self.analyses: InterimAnalyser | None = None  # only with a gate or a baseline
        self.groups = FailureGroups()
        self.judged: dict[str, Any] = {}  # the report's entries on the gate and the baseline

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self.stop = partial(_stop, session)
        if self.run.agent is not None:
            self.interrupting = interrupt_when_asked()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self.selected.update(ids)
        if self.run.folder.has_begun:
            self.run.decide()
            if self.run.runs_agents:
                self.run.devices.start()
        self.run.hold()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.selected.update(item.nodeid for item in session.items)
        if session.items:
            self.run.hold()

    @pytest.hookimpl(optionalhook=True, trylast=True)
    def pytest_handlecrashitem(self, crashitem: str, report: Any, sched: Any) -> None:
        """Repeat a task whose worker died, as this is not the agent's fault."""
        crashes = self.crashes[crashitem] = self.crashes.get(crashitem, 0) + 1
        lost = self._lost(crashitem)
        if self.run.agent is None and lost is None:
            return
        if lost is not None:
            from pytest_mobileagent.plugin.outputs.display import properties
            from pytest_mobileagent.report.recorded_run import note_death

            note_death(self.run.folder.path, lost)
            report.user_properties = properties(replace(lost, reason=str(report.longrepr)))
        self._count(crashitem, 1)
        if report.outcome != "failed":  # another plugin repeats it
            report.outcome = _REPEATED
            return
        may_repeat = crashes <= self.run.value("mobile-retries")
        if may_repeat and not is_repeated_by_others(sched.config, crashitem):
            with suppress(NotImplementedError):  # schedulers that keep tests together
                sched.mark_test_pending(crashitem)
                report.outcome = _REPEATED

    def pytest_report_teststatus(
        self, report: pytest.TestReport
    ) -> tuple[str, str, str | tuple[str, dict[str, bool]]] | None:
        if report.outcome == _REPEATED:
            return _REPEATED, "", ""
        result = result_of(report)
        if result is not None and result.outcome == "review" and report.skipped:
            return "review", "R", ("REVIEW", {"yellow": True})
        if result is not None and result.outcome == "error" and report.failed:
            return "error", "E", "ERROR"  # also for an error in a body, which decides nothing
        return None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        result = result_of(report)
        if result is not None:
            self.results[report.nodeid] = self._with_crashes(result)
            if getattr(report, IS_REUSED, False):
                self.reused.add(report.nodeid)
            else:
                self._count(report.nodeid, len(result.infrastructure))
                self._check_budget(result)
        if report.outcome == _REPEATED:
            return
        if report.failed:
            self.failed.add(report.nodeid)
        if report.when == _CRASHED and (lost := self._lost(report.nodeid)) is not None:
            lost = replace(lost, reason=str(report.longrepr))
            self.results[report.nodeid] = self._with_crashes(lost)
        if report.when in {"teardown", _CRASHED}:
            self.finished.add(report.nodeid)
            if report.failed:
                self.broken.add(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.broken.add(report.nodeid)
            self.uncollected.add(report.nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        for each in self.interrupting:
            signal.signal(each, signal.SIG_IGN)  # the run is ending already
        if self.run.agent is not None:
            end_workers(session.config)
        if exitstatus == pytest.ExitCode.USAGE_ERROR and not self.results:
            if not self.run.earlier.goes_on:
                self.run.folder.discard()
            return
        self._complete(session, exitstatus)
        whole: Report | None = None
        if self.results:
            from pytest_mobileagent.report.recorded_run import document

            self.broken -= _find_suspects(self.run, session.config, self.results)
            ended = datetime.now(UTC).isoformat(timespec="seconds")
            whole = document(self.run.folder.about() | {"ended": ended}, self.results)
            self.judged = {} if self.analyses is None else self.analyses.end(whole)
        if self.run.agent or self.results:
            session.exitstatus = self._status(exitstatus)
        if whole is None:
            return
        self.problem = write_all(self.run, cast("Report", {**whole, **self.judged}))
        if self.problem:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_unconfigure(self) -> None:
        for each in self.interrupting:
            signal.signal(each, signal.SIG_DFL)

    def _complete(self, session: pytest.Session, exitstatus: int) -> None:
        """Add results that no worker reported: of finished, interrupted and unstarted tests."""
        from pytest_mobileagent.plugin.outputs.display import add_cases, finish

        finish(session.config)
        if self.run.agent is None or (self.uncollected and not self.results):
            return
        early = self._add_recorded()
        if self.selected <= set(self.results) | self.dropped:
            add_cases(session.config, early)
            return
        from pytest_mobileagent.report.recorded_run import missing_results

        known = {result.nodeid for result in self.results.values()} | self.dropped
        why = why_it_ended(session, exitstatus)
        missing = [
            self._with_crashes(result.entry())
            for result in missing_results(self.run.folder.path, known, why)
        ]
        self.results.update((result.nodeid, result) for result in missing)
        add_cases(session.config, [*early, *missing])

    def _add_recorded(self) -> list[Entry]:
        """Add an earlier run's results of tests that were not run; return the selected ones."""
        known = self.run.earlier.not_run(self.selected)
        added = {task.nodeid: task for task in known if task.nodeid not in self.results}
        self.results |= added
        return [task for nodeid, task in added.items() if nodeid in self.selected]

    def _status(self, exitstatus: int) -> int:
        """Return the run's exit status, and record which tests have no result."""
        selected = self.selected - self.dropped
        missing = sorted(selected - self.finished)
        decided = {n for n, result in self.results.items() if result.success is not None}
        sound = not missing and not self.broken and self.failed <= decided
        skipped = {n for n, result in self.results.items() if result.outcome == "skipped"}
        ending = RunEnding(
            too_much_broke=self.stopped,
            budget_is_spent=bool(self.budget),
            is_incomplete=bool(missing),
            only_decided_failures=sound and self.run.value("mobile-exit") == "run",
            only_skips=bool(skipped) and selected <= skipped,
            gate=self.judged.get("gate", {}).get("status"),
            others_failed=bool(self.broken & decided)  # the tear-down of a decided task
            or not (self.failed | self.broken).union(missing) <= set(self.results),
        )
        self.missing = missing if exitstatus == pytest.ExitCode.OK else []
        return ending.status(exitstatus)

    @property
    def dropped(self) -> AbstractSet[str]:
        """The selected tests that turned out to be unnecessary at an interim analysis."""
        return frozenset() if self.analyses is None else self.analyses.dropped

    def _count(self, nodeid: str, attempts: int) -> None:
        """Count attempts lost to infrastructure, and stop the run at mobile_max_infra."""
        self.broke[nodeid] = self.broke.get(nodeid, 0) + attempts
        most, so_far = self.run.value("mobile-max-infra"), sum(self.broke.values())
        if attempts and most is not None and so_far >= most and not self.stopped:
            self.stopped = True
            self.stop(f"infrastructure broke {so_far} times (mobile_max_infra={most})")

    def _check_budget(self, result: Entry) -> None:
        """Stop the run if its own budget is spent, and not only an episode's."""
        if result.fault == "budget" and not self.budget:
            self.budget = self.run.models.spent()
            if self.budget:
                self.stop(f"budget: {self.budget}")

    def _with_crashes(self, result: Entry) -> Entry:
        died = ["a worker died"] * self.crashes.get(result.nodeid, 0)
        return replace(result, infrastructure=[*died, *result.infrastructure])

    def _lost(self, nodeid: str) -> Entry | None:
        """Return the result of a task whose worker died; None if the test is not a task."""
        from pytest_mobileagent.report.recorded_run import lost_result

        result = lost_result(self.run.folder.path, nodeid)
        return None if result is None else result.entry()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        self.groups.show_others(terminalreporter)
        if not (self.missing or self.results):
            return
        from pytest_mobileagent.episode.chain import last_digest
        from pytest_mobileagent.plugin.outputs.summary import (
            show_judged,
            show_missing,
            show_run,
            where_the_report_is,
        )

        show_missing(terminalreporter, self.missing)
        if self.results:
            links = bool(terminalreporter.isatty)
            end = self.problem or where_the_report_is(self.run, links=links)
            results = [self.results[nodeid] for nodeid in sorted(self.results)]
            earlier = self.run.earlier.summary(results, self.reused, self.selected)
            show_run(terminalreporter, self.run, results, budget=self.budget, earlier=earlier)
            show_judged(terminalreporter, self.judged)
            if digest := last_digest(self.run.folder.path):
                terminalreporter.line(f"digest: {digest}   (with it, `verify` finds any change)")
            terminalreporter.line(end)


def _stop(session: pytest.Session, why: str) -> None:
    """End the run after the tests that are running now, also in pytest-xdist's workers."""
    distribution = session.config.pluginmanager.get_plugin("dsession")
    (session if distribution is None else distribution).shouldstop = why


def _find_suspects(run: RunConfig, config: pytest.Config, results: dict[str, Entry]) -> set[str]:
    """Mark the suspects among a run's results; return the node ids of those that count as failed.

    This corrects pytest's counts and the JUnit XML, which were made earlier.
    """
    from pytest_mobileagent.plugin.outputs.display import mend
    from pytest_mobileagent.report.metrics.doubtful import FAIL, marked
    from pytest_mobileagent.report.recorded_run import with_attempts

    how, attempts = run.value("mobile-suspects"), run.earlier.attempts
    tasks = [with_attempts(run.folder.path, it, attempts(it.key)) for it in results.values()]
    results.update(zip(list(results), marked(tasks, how), strict=True))
    suspects = {nodeid: result for nodeid, result in results.items() if result.suspect}
    mend(config, suspects)
    if how != FAIL:
        return set()
    _show_as_failed(config, set(suspects))
    return set(suspects)


def _show_as_failed(config: pytest.Config, nodeids: set[str]) -> None:
    """Make pytest count tests as failed that it had counted as errors."""
    terminal: Any = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is None:
        return
    errors = terminal.stats.get("error", [])
    ours = [report for report in errors if getattr(report, "nodeid", None) in nodeids]
    if ours:
        errors[:] = [report for report in errors if report not in ours]
        terminal.stats.setdefault("failed", []).extend(ours)
        if not errors:
            del terminal.stats["error"]
