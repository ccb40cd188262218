"""The scheduler, which hands out tests to workers one at a time, the longest first.

An episode takes seconds or minutes, so no worker should queue tasks while others are idle. But a
worker only starts a test once it knows the next one, or that there is none, because that decides
which fixtures stay set up; and a test cannot be taken back from a worker. So each worker has one
queued test in addition to the one that it is running. Which test that is, if any, depends on when
the workers are expected to be free.

Tests that build on each other, on devices that are not restored, are run by one worker in order.

Tests that wait for an interim analysis are handed out once the analysis has been made. Until then,
workers without other tests pause.

The scheduler does not know what a worker is or how to reach it. The engine does (`xdist`, or the
folder `ray`): it reports events to the scheduler, and sends what `Scheduler.give` returns.
"""

from __future__ import annotations

import heapq
import time
from bisect import bisect_left, insort
from difflib import unified_diff
from enum import Enum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence


_IN_HAND = 2  # the test that a worker is running, and the next one


class WorkerSignal(Enum):
    """An instruction that a worker may receive in place of a test."""

    PAUSE = "pause"  # the next test is not known yet: run nothing, and tear most fixtures down
    END = "end"  # no more tests will come


class Analyses(Protocol):
    """Interim analyses that tests wait for (see `waiting.InterimAnalyser`)."""

    def waiting(self, tests: Iterable[str]) -> set[str]:
        """Return the tests in `tests` that are waiting for an analysis."""

    def analyse(self, tests: Iterable[str]) -> set[str]:
        """Make the next analysis, and return the tests to drop; `tests` are all waiting tests."""


class Scheduler:
    """The tests of a run, and the workers that have them. Tests are numbered in collection order.

    - `workers`: the number of workers at first. Each has a name, and no name is used twice.
    - `expected`: returns the expected durations of tests, in any unit, by node id. It is called
      once, when the first worker has collected. These tests come first, the longest before others;
      all other tests follow in pytest's order.
    - `now`: a clock, in seconds.
    - `analyses`: the interim analyses that tests wait for; without them, no test waits.
    - `sets`: returns the sets that tests belong to, by node id; it is also called once. The tests
      of a set go to one worker, in pytest's order; if that worker dies, another continues.
    - `reported`: the node ids of tests whose results are known. A test that a worker has finished
      but not reported before it died is handed out again.

    The first worker that has collected begins while others are still starting. Their collections
    are compared with its own when they arrive.
    """

    def __init__(
        self,
        workers: int,
        expected: Callable[[], Mapping[str, float]],
        now: Callable[[], float] = time.monotonic,
        *,
        analyses: Analyses | None = None,
        sets: Callable[[], Mapping[str, str]] | None = None,
        reported: Container[str] | None = None,
    ) -> None:
        self._expected = expected
        self._now = now
        self._analyses = analyses
        self._sets = sets
        self._set_of: dict[int, str] = {}
        self._owners: dict[str, str] = {}  # the workers of the sets that have begun
        self._reported = reported
        self._given_back: set[int] = set()  # tests whose worker died before it reported them
        self._unreported: dict[str, list[int]] = {}  # finished, but maybe waiting for judges
        self._waiting: list[int] = []  # tests that wait for an analysis
        self._to_come = workers  # the number of workers that have not collected yet
        self._queues: dict[str, _WorkerQueue] = {}
        self._ready: set[str] = set()
        self._closed: set[str] = set()  # workers that get no more tests
        self._since: dict[str, float] = {}  # when each worker began the test that it is running
        self._collection: list[str] | None = None
        self._collector = ""  # the worker that collected `_collection`
        self._pool: list[int] = []  # tests that no worker has, in the order of `_rank`
        self._rank: list[int] = []
        self._weights: list[float] = []
        self._seconds = self._weight = 0.0  # totals of all finished tests

    @property
    def workers(self) -> list[str]:
        """The workers that have started and not ended."""
        return list(self._queues)

    @property
    def tests(self) -> Sequence[str]:
        """The node ids of all tests; empty until a worker has collected."""
        return self._collection or ()

    @property
    def has_collected(self) -> bool:
        """Whether a worker has collected, so tests can be handed out."""
        return self._collection is not None

    @property
    def is_done(self) -> bool:
        """Whether all tests are done, except the final test of each worker, which it holds back.

        False until every worker has collected: a worker with a different collection is an error,
        even if the others have already finished. Call `analyse` first.
        """
        waiting = any(len(queue.tests) >= _IN_HAND for queue in self._queues.values())
        rest = self._to_come or self._pool or self._waiting or waiting
        return self._collection is not None and not rest

    @property
    def is_left(self) -> bool:
        """Whether any test is not finished."""
        return bool(self._pool or self._waiting or self._has_tests_in_hand)

    @property
    def _has_tests_in_hand(self) -> bool:
        return any(queue.tests for queue in self._queues.values())

    def started(self, worker: str) -> None:
        """Record that a worker has started; it has not collected its tests yet."""
        self._queues[worker] = _WorkerQueue()

    def collected(self, worker: str, tests: Sequence[str]) -> str:
        """Record a worker's collection; return how it differs from the first, or ""."""
        self._to_come = max(0, self._to_come - 1)
        if self._collection is None:
            self._take(list(tests), worker)
        elif list(tests) != self._collection:
            lines = unified_diff(self.tests, tests, self._collector, worker, lineterm="")
            return "\n".join([f"{self._collector} and {worker} collected different tests:", *lines])
        self._ready.add(worker)
        return ""

    def wait_for(self, workers: int) -> None:
        """Before the run ends, wait for at most `workers` more workers to collect."""
        self._to_come = min(self._to_come, workers)

    def give(self, worker: str) -> list[int | WorkerSignal]:
        """Move tests and marks to a worker's queue, and return them in the order to send them.

        Call this for a worker that has collected or finished a test, and for all workers after one
        has died or an analysis was made. A worker is ended if others will be free earlier.
        """
        if worker not in self._ready:
            return []
        queue = self._queues[worker]
        given: list[int | WorkerSignal] = []
        while len(queue.tests) < _IN_HAND and worker not in self._closed:
            index = self._next_of(worker)
            if index is None:
                if not self._waiting:
                    self._closed.add(worker)
                    given.append(WorkerSignal.END)
                elif queue.add_pause():
                    given.append(WorkerSignal.PAUSE)
                break
            if not queue.tests:
                self._since[worker] = self._now()
            del self._pool[bisect_left(self._pool, self._rank[index], key=self._rank.__getitem__)]
            if (name := self._set_of.get(index)) is not None:
                self._owners[name] = worker
            queue.add(index)
            given.append(index)
        return given

    def done(self, worker: str, what: int | WorkerSignal, seconds: float = 0.0) -> None:
        """Record that a worker has finished a test, in `seconds`, or that its pause is over."""
        queue = self._queues[worker]
        queue.remove(what)
        self._since[worker] = self._now()
        if not isinstance(what, WorkerSignal):
            self._seconds += seconds
            self._weight += self._weights[what]
            self._unreported.setdefault(worker, []).append(what)

    def is_at_pause(self, worker: str) -> bool:
        """Return whether a worker's next instruction is a pause."""
        return self._queues[worker].is_at_pause

    def again(self, test: str) -> None:
        """Hand out a test, given by its node id, once more."""
        self._return(self.tests.index(test))

    def close(self, worker: str) -> None:
        """Hand out no more tests to a worker."""
        self._closed.add(worker)

    def drop_rest(self) -> None:
        """Drop the tests that no worker has."""
        self._pool.clear()
        self._waiting.clear()

    def ended(self, worker: str) -> str | None:
        """Remove a worker, and return the test that it was running if it crashed.

        Its other queued or unreported tests go back to the pool.

        Raises:
            KeyError: if there is no such worker.
        """
        queue = self._queues.pop(worker)
        self._ready.discard(worker)
        self._closed.discard(worker)
        self._owners = {name: owner for name, owner in self._owners.items() if owner != worker}
        crashed = queue.running
        for index in (*self._lost_with(worker), *(i for i in queue.tests if i != crashed)):
            self._return(index)
        return None if crashed is None else self.tests[crashed]

    def analyse(self) -> bool:
        """Make an interim analysis if only tests that wait for one are left.

        Return whether one was made, in which case paused workers can receive tests.
        """
        was_made = False
        while self._waiting and not self._pool and not self._has_tests_in_hand:
            assert self._analyses is not None
            was_made = True
            dropped = self._analyses.analyse(self.tests[index] for index in self._waiting)
            self._enqueue([index for index in self._waiting if self.tests[index] not in dropped])
        return was_made

    def _lost_with(self, worker: str) -> list[int]:
        """Return the tests that a worker finished but did not report, as they waited for judges.

        They are run again, but only once, because one of them may have killed the worker.
        """
        done = self._unreported.pop(worker, [])
        if self._reported is None:
            return []
        names = {index: self.tests[index] for index in done}
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
        whole: dict[str, tuple[float, int]] = {}  # the weight and first test of each set
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
        self._enqueue(order)

    def _enqueue(self, tests: Sequence[int]) -> None:
        """Put tests into the pool, except those that wait for an analysis."""
        names = self.tests
        waiting = self._analyses.waiting(names[i] for i in tests) if self._analyses else set()
        self._waiting = [index for index in tests if names[index] in waiting]
        for index in tests:
            if names[index] not in waiting:
                self._return(index)

    def _return(self, index: int) -> None:
        insort(self._pool, index, key=self._rank.__getitem__)

    def _next_of(self, worker: str) -> int | None:
        """Return this worker's next test, if each test goes to the worker that is free first.

        A set that the worker has begun takes precedence. Return None if the other workers are
        expected to finish all tests before this worker is free.
        """
        pool = self._pool
        if self._set_of:
            pool = list(self._open_to(worker))
            own = (i for i in pool if self._owners.get(self._set_of.get(i, "")) == worker)
            if (index := next(own, None)) is not None:
                return index
        if not self._queues[worker].tests:
            return pool[0] if pool else None
        end_of_own, *others = self._expected_ends(worker)
        free = [end for end in others if end < end_of_own]
        heapq.heapify(free)
        for index in pool:
            if not free:
                return index
            end = free[0] + self._pace * self._weights[index]
            if end < end_of_own:
                heapq.heapreplace(free, end)
            else:
                heapq.heappop(free)
        return None

    def _open_to(self, worker: str) -> Iterator[int]:
        """Yield the tests in the pool that a worker may run; of a set, only its next test."""
        seen: set[str] = set()
        for index in self._pool:
            name = self._set_of.get(index)
            if name is None:
                yield index
            elif name not in seen:
                seen.add(name)
                if self._owners.get(name, worker) == worker:
                    yield index

    @property
    def _pace(self) -> float:
        """How many seconds a test of weight 1 is expected to take."""
        return self._seconds / self._weight if self._weight else 1.0

    def _expected_ends(self, worker: str) -> list[float]:
        """Return when each worker will be free, starting with the given one.

        Runs with hundreds of workers call this for each of thousands of tests.
        """
        now, pace, weights = self._now(), self._pace, self._weights
        starting = sum(each not in self._ready for each in self._queues)
        ends = []
        for each in (worker, *(self._ready - self._closed - {worker})):
            end = now
            if tests := self._queues[each].tests:
                end = max(end, self._since[each] + pace * weights[tests[0]])
                for index in tests[1:]:
                    end += pace * weights[index]
            ends.append(end)
        return ends + [now] * max(starting, self._to_come)


class _WorkerQueue:
    """A worker's tests and pauses; it runs the first entry once it knows the second.

    `tests` are the entries without pauses.
    """

    def __init__(self) -> None:
        self.tests: list[int] = []
        self._entries: list[int | WorkerSignal] = []

    @property
    def is_at_pause(self) -> bool:
        """Whether the first entry is a pause."""
        return self._entries[:1] == [WorkerSignal.PAUSE]

    @property
    def running(self) -> int | None:
        """The test that the worker is running; None during a pause, or if the queue is empty."""
        return None if self.is_at_pause or not self.tests else self.tests[0]

    def add(self, test: int) -> None:
        """Add a test."""
        self.tests.append(test)
        self._entries.append(test)

    def add_pause(self) -> bool:
        """Add a pause after the last test, unless there is one already; return whether it was."""
        if not self._entries or self._entries[-1] is WorkerSignal.PAUSE:
            return False
        self._entries.append(WorkerSignal.PAUSE)
        return True

    def remove(self, entry: int | WorkerSignal) -> None:
        """Remove a finished entry."""
        self._entries.remove(entry)
        if not isinstance(entry, WorkerSignal):
            self.tests.remove(entry)
