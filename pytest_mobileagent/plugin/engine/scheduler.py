"""How pytest-xdist hands out tasks: one at a time, the longest first.

An episode takes seconds or minutes, so that what counts is that no worker holds back tasks while
others have none. A worker of pytest-xdist starts a test when it knows the next one, or that there
is none, and a test that it knows as the next cannot be taken back: `WorkerController.send_steal`
reaches only those behind it. So each worker has one test in hand besides the one that it runs, and
which one, if any, follows from when the workers are expected to be free.

Tests that wait for what comes of others (see `gate/looks`) are handed out when those are done.
Workers that nothing else is left for pause until then (see hands.py).
"""

from __future__ import annotations

import heapq
import time
from bisect import insort
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from xdist.remote import Producer
from xdist.report import report_collection_diff
from xdist.workermanage import parse_tx_spec_config

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping, Sequence

    from xdist.workermanage import WorkerController

    from pytest_mobileagent.plugin.engine.interim import InterimAnalyses


_IN_HAND = 2  # the test that a worker runs, and the one that it has to know as the next


class TaskScheduling:
    """A scheduler of pytest-xdist (its protocol is `xdist.scheduler.Scheduling`).

    `expected` is asked once, when the first worker has collected, for how long tests are expected
    to take, in any unit, by node id. Those come first, the longest first; the others, and all if
    there is none, follow in pytest's own order. `now` is a clock, in seconds. `looking` holds tests
    back; without it none waits.

    `reported` holds the node ids of tests whose results are known. One that a worker has done, and
    has not reported when it dies, is handed out once more.

    The first worker that has collected begins, while others start: what they collect is compared
    when it comes.
    """

    def __init__(
        self,
        config: pytest.Config,
        log: Producer | None,
        expected: Callable[[], Mapping[str, float]],
        now: Callable[[], float] = time.monotonic,
        *,
        looking: InterimAnalyses | None = None,
        reported: Container[str] | None = None,
    ) -> None:
        self.config = config
        self.log = Producer("tasksched") if log is None else log.tasksched
        self._expected = expected
        self._now = now
        self._looking = looking
        self._reported = reported
        self._given_back: set[int] = set()  # after their worker had died
        self._unreported: dict[WorkerController, list[int]] = {}  # done, but for their judges
        self._held: list[int] = []  # tests that wait for others
        self._workers = self._to_come = len(parse_tx_spec_config(config))  # not collected yet
        self._has_begun = False
        self._queues: dict[WorkerController, WorkerQueue] = {}
        self._ready: set[WorkerController] = set()
        self._since: dict[WorkerController, float] = {}  # when the test that it runs began
        self._collection: list[str] | None = None
        self._collector = ""  # the worker whose collection that is
        self._pool: list[int] = []  # what nobody has in hand, in the order of `_rank`
        self._rank: list[int] = []
        self._weights: list[float] = []
        self._seconds = self._weight = 0.0  # of all tests that are done

    @property
    def nodes(self) -> list[WorkerController]:
        """The workers that are there."""
        return list(self._queues)

    @property
    def collection_is_completed(self) -> bool:
        """Whether tests can be handed out: the others need not wait for the last worker."""
        return self._collection is not None

    @property
    def tests_finished(self) -> bool:
        """Whether all tests are done, but for those that wait to be the last of their worker.

        Not before every worker has collected: one that collects something else is an error however
        fast the others are. They have to be waited for in any case.

        xdist asks this after each thing that it hears of, and has reported by then what it heard.
        """
        self._look()
        waiting = any(len(queue.tests) >= _IN_HAND for queue in self._queues.values())
        rest = self._to_come or self._pool or self._held or waiting
        return self._collection is not None and not rest

    @property
    def has_pending(self) -> bool:
        """Whether tests are being run; xdist shows the end of its status line before that."""
        rest = self._pool or self._held or any(queue.tests for queue in self._queues.values())
        return self._has_begun and bool(rest)

    def add_node(self, node: WorkerController) -> None:
        """Take in a worker that has started, and has yet to collect."""
        self._queues[node] = WorkerQueue()

    def add_node_collection(self, node: WorkerController, collection: Sequence[str]) -> None:
        """Take in what a worker has collected. Others than the first's end the run, as an error."""
        self._ready.add(node)
        self._to_come = max(0, self._to_come - 1)
        if self._collection is None:
            self._take(list(collection), node.gateway.id)
        elif list(collection) != self._collection:
            self._refuse(node, collection)

    def schedule(self) -> None:
        """Give each worker that has collected what it needs to go on."""
        if not self._has_begun:
            self._has_begun = True
            self._show_beginning()
        for node in self.nodes:
            self._fill(node)

    def mark_test_complete(
        self, node: WorkerController, item_index: int, duration: float = 0
    ) -> None:
        """Take in that a worker has done a test, in `duration` seconds."""
        was_test = self._queues[node].remove(item_index)
        self._since[node] = self._now()
        if was_test:
            self._seconds += duration
            self._weight += self._weights[item_index]
            self._unreported.setdefault(node, []).append(item_index)
        self._fill(node)

    def mark_test_pending(self, item: str) -> None:
        """Hand out a test once more."""
        assert self._collection is not None
        self._return(self._collection.index(item))
        self.schedule()

    def remove_pending_tests_from_node(
        self, node: WorkerController, indices: Sequence[int]
    ) -> None:
        """Never called: what a worker has in hand cannot be taken back."""
        raise NotImplementedError

    def remove_node(self, node: WorkerController) -> str | None:
        """Let a worker go, and return the test that it was running if it died over it.

        Raises:
            KeyError: there is no such worker.
        """
        queue = self._queues.pop(node)
        self._ready.discard(node)
        lost = self._lost_with(node)
        if not queue.tests and not lost:
            return None
        assert self._collection is not None
        crashed = queue.running
        for index in lost:
            self._return(index)
        for index in queue.tests:
            if index != crashed:
                self._return(index)
        self.schedule()
        return None if crashed is None else self._collection[crashed]

    def _lost_with(self, node: WorkerController) -> list[int]:
        """Return the tests that a worker had done and not reported, for they waited for judges.

        Whoever has taken the worker down, they are run again; once, as it may be their own doing.
        """
        done = self._unreported.pop(node, [])
        if self._reported is None or self._collection is None:
            return []
        names = {index: self._collection[index] for index in done}
        lost = [i for i in names if i not in self._given_back and names[i] not in self._reported]
        self._given_back.update(lost)
        return lost

    def _take(self, collection: list[str], worker: str) -> None:
        self._collection, self._collector = collection, worker
        expected = self._expected()
        least = min((expected[test] for test in collection if test in expected), default=1.0)
        self._weights = [expected.get(test, least) for test in collection]

        def late(index: int) -> tuple[bool, float]:
            is_task = collection[index] in expected
            return not is_task, -self._weights[index] if is_task else 0.0

        order = sorted(range(len(collection)), key=late)
        self._rank = [0] * len(collection)
        for rank, index in enumerate(order):
            self._rank[index] = rank
        self._hold(order)

    def _hold(self, tests: Sequence[int]) -> None:
        """Hand out those of some tests that need not wait."""
        names = self._collection or []
        held = self._looking.held(names[i] for i in tests) if self._looking else set()
        self._held = [index for index in tests if names[index] in held]
        for index in tests:
            if names[index] not in held:
                self._return(index)

    def _look(self) -> None:
        """Let tests go on that wait for others, or drop them, when those others are done."""
        while self._held and not self._pool and not any(h.tests for h in self._queues.values()):
            assert self._looking is not None
            assert self._collection is not None
            dropped = self._looking.look(self._collection[index] for index in self._held)
            self._hold([i for i in self._held if self._collection[i] not in dropped])
            for node in self.nodes:
                self._fill(node)

    def _show_beginning(self) -> None:
        """Write how many tests there are, and no status of workers among the dots from now on."""
        terminal = self.config.pluginmanager.getplugin("terminalreporter")
        status = self.config.pluginmanager.getplugin("terminaldistreporter")
        if terminal is None or status is None:
            return
        status.setstatus = lambda *_, **__: None
        if self._collection and self.config.get_verbosity() >= 0:
            terminal.write_line(f"{self._workers} workers [{len(self._collection)} items]")

    def _refuse(self, node: WorkerController, collection: Sequence[str]) -> None:
        theirs = node.gateway.id
        difference = report_collection_diff(self._collection, collection, self._collector, theirs)
        report = pytest.CollectReport(
            nodeid=theirs, outcome="failed", longrepr=difference, result=[]
        )
        self.config.hook.pytest_collectreport(report=report)
        self._ready.discard(node)
        self._pool.clear()
        self._held.clear()
        for each in self.nodes:
            each.shutdown()

    def _return(self, index: int) -> None:
        insort(self._pool, index, key=self._rank.__getitem__)

    def _fill(self, node: WorkerController) -> None:
        """Give a worker its next tests, or let it end when others will be free before it is."""
        if node not in self._ready:
            return
        queue = self._queues[node]
        given: list[int] = []
        is_last = False
        while len(queue.tests) < _IN_HAND and not node.shutting_down and not is_last:
            index = self._next_of(node)
            is_last = index is None
            if index is not None:
                if not queue.tests:
                    self._since[node] = self._now()
                self._pool.remove(index)
                queue.add(index)
                given.append(index)
        if is_last and self._held:
            is_last = False
            given += queue.add_pause()
        with suppress(OSError):  # it died: xdist says so soon, and what it has in hand comes back
            if given:
                node.send_runtest_some(given)
            if is_last:
                node.shutdown()

    def _next_of(self, node: WorkerController) -> int | None:
        """Return the first test that this worker would get if each went to the first one free.

        None if the others are expected to have done all before it is free.
        """
        if not self._queues[node].tests:
            return self._pool[0] if self._pool else None
        seconds = self._seconds / self._weight if self._weight else 1.0
        free = list(self._expected_ends(node, seconds))
        heapq.heapify(free)
        for index in self._pool:
            end, order = free[0]
            if order < 0:
                return index
            heapq.heapreplace(free, (end + seconds * self._weights[index], order))
        return None

    def _expected_ends(
        self, chosen: WorkerController, seconds: float
    ) -> Iterator[tuple[float, int]]:
        """Yield when each worker will be free, with its number; that of the chosen one is -1.

        A weight of 1 is expected to take so many seconds.
        """
        now = self._now()
        starting = sum(node not in self._ready for node in self._queues)
        for number in range(max(starting, self._to_come)):
            yield now, len(self._queues) + number
        for number, node in enumerate(self._queues):
            if node not in self._ready or (node.shutting_down and node is not chosen):
                continue
            ends = [seconds * self._weights[index] for index in self._queues[node].tests]
            first = max(now, self._since[node] + ends[0]) if ends else now
            yield first + sum(ends[1:]), -1 if node is chosen else number


class WorkerQueue:
    """The tests that a worker has in hand, by their numbers; it runs the first.

    A worker starts a test when it knows the next one. Where that is not known yet, a test that the
    worker was given before stands for it: a pause, at which it runs nothing (see pauses.py).
    """

    def __init__(self) -> None:
        self._entries: list[int] = []  # a pause is the complement of the number that stands for it

    @property
    def tests(self) -> list[int]:
        """The tests, without pauses."""
        return [entry for entry in self._entries if entry >= 0]

    @property
    def running(self) -> int | None:
        """The test that the worker is running; None at a pause, or if there is none."""
        first = self._entries[0] if self._entries else -1
        return first if first >= 0 else None

    def add(self, test: int) -> None:
        """Add a test."""
        self._entries.append(test)

    def add_pause(self) -> list[int]:
        """Add a pause if the last test needs one, and return what stands for it."""
        if not self._entries or self._entries[-1] < 0:
            return []
        last = self._entries[-1]
        self._entries.append(~last)
        return [last]

    def remove(self, number: int) -> bool:
        """Take out what is done; return whether it was a test, and no pause."""
        is_test = self._entries[0] != ~number
        self._entries.remove(number if is_test else ~number)
        return is_test
