"""Measures the speed-up of 8 workers over one, with an agent that thinks for a second per step.

`python benchmarks/workers.py [WORKERS…]` (1 8) runs the 153 tasks of this project's suites with
each number of workers; one worker takes about twenty minutes. For the table of README.md, 8 workers
run all tasks, but one worker only runs `FEW`, from whose steps its time for all is estimated.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NamedTuple

from processes import Noted, run_noted
from start import PATHS
from thinking import SECONDS

FEW = ["tasks/clock"]


class Spent(NamedTuple):
    """The parts of a run's time, in seconds.

    - `wall`: the elapsed time, of which `start` is before the first task begins, and `end` after
      the last task has ended.
    - `thinking`: the total thinking time of all agents.
    - `processor`: the processor time of all processes.
    - `least`: the lower bound of the elapsed time with these workers and processors.
    """

    workers: int
    tasks: int
    done: int
    steps: int
    wall: float
    start: float
    end: float
    thinking: float
    processor: float

    @classmethod
    def of(cls, run: Noted, workers: int) -> Spent:
        """Return the parts of a measured run."""
        steps = sum(task["steps"] or 0 for task in run.tasks)
        done = sum(task["success"] is True for task in run.tasks)
        calls = steps + sum(task["termination"] == "self-reported" for task in run.tasks)
        return cls(
            workers, len(run.tasks), done, steps, run.seconds, run.first("task began"),
            run.seconds - run.last("task ended"), calls * SECONDS, run.processor,
        )  # fmt: skip

    @property
    def least(self) -> float:
        """The lower bound: the thinking divided by workers, or the computing by processors."""
        return max(self.thinking / self.workers, self.processor / (os.cpu_count() or 1))

    @property
    def working(self) -> float:
        """One worker's elapsed time per second of thinking, from the first task to the last."""
        return (self.wall - self.start - self.end) / self.thinking

    def __str__(self) -> str:
        rest = self.wall - self.start - self.end - self.thinking / self.workers
        return (
            f"{self.workers} workers: {self.wall:.1f} s for {self.tasks} tasks ({self.done} done) "
            f"in {self.steps} steps. By worker {self.thinking / self.workers:.1f} s of thinking "
            f"({self.thinking:.0f} s in all) and {rest:.1f} s of phones, checks and waiting for "
            f"both, beside {self.start:.1f} s before the first task and {self.end:.1f} s after the "
            f"last. Computing {self.processor:.0f} s, which {os.cpu_count()} processors do in "
            f"{self.processor / (os.cpu_count() or 1):.0f} s: at least {self.least:.0f} s."
        )


def measure(workers: int, paths: list[str] = PATHS) -> Spent:
    """Run tasks with a number of workers, and an agent that thinks."""
    agent = f"{Path(__file__).with_name('thinking.py')}:Thinking"
    return Spent.of(run_noted([*paths, f"--agent={agent}", "-n", str(workers)]), workers)


def main() -> None:
    """Print the measurements."""
    first = 0.0
    for workers in map(int, sys.argv[1:] or ("1", "8")):
        spent = measure(workers)
        first = first or spent.wall
        print(f"{spent} {first / spent.wall:.1f} times as fast.", flush=True)


if __name__ == "__main__":
    main()
