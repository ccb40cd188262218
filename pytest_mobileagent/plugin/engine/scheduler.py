"""How pytest-xdist hands out tasks: one at a time, the longest first.

An episode takes seconds or minutes, so no worker should hold back tasks while others have none. A
worker of pytest-xdist starts a test only when it knows the next one, or that there is none, and
that next test cannot be taken back: `WorkerController.send_steal` reaches only those behind it. So
each worker has one test in hand besides the one that it runs. Which one that is, if any, depends on
when the workers are expected to be free.

Tests that build on each other, on devices that are not restored, are done by one worker in order.

Tests that wait for an interim analysis (see `InterimAnalyses`) are handed out once it has been
made. Workers for which nothing else is left pause until then (see `WorkerQueue`).
"""

from __future__ import annotations

import heapq
import time
from bisect import bisect_left, insort
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

    - `expected` returns how long tests are expected to take, in any unit, by node id; it is called
      once, when the first worker has collected. Those tests come first, the longest before others;
      the rest follow in pytest's own order.
    - `now` is a clock, in seconds.
    - `analyses` hold tests back; without them no test waits.
    - `sets` returns the sets of tests by node id, and is called once, too. The tests of a set go to
      one worker, in pytest's own order; if that dies, another goes on with them.
    - `reported` holds the node ids of tests whose results are known. A test that a worker has done,
      but not reported when it dies, is handed out once more.

    The first worker that has collected begins while others are starting. What those collect is
    compared with its collection later.
    """

    def __init__(
        self,
        config: pytest.Config,
        log: Producer | None,
        expected: Callable[[], Mapping[str, float]],
        now: Callable[[], float] = time.monotonic,
        *,
        analyses: InterimAnalyses | None = None,
        sets: Callable[[], Mapping[str, str]] | None = None,
        reported: Container[str] | None = None,
    ) -> None:
        self.config = config
        self.log = Producer("tasksched") if log is None else log.tasksched
        self._expected = expected
        self._now = now
        self._analyses = analyses
        self._sets = sets
        self._set_of: dict[int, str] = {}
        self._owners: dict[str, WorkerController] = {}  # of the sets that were begun
        self._reported = reported
        self._given_back: set[int] = set()  # whose worker died before it reported them
        self._unreported: dict[
            WorkerController, list[int]
        ] = {}  # done, though judges may decide yet
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
        """The workers that have started and not ended."""
        return list(self._queues)

    @property
    def collection_is_completed(self) -> bool:
        """Whether tests can be handed out, for which one worker has to have collected."""
        return self._collection is not None

    @property
    def tests_finished(self) -> bool:
        """Whether all tests are done, except those that wait to be the last of their worker.

        Never before every worker has collected: a worker that collects something else is an error,
        however fast the others are.

        pytest-xdist asks this after each event, which it has reported by then.
        """
        self._analyse()
        waiting = any(len(queue.tests) >= _IN_HAND for queue in self._queues.values())
        rest = self._to_come or self._pool or self._held or waiting
        return self._collection is not None and not rest

    @property
    def has_pending(self) -> bool:
        """Whether tests are being run; pytest-xdist ends its status line before that."""
        rest = self._pool or self._held or any(queue.tests for queue in self._queues.values())
        return self._has_begun and bool(rest)

    def add_node(self, node: WorkerController) -> None:
        """Add a worker that has started and has yet to collect."""
        self._queues[node] = WorkerQueue()

    def add_node_collection(self, node: WorkerController, collection: Sequence[str]) -> None:
        """Receive what a worker has collected; if it differs from the first's, the run ends."""
        self._ready.add(node)
        self._to_come = max(0, self._to_come - 1)
        if self._collection is None:
            self._take(list(collection), node.gateway.id)
        elif list(collection) != self._collection:
            self._refuse(node, collection)

    def wait_for(self, workers: int) -> None:
        """Wait, before the run ends, for so many workers to collect, and not for more."""
        self._to_come = min(self._to_come, workers)

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
        """Note that a worker has done a test, in `duration` seconds."""
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
        """Do nothing but raise: what a worker has in hand cannot be taken back."""
        raise NotImplementedError

    def remove_node(self, node: WorkerController) -> str | None:
        """Remove a worker, and return the test that it was running if it died over it.

        Raises:
            KeyError: there is no such worker.
        """
        queue = self._queues.pop(node)
        self._ready.discard(node)
        self._owners = {name: owner for name, owner in self._owners.items() if owner is not node}
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
        """Return the tests that a worker had done and not reported, as they waited for judges.

        They are run again, but only once: one of them may have killed the worker.
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

        sets = self._sets() if self._sets else {}
        self._set_of = {i: sets[test] for i, test in enumerate(collection) if sets.get(test)}
        whole: dict[str, tuple[float, int]] = {}  # of each set: its weight, and its first test
        for index, name in self._set_of.items():
            weight, first = whole.get(name, (0.0, index))
            whole[name] = weight + self._weights[index], first

        def late(index: int) -> tuple[bool, float, int]:
            is_task = collection[index] in expected
            weight, first = whole.get(self._set_of.get(index, ""), (self._weights[index], index))
            return not is_task, -weight if is_task else 0.0, first

        order = sorted(range(len(collection)), key=late)
        self._rank = [0] * len(collection)
        for rank, index in enumerate(order):
            self._rank[index] = rank
        self._hold(order)

    def _hold(self, tests: Sequence[int]) -> None:
        """Put tests into the pool, except those that have to wait."""
        names = self._collection or []
        held = self._analyses.held(names[i] for i in tests) if self._analyses else set()
        self._held = [index for index in tests if names[index] in held]
        for index in tests:
            if names[index] not in held:
                self._return(index)

    def _analyse(self) -> None:
        """Have an interim analysis made when nothing but tests that wait for it is left."""
        while self._held and not self._pool and not any(h.tests for h in self._queues.values()):
            assert self._analyses is not None
            assert self._collection is not None
            dropped = self._analyses.analyse(self._collection[index] for index in self._held)
            self._hold([i for i in self._held if self._collection[i] not in dropped])
            for node in self.nodes:
                self._fill(node)

    def _show_beginning(self) -> None:
        """Write how many tests there are, and keep the workers' status out of the dots."""
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
        """Give a worker its next tests, or let it end if others will be free earlier."""
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
                del self._pool[
                    bisect_left(self._pool, self._rank[index], key=self._rank.__getitem__)
                ]
                if (name := self._set_of.get(index)) is not None:
                    self._owners[name] = node
                queue.add(index)
                given.append(index)
        if is_last and self._held:
            is_last = False
            given += queue.add_pause()
        with suppress(OSError):  # it died; when xdist notices, what it has in hand comes back
            if given:
                node.send_runtest_some(given)
            if is_last:
                node.shutdown()

    def _next_of(self, node: WorkerController) -> int | None:
        """Return the next test of this worker if each test goes to the worker that is free first.

        A set that the worker has begun goes on first. None if the others are expected to have done
        all tests before this one is free.
        """
        pool = self._pool
        if self._set_of:
            pool = list(self._open_to(node))
            own = (index for index in pool if self._owners.get(self._set_of.get(index, "")) is node)
            if (index := next(own, None)) is not None:
                return index
        if not self._queues[node].tests:
            return pool[0] if pool else None
        seconds = self._seconds / self._weight if self._weight else 1.0
        free = list(self._expected_ends(node, seconds))
        heapq.heapify(free)
        for index in pool:
            end, order = free[0]
            if order < 0:
                return index
            heapq.heapreplace(free, (end + seconds * self._weights[index], order))
        return None

    def _open_to(self, node: WorkerController) -> Iterator[int]:
        """Yield what a worker may have of the pool: of each set the next test, if it is free."""
        seen: set[str] = set()
        for index in self._pool:
            name = self._set_of.get(index)
            if name is None:
                yield index
            elif name not in seen:
                seen.add(name)
                if self._owners.get(name, node) is node:
                    yield index

    def _expected_ends(
        self, chosen: WorkerController, seconds: float
    ) -> Iterator[tuple[float, int]]:
        """Yield when each worker will be free, with its number, which is -1 for the chosen one.

        A test of weight 1 is expected to take `seconds`.
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

    A worker starts a test when it knows the next one. If that is not known yet, the worker is given
    the same test twice: the second is a pause, at which it runs nothing (see `Pauses`).
    """

    def __init__(self) -> None:
        self._entries: list[int] = []  # a pause is the complement (~) of its test's number

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
        """Add a pause after the last test, unless there is one; return what the worker is sent."""
        if not self._entries or self._entries[-1] < 0:
            return []
        last = self._entries[-1]
        self._entries.append(~last)
        return [last]

    def remove(self, number: int) -> bool:
        """Remove what is done; return whether it was a test, and not a pause."""
        is_test = self._entries[0] != ~number
        self._entries.remove(number if is_test else ~number)
        return is_test
