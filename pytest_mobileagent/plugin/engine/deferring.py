"""Tests that wait for their judges, and pauses in which nothing is run.

Judges think while the phone goes on: a test that waits for them is run again when they are done.
Its first run plays the episode and has it judged; its second finds both. Of the first, only the
time is reported. Tests that might not be the same twice wait for their judges in place: those that
another plugin may repeat, that have subtests, that read the device, or that have fixtures of a
class or a module, which would be gone by then. So does the last test, which no other follows.

At a pause it is not known which test comes next, if any. Before it, tests that wait for judges are
finished, and what the last test leaves set up is torn down, except for what belongs to the whole
session, such as the device.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import pytest
from _pytest.runner import runtestprotocol

from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.items import case_of
from pytest_mobileagent.plugin.state import state_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator


_MOST_WAITING = 24  # tests, whose episodes stay in memory
_IN_PLACE = {"device", "subtests"}  # fixtures of tests that cannot be run twice


class Deferring:
    """A plugin of the processes that run tests."""

    def __init__(self) -> None:
        self._waiting: list[pytest.Item] = []
        self._is_ending = self._is_interrupted = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> Any:
        """Run a test that may be judged, after waiting tests whose judges are done."""
        state = state_of(item)
        if not state.is_continued:
            self._run_those_decided(item)
        is_last = not isinstance(nextitem, pytest.Item)  # of the run, or before a pause
        if is_last and self._waiting:  # waiting tests follow, and need what the session has set up
            return item.ihook.pytest_runtest_protocol(item=item, nextitem=self._waiting[0])
        if not _may_be_judged(item):
            return None
        state.may_wait = self._may_wait(item, nextitem)
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        if state.is_put_off:
            state.put_off(sum(report.duration for report in reports))
            # Keep what was printed, except what the body will print again.
            printed = item._report_sections
            printed[:] = [section for section in printed if section[0] == "setup"]
            item.user_properties.clear()
            self._waiting.append(item)
            return True
        reports[0].duration += state.seconds_before or 0.0
        with _current(item):
            item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
            for report in reports:
                item.ihook.pytest_runtest_logreport(report=report)
            item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, Any, Any]:
        """Run the tests that wait when all others are done, even if the run was stopped.

        At Ctrl-C, only those whose judges are done are run.
        """
        try:
            try:
                result = yield
            except (session.Failed, session.Interrupted):
                self._run_all(session)
                raise
            self._run_all(session)
        except (KeyboardInterrupt, pytest.exit.Exception):
            self._is_interrupted = True
            self._waiting = [waiting for waiting in self._waiting if _is_decided(waiting)]
            self._run_all(session)
            raise
        return result

    def _may_wait(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        if self._is_ending:
            return self._is_interrupted
        is_last = not isinstance(nextitem, pytest.Item) or nextitem in self._waiting
        return not is_last and len(self._waiting) < _MOST_WAITING and _may_run_twice(item)

    def _run_those_decided(self, item: pytest.Item) -> None:
        """Run waiting tests whose judges are done, if they share the set-up of the next test."""
        chain = item.listchain()[:-1]
        for waiting in [each for each in self._waiting if _is_decided(each)]:
            if waiting.listchain()[:-1] == chain:
                self._waiting.remove(waiting)
                waiting.ihook.pytest_runtest_protocol(item=waiting, nextitem=item)

    def run_waiting(self, session: pytest.Session) -> None:
        """Run the tests that wait before a pause, after which more tests may follow."""
        self._run_all(session, then=session)
        self._is_ending = False

    def _run_all(self, session: pytest.Session, then: pytest.Session | None = None) -> None:
        self._is_ending = True
        waiting = list(self._waiting)
        try:
            if waiting:  # a run that was stopped leaves set up what the next test needed
                session._setupstate.teardown_exact(waiting[0])
        finally:
            nexts: list[Any] = [*waiting[1:], then]
            for item, following in zip(waiting, nexts, strict=False):
                self._waiting.remove(item)
                item.ihook.pytest_runtest_protocol(item=item, nextitem=following)


@contextmanager
def _current(item: pytest.Item) -> Iterator[None]:
    """Make a worker of pytest-xdist take this test for the one that it runs, to report it."""
    plugins = item.config.pluginmanager.get_plugins()
    worker: Any = next((p for p in plugins if type(p).__name__ == "WorkerInteractor"), None)
    if worker is None:
        yield
        return
    running, worker.item_index = worker.item_index, item.session.items.index(item)
    try:
        yield
    finally:
        worker.item_index = running


def _may_be_judged(item: pytest.Item) -> bool:
    """Whether a test may ask judges, and no other plugin may repeat it."""
    case, run = case_of(item), item.config.stash[RUN]
    if case is None or not isinstance(item, pytest.Function):
        return False
    if run.earlier.fate(case).entry is not None:
        return False
    if item.config.getoption("reruns", None) or item.get_closest_marker("flaky") is not None:
        return False
    return "judge" in item.fixturenames or run.judges.judges_all


def _may_run_twice(item: pytest.Item) -> bool:
    """Whether a second run of a test, after others, finds the fixtures of the first."""
    is_debugged = item.config.getoption("usepdb", False) or item.config.getoption("trace", False)
    if is_debugged or _IN_PLACE & set(item.fixturenames):  # type: ignore[attr-defined]
        return False
    definitions: Any = item._fixtureinfo.name2fixturedefs  # type: ignore[attr-defined]
    used = (each for found in definitions.values() for each in found)
    return not any(_ends_early(each) for each in used)


def _ends_early(definition: pytest.FixtureDef[Any]) -> bool:
    """Whether a fixture outlives its test, but not the session."""
    if definition.scope == "session":
        return definition.params is not None  # the next parameter ends it
    return definition.scope != "function"


def _is_decided(item: pytest.Item) -> bool:
    return all(asked.done() for asked in state_of(item).answers.values())


def run_before_pause(item: pytest.Item) -> None:
    """Run a test that is followed by a pause."""
    then = cast("pytest.Item", item.session)  # pytest keeps set up what belongs to the session
    item.ihook.pytest_runtest_protocol(item=item, nextitem=then)
    deferring: Deferring | None = item.config.pluginmanager.get_plugin("mobileagent-deferring")
    if deferring is not None:
        deferring.run_waiting(item.session)


class Pauses:
    """A plugin of pytest-xdist's workers, for which a test that is given twice means a pause."""

    def __init__(self) -> None:
        self._begun: set[str] = set()
        self._runs_one = False
        self._is_over = False

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtestloop(self) -> Generator[None, Any, Any]:
        """Note when no more tests will come; some may still wait for judges."""
        try:
            return (yield)
        finally:
            self._is_over = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | pytest.Session | None
    ) -> bool | None:
        """Run nothing at a pause, and prepare for one after the test before it."""
        if self._runs_one or self._is_over:  # called from here, or by a test that waited
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
