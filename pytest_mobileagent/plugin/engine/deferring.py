"""Tests whose judges work while the phone plays the next tests, and pauses in which none is run.

A body needs its judges' answers, but not the phone. If it asks for nothing but the episode, the
judge and parameters, its test is run as far as the question and torn down, and the body alone is
run again when the judges have decided. Only then is the test reported. All other tests wait for
their judges in place, and so do tests that another plugin may repeat.

During a pause it is not known which test comes next, or whether there is one. Before a pause, all
tests are reported, and the fixtures of the last test are torn down, except for session-scoped ones
such as the device.
"""

from __future__ import annotations

import io
from concurrent.futures import wait
from contextlib import redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING, Any, cast

import pytest

from pytest_mobileagent.plugin.bodies import call_body, is_pure
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.items import case_of
from pytest_mobileagent.plugin.pytest_private import reporting_as_current, run_unreported
from pytest_mobileagent.plugin.state import state_of

if TYPE_CHECKING:
    from collections.abc import Collection, Generator
    from concurrent.futures import Future


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
        is_debugged = item.config.getoption("usepdb", False) or item.config.getoption(
            "trace", False
        )
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
            reports = self._waiting.pop(item)
            if _run_body_again(item, reports):
                _report(item, reports)
            else:
                self._waiting[item] = reports


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
    """Run a body whose judges have decided, and update the reports of its test.

    Return False if it has to wait for another answer.
    """
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
    """A plugin for pytest-xdist's workers, which pause when they receive a test a second time."""

    def __init__(self) -> None:
        self._begun: set[str] = set()
        self._runs_one = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | pytest.Session | None
    ) -> bool | None:
        """Skip a test that means a pause, and prepare for the pause after the test before it."""
        if self._runs_one:  # called from here
            return None
        if item.nodeid in self._begun:
            return True
        self._begun.add(item.nodeid)
        self._runs_one = True
        try:
            if isinstance(nextitem, pytest.Item) and nextitem.nodeid in self._begun:
                run_before_pause(item)
            else:
                item.ihook.pytest_runtest_protocol(item=item, nextitem=nextitem)
        finally:
            self._runs_one = False
        return True
