"""How tests are handed out to workers: one at a time, the longest first.

An episode takes seconds or minutes, so no worker should hold back tasks while others have none. A
worker starts a test only when it knows the next one, or that there is none, as that decides which
fixtures stay set up; and what it was given is not taken back. So each worker has one test in hand
besides the one that it runs. Which one that is, if any, depends on when the workers are expected to
be free.

Tests that build on each other, on devices that are not restored, are done by one worker in order.

Tests that wait for an interim analysis are handed out once it has been made. Workers for which
nothing else is left pause until then.

Nothing here knows what a worker is, or how it is reached: that is the engine's part (`xdist`, and
the folder `ray`), which tells what has happened and passes on what `Scheduler.give` returns.
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


_IN_HAND = 2  # the test that a worker runs, and the one that it has to know as the next


class Mark(Enum):
    """What a worker may be given besides tests."""

    PAUSE = "pause"  # more may come, but nobody knows which: run nothing, and keep little set up
    END = "end"  # no more will come


class Analyses(Protocol):
    """Interim analyses for which tests wait (see `interim.InterimAnalyses`)."""

    def held(self, tests: Iterable[str]) -> set[str]:
        """Return those tests that wait for an analysis."""

    def analyse(self, tests: Iterable[str]) -> set[str]:
        """Make the next analysis; of all tests that wait, return those that are dropped."""


class Scheduler:
    """The tests of a run, and who has them in hand. Tests are numbered as they were collected.

    - `workers` is how many there will be at first; each is named by a text, and no name is used
      twice.
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
        self._owners: dict[str, str] = {}  # of the sets that were begun
        self._reported = reported
        self._given_back: set[int] = set()  # whose worker died before it reported them
        self._unreported: dict[str, list[int]] = {}  # done, though judges may decide yet
        self._held: list[int] = []  # tests that wait for others
        self._to_come = workers  # not collected yet
        self._queues: dict[str, _WorkerQueue] = {}
        self._ready: set[str] = set()
        self._closed: set[str] = set()  # these get nothing more
        self._since: dict[str, float] = {}  # when the test that it runs began
        self._collection: list[str] | None = None
        self._collector = ""  # the worker whose collection that is
        self._pool: list[int] = []  # what nobody has in hand, in the order of `_rank`
        self._rank: list[int] = []
        self._weights: list[float] = []
        self._seconds = self._weight = 0.0  # of all tests that are done

    @property
    def workers(self) -> list[str]:
        """The workers that have started and not ended."""
        return list(self._queues)

    @property
    def tests(self) -> Sequence[str]:
        """The node ids of all tests; empty before a worker has collected."""
        return self._collection or ()

    @property
    def has_collected(self) -> bool:
        """Whether a worker has collected, so that tests can be given."""
        return self._collection is not None

    @property
    def is_done(self) -> bool:
        """Whether all tests are done, except those that wait to be the last of their worker.

        Never before every worker has collected: a worker that collects something else is an error,
        however fast the others are. Call `analyse` before.
        """
        waiting = any(len(queue.tests) >= _IN_HAND for queue in self._queues.values())
        rest = self._to_come or self._pool or self._held or waiting
        return self._collection is not None and not rest

    @property
    def is_left(self) -> bool:
        """Whether there are tests that nobody has done yet."""
        in_hand = any(queue.tests for queue in self._queues.values())
        return bool(self._pool or self._held or in_hand)

    def started(self, worker: str) -> None:
        """Note that a worker has started; it has yet to collect."""
        self._queues[worker] = _WorkerQueue()

    def collected(self, worker: str, tests: Sequence[str]) -> str:
        """Note what a worker has collected, and return how it differs from the first's, if so."""
        self._to_come = max(0, self._to_come - 1)
        if self._collection is None:
            self._take(list(tests), worker)
        elif list(tests) != self._collection:
            return self._difference(worker, tests)
        self._ready.add(worker)
        return ""

    def wait_for(self, workers: int) -> None:
        """Wait, before the run ends, for so many workers to collect, and not for more."""
        self._to_come = min(self._to_come, workers)

    def give(self, worker: str) -> list[int | Mark]:
        """Return what a worker is to be told now, in order, if anything; it then has that in hand.

        Ask this for a worker that has collected or has done a test, and for all of them after
        another has died or an analysis was made. A worker ends if others will be free earlier.
        """
        if worker not in self._ready:
            return []
        queue = self._queues[worker]
        given: list[int | Mark] = []
        while len(queue.tests) < _IN_HAND and worker not in self._closed:
            index = self._next_of(worker)
            if index is None:
                if not self._held:
                    self._closed.add(worker)
                    given.append(Mark.END)
                elif queue.add_pause():
                    given.append(Mark.PAUSE)
                break
            if not queue.tests:
                self._since[worker] = self._now()
            del self._pool[bisect_left(self._pool, self._rank[index], key=self._rank.__getitem__)]
            if (name := self._set_of.get(index)) is not None:
                self._owners[name] = worker
            queue.add(index)
            given.append(index)
        return given

    def done(self, worker: str, what: int | Mark, seconds: float = 0.0) -> None:
        """Note that a worker has done a test, in so many seconds, or that its pause is over."""
        queue = self._queues[worker]
        queue.remove(what)
        self._since[worker] = self._now()
        if not isinstance(what, Mark):
            self._seconds += seconds
            self._weight += self._weights[what]
            self._unreported.setdefault(worker, []).append(what)

    def is_at_pause(self, worker: str) -> bool:
        """Whether a worker pauses, or does as soon as it knows what comes next."""
        return self._queues[worker].is_at_pause

    def again(self, test: str) -> None:
        """Have a test, by its node id, handed out once more."""
        self._return(self.tests.index(test))

    def close(self, worker: str) -> None:
        """Give a worker nothing more."""
        self._closed.add(worker)

    def drop_rest(self) -> None:
        """Forget the tests that nobody has in hand."""
        self._pool.clear()
        self._held.clear()

    def ended(self, worker: str) -> str | None:
        """Remove a worker, and return the test that it was running if it died over it.

        What else it had in hand, or had not reported, is given to others.

        Raises:
            KeyError: there is no such worker.
        """
        queue = self._queues.pop(worker)
        self._ready.discard(worker)
        self._closed.discard(worker)
        self._owners = {name: owner for name, owner in self._owners.items() if owner != worker}
        crashed = queue.running
        for index in self._lost_with(worker):
            self._return(index)
        for index in queue.tests:
            if index != crashed:
                self._return(index)
        return None if crashed is None else self.tests[crashed]

    def analyse(self) -> bool:
        """Have an interim analysis made when nothing but tests that wait for it is left.

        Return whether there was one, so that tests can be given to workers which pause.
        """
        was_made = False
        while self._held and not self._pool and not any(q.tests for q in self._queues.values()):
            assert self._analyses is not None
            was_made = True
            dropped = self._analyses.analyse(self.tests[index] for index in self._held)
            self._hold([index for index in self._held if self.tests[index] not in dropped])
        return was_made

    def _lost_with(self, worker: str) -> list[int]:
        """Return the tests that a worker had done and not reported, as they waited for judges.

        They are run again, but only once: one of them may have killed the worker.
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
        names = self.tests
        held = self._analyses.held(names[i] for i in tests) if self._analyses else set()
        self._held = [index for index in tests if names[index] in held]
        for index in tests:
            if names[index] not in held:
                self._return(index)

    def _difference(self, worker: str, tests: Sequence[str]) -> str:
        lines = unified_diff(self.tests, tests, self._collector, worker, lineterm="")
        return "\n".join([f"{self._collector} and {worker} collected different tests:", *lines])

    def _return(self, index: int) -> None:
        insort(self._pool, index, key=self._rank.__getitem__)

    def _next_of(self, worker: str) -> int | None:
        """Return the next test of this worker if each test goes to the worker that is free first.

        A set that the worker has begun goes on first. None if the others are expected to have done
        all tests before this one is free.
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
        """Yield what a worker may have of the pool: of each set the next test, if it is free."""
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
        """Return when each worker will be free, the given one first.

        Runs of hundreds of workers call this for each of thousands of tests.
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
    """What a worker has in hand: it does the first of it when it knows the second.

    `tests` are those of it, without pauses.
    """

    def __init__(self) -> None:
        self.tests: list[int] = []
        self._entries: list[int | Mark] = []

    @property
    def is_at_pause(self) -> bool:
        """Whether a pause comes first."""
        return self._entries[:1] == [Mark.PAUSE]

    @property
    def running(self) -> int | None:
        """The test that the worker is running; None at a pause, or if there is none."""
        return None if self.is_at_pause or not self.tests else self.tests[0]

    def add(self, test: int) -> None:
        """Add a test."""
        self.tests.append(test)
        self._entries.append(test)

    def add_pause(self) -> bool:
        """Add a pause after the last test, unless there is one; return whether it was added."""
        if not self._entries or self._entries[-1] is Mark.PAUSE:
            return False
        self._entries.append(Mark.PAUSE)
        return True

    def remove(self, entry: int | Mark) -> None:
        """Remove what is done."""
        self._entries.remove(entry)
        if not isinstance(entry, Mark):
            self.tests.remove(entry)
