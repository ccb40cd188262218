"""Tests that wait for their judges, and pauses in which no test is run.

Judges work while the phone plays the next tests: a test that waits for its judges is run a second
time when they are done. Its first run plays the episode and sends it to the judges; its second run
finds both the episode and the answers. Only the duration of the first run is reported.

Tests that cannot safely run twice wait for their judges in place: tests that another plugin may
repeat, that have subtests, that read the device, or that use class- or module-scoped fixtures,
which would be gone by then. The last test also waits in place, as no other test follows.

During a pause it is not known which test comes next, or whether there is one. Before a pause, tests
that wait for judges are finished, and the fixtures of the last test are torn down, except for
session-scoped ones such as the device.
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
    """A plugin for the processes that run tests."""

    def __init__(self) -> None:
        self._waiting: list[pytest.Item] = []
        self._is_ending = self._is_interrupted = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> Any:
        """Run the waiting tests whose judges are done, then this test if judges may be asked."""
        state = state_of(item)
        if not state.is_continued:
            self._run_those_decided(item)
        is_last = not isinstance(nextitem, pytest.Item)  # of the run, or before a pause
        if is_last and self._waiting:  # waiting tests follow, and need the session's fixtures
            return item.ihook.pytest_runtest_protocol(item=item, nextitem=self._waiting[0])
        if not _may_be_judged(item):
            return None
        state.may_wait = self._may_wait(item, nextitem)
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        if state.is_put_off:
            state.put_off(sum(report.duration for report in reports))
            # Keep the captured output, except what the body will print again.
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
        """Run the waiting tests when all others are done, even if the run was stopped.

        After Ctrl-C, only waiting tests whose judges are done are run.
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
        """Run waiting tests whose judges are done, if they share the next test's fixtures."""
        chain = item.listchain()[:-1]
        for waiting in [each for each in self._waiting if _is_decided(each)]:
            if waiting.listchain()[:-1] == chain:
                self._waiting.remove(waiting)
                waiting.ihook.pytest_runtest_protocol(item=waiting, nextitem=item)

    def run_waiting(self, session: pytest.Session) -> None:
        """Run the waiting tests before a pause; more tests may follow it."""
        self._run_all(session, then=session)
        self._is_ending = False

    def _run_all(self, session: pytest.Session, then: pytest.Session | None = None) -> None:
        self._is_ending = True
        waiting = list(self._waiting)
        try:
            if waiting:  # a stopped run has left the fixtures of its next test set up
                session._setupstate.teardown_exact(waiting[0])
        finally:
            nexts: list[Any] = [*waiting[1:], then]
            for item, following in zip(waiting, nexts, strict=False):
                self._waiting.remove(item)
                item.ihook.pytest_runtest_protocol(item=item, nextitem=following)


@contextmanager
def _current(item: pytest.Item) -> Iterator[None]:
    """Make a pytest-xdist worker report this test as the one that it is running."""
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
    """Return whether a test may ask judges, and no other plugin may repeat it."""
    case, run = case_of(item), item.config.stash[RUN]
    if case is None or not isinstance(item, pytest.Function):
        return False
    if run.earlier.plan_for(case).entry is not None:
        return False
    if item.config.getoption("reruns", None) or item.get_closest_marker("flaky") is not None:
        return False
    return run.judges.mode != "off"  # any answer may be unclear


def _may_run_twice(item: pytest.Item) -> bool:
    """Return whether a second run of a test, after other tests, would find the same fixtures."""
    is_debugged = item.config.getoption("usepdb", False) or item.config.getoption("trace", False)
    if is_debugged or _IN_PLACE & set(item.fixturenames):  # type: ignore[attr-defined]
        return False
    definitions: Any = item._fixtureinfo.name2fixturedefs  # type: ignore[attr-defined]
    used = (each for found in definitions.values() for each in found)
    return not any(_ends_early(each) for each in used)


def _ends_early(definition: pytest.FixtureDef[Any]) -> bool:
    """Return whether a fixture outlives its test but may end before the session."""
    if definition.scope == "session":
        return definition.params is not None  # its next parameter tears it down
    return definition.scope != "function"


def _is_decided(item: pytest.Item) -> bool:
    return all(asked.done() for asked in state_of(item).answers.values())


def run_before_pause(item: pytest.Item) -> None:
    """Run a test that is followed by a pause."""
    then = cast("pytest.Item", item.session)  # pytest leaves session-scoped fixtures set up
    item.ihook.pytest_runtest_protocol(item=item, nextitem=then)
    deferring: Deferring | None = item.config.pluginmanager.get_plugin("mobileagent-deferring")
    if deferring is not None:
        deferring.run_waiting(item.session)


class Pauses:
    """A plugin for pytest-xdist's workers, which pause when they receive a test a second time."""

    def __init__(self) -> None:
        self._begun: set[str] = set()
        self._runs_one = False
        self._is_over = False

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtestloop(self) -> Generator[None, Any, Any]:
        """Record when no more tests will arrive; some may still be waiting for judges."""
        try:
            return (yield)
        finally:
            self._is_over = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | pytest.Session | None
    ) -> bool | None:
        """Skip a test that means a pause, and prepare for the pause after the test before it."""
        if self._runs_one or self._is_over:  # called from here, or for a test that has waited
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
