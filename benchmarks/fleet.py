"""Simulates the scheduler with 10,000 tasks and 500 phones, without phones and in virtual time.

Episodes take about as long as in an earlier run. Some unpredictably take three times as long
(stragglers), and some kill their worker half-way, which is replaced, and are run again. The
scheduler is the plugin's (`engine/scheduler.py`); workers start a test when they know the next one,
as the workers of both engines do. The lower bound of the makespan is the longest episode, or the
total work divided by the number of phones, whichever is greater.
"""

from __future__ import annotations

import heapq
import random
import sys
import time
from dataclasses import dataclass, field
from typing import Any

from pytest_mobileagent.plugin.engine.scheduler import Scheduler, WorkerSignal

TASKS, PHONES = 10_000, 500
STRAGGLERS, FAILURES = 0.02, 0.02  # shares of the episodes
SLOWER = 3.0  # how much longer a straggler takes, such as an episode that reaches the time limit
RESTART = 10.0  # seconds until a replacement worker has collected the tests


@dataclass
class Worker:
    """A worker, which runs a test when it knows the next one, or that there is none."""

    name: str
    queue: list[int | WorkerSignal] = field(default_factory=list)
    running: int | None = None

    def begins(self) -> int | None:
        """Return the test that the worker starts now, or None."""
        if self.running is None and len(self.queue) > 1:
            test = self.queue.pop(0)
            assert not isinstance(test, WorkerSignal)
            self.running = test
            return test
        return None


class Fleet:
    """A run on simulated phones."""

    def __init__(self, tasks: int, phones: int, seed: int) -> None:
        draw = random.Random(seed)
        self._draw = draw
        self.names = [f"task{number}" for number in range(tasks)]
        expected = {name: 60.0 * draw.lognormvariate(0, 0.6) for name in self.names}
        slower = [SLOWER if draw.random() < STRAGGLERS else 1.0 for _ in self.names]
        self.seconds = [
            expected[name] * draw.lognormvariate(0, 0.1) * factor
            for name, factor in zip(self.names, slower, strict=True)
        ]
        self.breaks = {n for n in range(tasks) if draw.random() < FAILURES}
        self.now = self.work = self.longest = self.scheduling = 0.0
        self.done: list[int] = []
        self._events: list[tuple[float, int, Worker, str]] = []
        self._count = 0
        self._phones = phones
        self._workers: dict[str, Worker] = {}
        self.scheduler = Scheduler(phones, lambda: expected, lambda: self.now)

    def run(self) -> float:
        """Run all tasks, and return the seconds that they would have taken."""
        for number in range(self._phones):
            self._start(f"gw{number}", after=0.0)
        while self._events:
            self.now, _, worker, what = heapq.heappop(self._events)
            getattr(self, what)(worker)
        return self.now

    def _start(self, name: str, after: float) -> None:
        worker = self._workers[name] = Worker(name)
        self._call("started", name)
        self._at(self.now + after, worker, "_collected")

    def _at(self, when: float, worker: Worker, what: str) -> None:
        self._count += 1
        heapq.heappush(self._events, (when, self._count, worker, what))

    def _call(self, name: str, *arguments: Any) -> Any:
        begun = time.process_time()
        given = getattr(self.scheduler, name)(*arguments)
        self.scheduling += time.process_time() - begun
        return given

    def _give(self, *workers: Worker) -> None:
        for worker in workers or self._workers.values():
            worker.queue += self._call("give", worker.name)

    def _collected(self, worker: Worker) -> None:
        self._call("collected", worker.name, self.names)
        self._give()
        self._go_on()

    def _go_on(self) -> None:
        for worker in self._workers.values():
            if (test := worker.begins()) is not None:
                is_broken = test in self.breaks
                seconds = self.seconds[test] * (0.5 if is_broken else 1.0)
                self.work += seconds
                self.longest = max(self.longest, seconds)
                self._at(self.now + seconds, worker, "_broke" if is_broken else "_did")

    def _did(self, worker: Worker) -> None:
        test, worker.running = worker.running, None
        assert test is not None
        self.done.append(test)
        self._call("done", worker.name, test, self.seconds[test])
        self._give(worker)
        self._go_on()

    def _broke(self, worker: Worker) -> None:
        assert worker.running is not None
        self.breaks.remove(worker.running)
        del self._workers[worker.name]
        self._call("again", self._call("ended", worker.name))
        self._start(f"{worker.name}'", after=RESTART)
        self._give()
        self._go_on()


def main(tasks: int = TASKS, phones: int = PHONES) -> None:
    """Simulate some runs, and print the slowest."""
    for seed in range(3):
        fleet = Fleet(tasks, phones, seed)
        taken = fleet.run()
        assert sorted(fleet.done) == list(range(tasks)), "a task was lost, or done twice"
        limit = max(fleet.longest, fleet.work / phones)
        each = 1000 * fleet.scheduling / tasks
        sys.stdout.write(
            f"{tasks} tasks, {phones} phones: {taken:.0f} s, {taken / limit:.3f} of the limit "
            f"({limit:.0f} s); {each:.2f} ms of scheduling a task\n"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
