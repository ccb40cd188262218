"""Tests that wait: for their judges, or for an interim analysis of the results so far.

A body needs its judges' answers, but not the phone. If it asks for nothing but the episode, the
judge and parameters, its test is run as far as the question and torn down, and the body alone is
run again when the judges have decided. Only then is the test reported. All other tests wait for
their judges in place, and so do tests that another plugin may repeat.

With `--mobile-epochs=A..B`, all B epochs of a task are collected as tests. All except the first A
wait until the gate has analysed the results so far. Tasks covered by a bound that is still
undecided continue; the other waiting tests count as deselected.

During a pause it is not known which test comes next, or whether there is one. Before a pause, all
tests are reported, and all fixtures are torn down except session-scoped ones, such as the device.
"""

from __future__ import annotations

import io
from collections import defaultdict
from concurrent.futures import wait
from contextlib import redirect_stderr, redirect_stdout
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from pytest_mobileagent.plugin.bodies import call_body, is_pure
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.items import case_of
from pytest_mobileagent.plugin.pytest_private import reporting_as_current, run_unreported
from pytest_mobileagent.plugin.state import state_of

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
    from concurrent.futures import Future

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.plugin.config import RunConfig
    from pytest_mobileagent.report.entry import Entry, Report
    from pytest_mobileagent.report.gate.decide import GateDecision


_MOST_WAITING = 24  # tests, whose episodes stay in memory


class Deferring:
    """A plugin for the processes that run tests.

    `_waiting` has the tests that wait for judges, each with the reports of its phases.
    """

    def __init__(self) -> None:
        self._waiting: dict[pytest.Function, list[pytest.TestReport]] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> bool | None:
        """Report the tests whose judges have decided, then run this one."""
        self._report_decided()
        if not (isinstance(item, pytest.Function) and _may_be_judged(item)):
            return None
        state = state_of(item)
        is_debugged = any(item.config.getoption(name, False) for name in ("usepdb", "trace"))
        has_room = len(self._waiting) < _MOST_WAITING
        state.may_wait = has_room and not is_debugged and is_pure(item, "judge")
        reports = run_unreported(item, nextitem)
        if state.judging.is_awaited:
            self._waiting[item] = reports
        else:
            _report(item, reports)
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, Any, Any]:
        """Report the waiting tests when all others are done, even if the run was stopped.

        After Ctrl-C, only tests whose judges have decided are reported.
        """
        try:
            try:
                result = yield
            except (session.Failed, session.Interrupted):
                self.report_all()
                raise
            self.report_all()
        except (KeyboardInterrupt, pytest.exit.Exception):
            self._report_decided()
            raise
        return result

    def report_all(self) -> None:
        """Wait for all judges, and report the tests as they are decided."""
        while self._waiting:
            wait(_answers(next(iter(self._waiting))))
            self._report_decided()

    def _report_decided(self) -> None:
        for item in [each for each in self._waiting if all(a.done() for a in _answers(each))]:
            if _run_body_again(item, self._waiting[item]):
                _report(item, self._waiting.pop(item))


def _may_be_judged(item: pytest.Function) -> bool:
    """Return whether a test may ask judges, and no other plugin may repeat it."""
    case, run = case_of(item), item.config.stash[RUN]
    if case is None or run.judges.mode == "off":  # otherwise, any answer may be unclear
        return False
    if item.config.getoption("reruns", None) or item.get_closest_marker("flaky") is not None:
        return False
    return run.earlier.plan_for(case).entry is None


def _answers(item: pytest.Function) -> Collection[Future[Any]]:
    return state_of(item).judging.answers.values()


def _run_body_again(item: pytest.Function, reports: list[pytest.TestReport]) -> bool:
    """Run a body whose judges have decided, and update its reports; False if it must wait."""
    setup, before, teardown = reports
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        call = call_body(item)
    if state_of(item).judging.is_awaited:
        return False
    report: pytest.TestReport = item.ihook.pytest_runtest_makereport(item=item, call=call)
    if call.excinfo is not None and report.failed:
        item.ihook.pytest_exception_interact(node=item, call=call, report=report)
    printed = {"Captured stdout call": out.getvalue(), "Captured stderr call": err.getvalue()}
    report.sections = [*setup.sections, *((name, text) for name, text in printed.items() if text)]
    report.duration += before.duration
    later = [section for section in teardown.sections if section[0].endswith(" teardown")]
    teardown.sections = [*report.sections, *later]
    teardown.user_properties = list(item.user_properties)
    reports[1] = report
    return True


def _report(item: pytest.Item, reports: list[pytest.TestReport]) -> None:
    with reporting_as_current(item):
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)


def run_before_pause(item: pytest.Item) -> None:
    """Run a test that is followed by a pause."""
    then = cast("pytest.Item", item.session)  # pytest leaves session-scoped fixtures set up
    item.ihook.pytest_runtest_protocol(item=item, nextitem=then)
    deferring: Deferring | None = item.config.pluginmanager.get_plugin("mobileagent-deferring")
    if deferring is not None:
        deferring.report_all()


class Pauses:
    """A plugin for pytest-xdist's workers, which pause when they receive a test a second time.

    pytest-xdist runs a test only when it knows the next one. If that has begun, it means a pause.
    """

    def __init__(self) -> None:
        self._begun: set[str] = set()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | pytest.Session | None
    ) -> bool | None:
        """Skip a test that means a pause, and prepare for the pause after the test before it."""
        if isinstance(nextitem, pytest.Session):  # called by `run_before_pause`
            return None
        if item.nodeid in self._begun:
            return True
        self._begun.add(item.nodeid)
        if nextitem is None or nextitem.nodeid not in self._begun:
            return None
        run_before_pause(item)
        return True


class InterimAnalyser:
    """A plugin for the process that owns a run with a gate or a baseline.

    Without workers, it also orders the tests; with workers, the scheduler calls it. `results` are
    the run's results so far, by node id; `dropped` are the tests that turned out to be unnecessary.
    """

    def __init__(self, run: RunConfig, results: Mapping[str, Entry]) -> None:
        self.dropped: set[str] = set()
        self._run = run
        self._results = results
        self._ends = run.gate.analyses.epochs  # epochs that are followed by an analysis
        self._cases: Mapping[str, Case] = {}
        self._stages: Mapping[str, int] = {}  # the number of analyses that each test waits for
        self._stage = 0  # the next analysis; tests of the epochs before it may run
        self._session: pytest.Session | None = None
        self._items: Mapping[str, pytest.Item] = {}  # empty if workers run the tests
        self._decision: GateDecision | None = None
        self._is_analysed = False  # whether all results so far have been analysed

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Record the tests of a run without workers, before they are written to run.json."""
        self._items = {item.nodeid: item for item in session.items}
        cases = ((item.nodeid, case_of(item)) for item in session.items)
        self._take({nodeid: case for nodeid, case in cases if case is not None})

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self) -> None:
        """Record the tests that the first worker has collected."""
        if not self._cases:
            from pytest_mobileagent.episode.runs import cases

            self._take({case.nodeid: case for case in cases(self._run.folder.path)})

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, Any, Any]:
        """Move waiting tests to the end, if tests are run in this process."""
        self._session = session
        session.items.sort(key=lambda item: self._stage_of(item.nodeid))
        return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | pytest.Session | None
    ) -> bool | None:
        """Make an analysis after the last test that does not wait for one."""
        session = item.session
        if not isinstance(nextitem, pytest.Item) or not self.waiting([nextitem.nodeid]):
            return None
        run_before_pause(item)
        if not (session.shouldfail or session.shouldstop):
            dropped = self.analyse(self.waiting(each.nodeid for each in session.items))
            session.items[:] = [each for each in session.items if each.nodeid not in dropped]
        return True

    def waiting(self, tests: Iterable[str]) -> set[str]:
        """Return the node ids in `tests` that are waiting for an analysis."""
        return {test for test in tests if self._stage_of(test) > self._stage}

    def analyse(self, tests: Iterable[str]) -> set[str]:
        """Make the gate analyse the results so far; return the waiting tests that are not needed.

        The remaining tests of the next epochs may run now. `tests` are all waiting tests.
        """
        waiting = set(tests)
        self._decision = decision = self._decide()
        self._is_analysed = True
        wanted = decision.wants if decision is not None else lambda _: False
        dropped = {test for test in waiting if not wanted(self._cases[test])}
        self._drop(dropped)
        if rest := waiting - dropped:
            self._stage = min(map(self._stage_of, rest))
            self._is_analysed = False
        return dropped

    def end(self, whole: Report) -> dict[str, Any]:
        """Return the report's entries on the gate and the baseline, once the run has ended."""
        if not self._is_analysed:
            self._decision = self._decide()
        gate = {} if self._decision is None else {"gate": self._decision.to_wire()}
        try:
            comparison = self._run.gate.compare(whole["run"], whole["tasks"])
        except ValueError:  # all tasks that both runs have were skipped
            comparison = None
        return gate if comparison is None else {**gate, "comparison": comparison}

    def _drop(self, tests: set[str]) -> None:
        self.dropped |= tests
        config = self._run.config
        if self._session is not None:
            self._session.testscollected -= len(tests)  # for pytest's progress percentage
        if items := [item for test, item in self._items.items() if test in tests]:
            config.hook.pytest_deselected(items=items)
        elif tests and (terminal := config.pluginmanager.get_plugin("terminalreporter")):
            # Other plugins, such as Hypothesis's, read the node ids of everything listed there.
            named = [SimpleNamespace(nodeid=test) for test in sorted(tests)]
            terminal.stats.setdefault("deselected", []).extend(named)

    def _take(self, cases: Mapping[str, Case]) -> None:
        self._cases = cases
        self._stages = _stages(cases, self._ends)
        self._run.gate.check_cases(list(cases.values()))

    def _stage_of(self, test: str) -> int:
        return self._stages.get(test, 0)  # a test that is not a task never waits

    def _decide(self) -> GateDecision | None:
        """Return the gate's decision on all tests that may have run so far.

        A result that is still missing will not arrive any more: it was lost.
        """
        from pytest_mobileagent.report.result import Result

        results, dropped = self._results, self.dropped
        tasks = [result for test, result in results.items() if self._stage_of(test) <= self._stage]
        tasks += [
            Result(case, fault="infrastructure", reason="its result was lost").entry()
            for test, case in self._cases.items()
            if test not in results and test not in dropped and self._stage_of(test) <= self._stage
        ]
        return self._run.gate.decide(tasks, self._stage, self._decision)


def _stages(cases: Mapping[str, Case], ends: Sequence[int]) -> dict[str, int]:
    """Return how many analyses each test waits for; `ends` are the epochs followed by an analysis.

    Only epochs that are tests of this run count, as others may have been deselected.
    """
    by_task = defaultdict(list)
    for test, case in cases.items():
        by_task[case.id, case.environment].append((case.epoch, test))
    return {
        test: sum(before >= end for end in ends)
        for epochs in by_task.values()
        for before, (_, test) in enumerate(sorted(epochs))
    }
