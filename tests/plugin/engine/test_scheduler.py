"""How tasks are distributed to workers, which are simulated here."""

from __future__ import annotations

import heapq
import itertools
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_mobileagent.plugin.engine.scheduler import Scheduler, WorkerSignal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class Worker:
    """A worker that starts its first assigned test only once it knows the next one."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.given: list[int | WorkerSignal] = []
        self.running: int | WorkerSignal | None = None
        self.is_dead = False
        self.most_in_hand = 0

    def begins(self) -> bool:
        """Return whether the worker starts a test now, and start it."""
        known = [each for each in self.given if each is not WorkerSignal.END]
        self.most_in_hand = max(self.most_in_hand, len(known) + (self.running is not None))
        if self.running is not None or len(self.given) < 2:
            return False
        self.running = self.given.pop(0)
        return True


class Stages:
    """Interim analyses, one after every `size` tests, which drop some of the remaining tests."""

    def __init__(self, size: int, dropped: Iterable[int]) -> None:
        self.size = size
        self.dropped = {f"test_{number}" for number in dropped}
        self.analyses = 0
        self.run: Run | None = None

    def waiting(self, tests: Iterable[str]) -> set[str]:
        return {test for test in tests if self._of(test) > self.analyses}

    def analyse(self, tests: Iterable[str]) -> set[str]:
        assert self.run is not None
        waiting = set(tests)
        assert set(self.run.tests) - waiting - self.dropped == set(self.run.done) - self.dropped
        dropped = waiting & self.dropped
        self.analyses = min(map(self._of, waiting - dropped), default=self.analyses)
        return dropped

    def _of(self, test: str) -> int:
        return int(test.removeprefix("test_")) // self.size


class Run:
    """A run whose tests take `takes` seconds, on workers that are ready after `ready` seconds.

    Each worker in `deaths` dies at the given time, and another worker takes its place. The test
    that it was running is repeated.
    """

    def __init__(
        self,
        takes: Sequence[float],
        ready: Sequence[float],
        expected: Mapping[str, float] | None = None,
        deaths: Mapping[str, float] | None = None,
        *,
        stages: Stages | None = None,
        unreported: Iterable[int] | None = None,
        sets: Mapping[int, str] | None = None,
    ) -> None:
        self.takes = takes
        self.tests = [f"test_{number}" for number in range(len(takes))]
        self.time = 0.0
        self.done: list[str] = []
        self.begun: dict[str, list[str]] = {}
        self.names = (f"gw{number}" for number in itertools.count())
        self.events: list[tuple[float, int, str, Worker]] = []
        self.count = itertools.count()
        self.workers: list[Worker] = []
        waits = {self.tests[number] for number in unreported or ()}  # for a judge, forever
        reported = None if unreported is None else {*self.tests} - waits
        self.scheduler = Scheduler(
            len(ready),
            lambda: expected or {},
            lambda: self.time,
            analyses=stages,
            sets=lambda: {self.tests[test]: name for test, name in (sets or {}).items()},
            reported=reported,
        )
        for seconds in ready:
            self.start(seconds)
        for name, seconds in (deaths or {}).items():
            worker = next(each for each in self.workers if each.name == name)
            self.after(seconds, "dies", worker)

    def start(self, seconds: float) -> None:
        self.workers.append(Worker(next(self.names)))
        self.after(seconds, "collected", self.workers[-1])

    def after(self, seconds: float, what: str, worker: Worker) -> None:
        heapq.heappush(self.events, (self.time + seconds, next(self.count), what, worker))

    def collect(self, worker: Worker, tests: Sequence[str] | None = None) -> str:
        self.scheduler.started(worker.name)
        difference = self.scheduler.collected(worker.name, self.tests if tests is None else tests)
        self.give()
        return difference

    def give(self) -> None:
        for worker in self.workers:
            if worker.name in self.scheduler.workers:
                worker.given += self.scheduler.give(worker.name)

    def go(self) -> float:
        """Run to the end; return the elapsed seconds."""
        while self.events and not self.step():
            pass
        for worker in self.workers:  # as engines do when all tests are finished
            if WorkerSignal.END not in worker.given:
                worker.given.append(WorkerSignal.END)
        self.begin()
        while self.events:
            self.step()
        return self.time

    def step(self) -> bool:
        """Process the next event; return whether the run is complete at that point."""
        self.time, _, what, worker = heapq.heappop(self.events)
        if worker.is_dead:
            return False
        if what == "collected":
            if not self.scheduler.is_done:
                self.collect(worker)
        elif what == "done":
            assert worker.running is not None
            entry, worker.running = worker.running, None
            if isinstance(entry, WorkerSignal):
                self.scheduler.done(worker.name, entry)
            else:
                self.done.append(self.tests[entry])
                self.scheduler.done(worker.name, entry, self.takes[entry])
            worker.given += self.scheduler.give(worker.name)
        elif worker.name in self.scheduler.workers and worker.running is not None:
            worker.is_dead = True
            if crashed := self.scheduler.ended(worker.name):
                self.scheduler.again(crashed)
            self.give()
            self.start(1)
        if self.scheduler.analyse():
            self.give()
        is_finished = self.scheduler.is_done
        self.begin()
        return is_finished

    def begin(self) -> None:
        for worker in self.workers:
            if worker.is_dead or not worker.begins():
                continue
            assert worker.running is not None
            if isinstance(worker.running, WorkerSignal):
                self.after(0, "done", worker)
            else:
                self.begun.setdefault(worker.name, []).append(self.tests[worker.running])
                self.after(self.takes[worker.running], "done", worker)


def named(weights: Sequence[float]) -> dict[str, float]:
    return {f"test_{number}": weight for number, weight in enumerate(weights)}


def test_longest_tasks_start_first():
    run = Run([1, 5, 3, 9, 7], ready=[0, 0], expected=named([1, 5, 3, 9, 7]))
    run.go()
    assert [tests[0] for tests in run.begun.values()] == ["test_3", "test_4"]


def test_tests_without_weights_keep_collection_order():
    run = Run([1] * 9, ready=[0])
    run.go()
    assert run.done == run.tests


def test_tests_that_are_not_tasks_come_last_in_order():
    run = Run([1, 4, 1, 2, 1], ready=[0], expected={"test_1": 4, "test_3": 2})
    run.go()
    assert run.done == ["test_1", "test_3", "test_0", "test_2", "test_4"]


def test_each_worker_queues_one_test_beyond_the_current_one():
    run = Run([1] * 40, ready=[0, 0, 0])
    run.go()
    assert [worker.most_in_hand for worker in run.workers] == [2, 2, 2]


def test_task_does_not_wait_behind_a_long_one_if_workers_are_free():
    takes = [30, 3, 2, 1]
    assert Run(takes, ready=[0, 0], expected=named(takes)).go() == 30


def test_tasks_are_split_evenly_if_second_worker_starts_late():
    run = Run([10, 10], ready=[0, 3], expected=named([10, 10]))
    assert run.go() == 13
    assert run.begun == {"gw0": ["test_0"], "gw1": ["test_1"]}


def test_work_starts_when_the_first_worker_is_ready():
    run = Run([50, 50, 50], ready=[0, 60])
    run.go()
    assert run.begun["gw0"][0] == "test_0"


def test_speedup_is_close_to_the_number_of_workers():
    steps = [1 + number % 12 for number in range(100)]
    takes = [each * (1 + number % 3 / 2) for number, each in enumerate(steps)]  # at most doubled
    assert sum(takes) / Run(takes, ready=[0] * 8, expected=named(steps)).go() > 7.6


def test_golden_steps_are_scaled_by_measured_seconds():
    """An overdue worker counts as about to be free, but its next test keeps its full weight."""
    steps = [4, 4, 4, 4, 4, 2, 2]
    takes = [10 * each for each in steps]
    assert Run(takes, ready=[0, 0, 0], expected=named(steps)).go() == 80


def test_test_of_dead_worker_is_repeated_and_its_queue_reassigned():
    run = Run([5, 5, 5, 5, 5, 5], ready=[0, 0], deaths={"gw0": 2})
    run.go()
    assert sorted(run.done) == run.tests
    assert "gw2" in run.begun


def test_only_unreported_tests_of_dead_worker_run_again():
    run = Run([5] * 6, ready=[0, 0], deaths={"gw0": 12}, unreported=[0])
    run.go()
    assert sorted(run.done) == sorted([*run.tests, "test_0"])
    assert "test_0" in run.begun["gw0"]


def test_test_that_killed_two_workers_is_given_up():
    run = Run([5], ready=[0], unreported=[0])
    for _ in range(2):
        run.go()
        (worker,) = run.scheduler.workers
        assert run.scheduler.ended(worker) is None
        run.start(0)
    run.go()
    assert run.done == ["test_0"] * 2


@pytest.mark.parametrize("late", [["test_0"], ["test_1", "test_0"], []])
def test_a_worker_with_another_collection_is_reported_and_gets_nothing(late):
    run = Run([1, 1], ready=[0, 9])
    first, second = run.workers
    assert run.collect(first) == ""
    difference = run.collect(second, late)
    assert "gw0 and gw1 collected different tests" in difference
    assert "-test_1" in difference
    assert second.given == []


def test_unassigned_tests_can_be_dropped():
    run = Run([1] * 9, ready=[0])
    (worker,) = run.workers
    run.collect(worker)
    run.scheduler.drop_rest()
    assert worker.given == [0, 1]
    run.scheduler.done(worker.name, 0, 1.0)
    assert run.scheduler.give(worker.name) == [WorkerSignal.END]
    assert run.scheduler.is_done


def test_closed_worker_gets_no_tests():
    run = Run([5] * 4, ready=[0, 0])
    first, second = run.workers
    run.scheduler.started(first.name)
    run.scheduler.close(first.name)
    run.collect(second)
    run.scheduler.collected(first.name, run.tests)
    run.give()
    assert first.given == []
    assert len(second.given) == 2


@settings(max_examples=40)
@given(
    takes=st.lists(st.integers(1, 30), min_size=1, max_size=30),
    ready=st.lists(st.integers(0, 20), min_size=1, max_size=5),
    data=st.data(),
)
def test_each_test_runs_exactly_once_in_random_schedules(takes, ready, data):
    weights = data.draw(st.dictionaries(st.integers(0, 40), st.integers(1, 9)))
    deaths = data.draw(
        st.dictionaries(st.sampled_from([f"gw{n}" for n in range(len(ready))]), st.integers(0, 60))
    )
    expected = {f"test_{number}": weight for number, weight in weights.items()}
    run = Run(takes, ready, expected, deaths)
    run.go()
    assert sorted(run.done) == sorted(run.tests)
    assert all(worker.most_in_hand <= 2 for worker in run.workers)


@settings(max_examples=40)
@given(takes=st.lists(st.integers(1, 30), min_size=1, max_size=40), workers=st.integers(1, 8))
def test_run_takes_at_most_optimum_plus_two_longest_tests(takes, workers):
    """The bound is that of Graham's list scheduling, plus one more task that waits."""
    best = max(sum(takes) / workers, *takes)
    assert Run(takes, [0] * workers, named(takes)).go() <= best + 2 * max(takes)


@settings(max_examples=40)
@given(
    takes=st.lists(st.integers(1, 30), min_size=1, max_size=30),
    ready=st.lists(st.integers(0, 20), min_size=1, max_size=5),
    data=st.data(),
)
def test_tests_that_wait_for_an_analysis_are_run_after_it_or_dropped(takes, ready, data):
    """`Stages` asserts what must be true at each interim analysis."""
    workers = [f"gw{n}" for n in range(len(ready))]
    deaths = data.draw(st.dictionaries(st.sampled_from(workers), st.integers(0, 60)))
    size = data.draw(st.integers(1, 10))
    dropped = data.draw(st.sets(st.integers(size, 40)))
    stages = Stages(size, dropped)
    stages.run = run = Run(takes, ready, {}, deaths, stages=stages)
    run.go()
    assert sorted(run.done) == sorted(set(run.tests) - stages.dropped)


SETS = {1: "a", 3: "a", 4: "a", 2: "b", 5: "b"}


def members(run: Run, name: str) -> list[str]:
    """Return the tests of a set that each worker started, in the order in which it started them."""
    wanted = {run.tests[number] for number, each in SETS.items() if each == name}
    begun = (" ".join(test for test in tests if test in wanted) for tests in run.begun.values())
    return [each for each in begun if each]


@settings(max_examples=40)
@given(
    takes=st.lists(st.integers(1, 9), min_size=6, max_size=12),
    ready=st.lists(st.integers(0, 9), min_size=1, max_size=4),
    weigh=st.booleans(),
)
def test_ordered_tests_run_in_order_on_one_worker(takes, ready, weigh):
    run = Run(takes, ready, named(takes) if weigh else None, sets=SETS)
    run.go()
    assert sorted(run.done) == sorted(run.tests)
    assert members(run, "a") == ["test_1 test_3 test_4"]
    assert members(run, "b") == ["test_2 test_5"]


@settings(max_examples=40)
@given(
    takes=st.lists(st.integers(1, 9), min_size=6, max_size=12),
    deaths=st.dictionaries(st.sampled_from(["gw0", "gw1", "gw2"]), st.integers(1, 30)),
)
def test_another_worker_continues_a_set_whose_worker_died(takes, deaths):
    run = Run(takes, [0, 1, 2], named(takes), deaths, sets=SETS)
    run.go()
    assert sorted(run.done) == sorted(run.tests)
    order = [test for test in run.done if test in {"test_1", "test_3", "test_4"}]
    assert order == ["test_1", "test_3", "test_4"]


def test_a_paused_worker_runs_the_tests_of_a_dead_one():
    stages = Stages(2, [])
    stages.run = run = Run([1, 9, 1, 1], [0, 0], deaths={"gw1": 5}, stages=stages)
    run.go()
    assert run.begun["gw0"] == ["test_0", "test_1", "test_2"]
