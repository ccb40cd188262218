"""Judges think while the phone goes on: a test that waits for them is run again when they are done.

Its first run plays the episode and has it judged; its second finds both there. Nothing of the first
is reported but its time. Tests that another plugin may repeat wait for their judges in place.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.runner import runtestprotocol  # as pytest-rerunfailures runs a test again

from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.fixtures import WAITED
from pytest_mobileagent.plugin.items import case_of
from pytest_mobileagent.plugin.judges import ASKED, MAY_WAIT, WAITS

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

_MOST_WAITING = 24  # tests, whose episodes are held in memory


class Deferring:
    """A plugin of the processes that run tests."""

    def __init__(self) -> None:
        self._waiting: list[pytest.Item] = []
        self._is_ending = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> Any:
        """Run a test that may be judged; those whose judges are done go before any other."""
        if WAITED not in item.stash:
            self._run_those_decided(item)
        if not _may_be_judged(item):
            return None
        before = item.stash.get(WAITED, 0.0)
        item.stash[MAY_WAIT] = not self._is_ending and len(self._waiting) < _MOST_WAITING
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        if item.stash.get(WAITS, False):
            item.stash[WAITS] = False
            item.stash[WAITED] = before + sum(report.duration for report in reports)
            # What was printed before counts, but for what the body will print again.
            printed = item._report_sections  # noqa: SLF001 - as reports read it
            printed[:] = [section for section in printed if section[0] == "setup"]
            self._waiting.append(item)
            return True
        reports[0].duration += before
        with _current(item):
            item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
            for report in reports:
                item.ihook.pytest_runtest_logreport(report=report)
            item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, Any, Any]:
        """Run the tests that wait when all others are done, also where the run was stopped."""
        try:
            result = yield
        except (session.Failed, session.Interrupted):
            self._run_all()
            raise
        self._run_all()
        return result

    def _run_those_decided(self, item: pytest.Item) -> None:
        """Run the tests whose judges are done, before one that is set up as they are."""
        chain = item.listchain()[:-1]
        for waiting in [each for each in self._waiting if _is_decided(each)]:
            if waiting.listchain()[:-1] == chain:
                self._waiting.remove(waiting)
                waiting.ihook.pytest_runtest_protocol(item=waiting, nextitem=item)

    def _run_all(self) -> None:
        self._is_ending = True
        while self._waiting:
            waiting, *self._waiting = self._waiting
            following = next(iter(self._waiting), None)
            waiting.ihook.pytest_runtest_protocol(item=waiting, nextitem=following)


@contextmanager
def _current(item: pytest.Item) -> Iterator[None]:
    """Let a worker of pytest-xdist take a test for the one that it runs: it reports no other."""
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
    """Whether a test asks judges, and no other plugin may run it again."""
    if case_of(item) is None or not isinstance(item, pytest.Function):
        return False
    if item.config.getoption("reruns", None) or item.get_closest_marker("flaky") is not None:
        return False
    return "judge" in item.fixturenames or item.config.stash[RUN].judges.judges_all


def _is_decided(item: pytest.Item) -> bool:
    return all(asked.done() for asked in item.stash[ASKED].values())
