"""Many phones stepped together for training: `python benchmarks/rollouts.py [PHONES STEPS SUITE]`.

The learner taps at random on what can be clicked. Processor time is that of the learner and of the
phones' processes, so other programs on the machine disturb it little.
"""

from __future__ import annotations

import os
import random
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from processes import adopt_orphans

from pytest_mobileagent import Open, Tap
from pytest_mobileagent.rollout import MobileEnv, MobileVectorEnv, RolloutTask, load_tasks, phones

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.rollout import RolloutPhone
    from pytest_mobileagent.screen import Screen

DEFAULTS = ("32", "6", "tasks/settings")
FORKS = 20
_TICKS = os.sysconf("SC_CLK_TCK")
# As published, on other machines, with other phones and tasks; not measured here.
PUBLISHED = (
    "MobileGym's paper (2605.26114): 256 tasks in about 6 minutes; about 400 MB for each instance",
    "android_env's README: a real-time simulation, so an episode is never faster than real time",
    "B-MoCA's paper, on android_env: a step every 3 seconds",
)


class Spent(NamedTuple):
    """Seconds: elapsed, and of the processor in the learner and in the phones."""

    elapsed: float
    learner: float
    phones: float

    def __str__(self) -> str:
        return f"learner {1000 * self.learner:.1f} ms, phones {1000 * self.phones:.1f} ms"

    def per(self, count: int) -> Spent:
        """Return the time of one of `count`."""
        return Spent(*(each / count for each in self))


def descendants() -> list[int]:
    """Return the processes that this one has started, and those that they have."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            after_name = Path(folder, "stat").read_text("utf-8").rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        parents[int(folder.name)] = int(after_name[1])
    found = [os.getpid()]
    for parent in found:  # it grows meanwhile
        found += [each for each, its_parent in parents.items() if its_parent == parent]
    return found[1:]


def processor(process: int) -> float:
    """Return the processor time of a process in seconds."""
    stat = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(stat[11]) + int(stat[12])) / _TICKS


def memory(process: int) -> float:
    """Return the memory of a process in MB; what several share is divided among them."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text("utf-8").splitlines()
    (size,) = (line.split()[1] for line in lines if line.startswith("Pss:"))
    return int(size) / 1024


def measured(work: Callable[[], object]) -> Spent:
    """Return the time that work takes."""
    others = descendants()

    def now() -> Spent:
        return Spent(time.perf_counter(), time.process_time(), sum(map(processor, others)))

    before = now()
    work()
    return Spent(*(after - earlier for earlier, after in zip(before, now(), strict=True)))


def choose(screen: Screen, app: str, dice: random.Random) -> Action:
    """Return a tap on something that can be clicked, or open the app where nothing can."""
    found = [each for each in screen.find_all(clickable=True) if each.enabled]
    if screen.package != app or not found:
        return Open(app)
    return Tap(*dice.choice(found).bounds.center)


def vector(
    tasks: Sequence[RolloutTask], fleet: Sequence[RolloutPhone], steps: int, *, pictures: bool
) -> tuple[Spent, Spent]:
    """Return the time of a reset and of a step on one phone, while all phones work."""
    dice, app = random.Random(0), tasks[0].apps[0]
    with closing(MobileVectorEnv(tasks, fleet, sees="both" if pictures else "hierarchy")) as env:
        env.reset(seed=1)
        reset = measured(lambda: env.reset(seed=2)).per(len(fleet))
        _, info = env.reset(seed=3)
        screens = info["screen"]
        done = 0

        def play() -> None:
            nonlocal screens, done
            for _ in range(steps):
                *_, over, cut, info = env.step([choose(each, app, dice) for each in screens])
                screens, done = info["screen"], done + len(fleet)
                if (over | cut).any():
                    raise RuntimeError("an episode ended during the measurement")

        return reset, measured(play).per(steps * len(fleet))


def fork(task: RolloutTask, fleet: Sequence[RolloutPhone]) -> Spent:
    """Return the time of a fork on the neighbour in the same process."""
    with closing(MobileEnv(task, fleet[0])) as env:
        env.reset(seed=1)

        def work() -> None:
            for _ in range(FORKS):
                env.fork(fleet[1]).close()

        return measured(work).per(FORKS)


def main() -> None:
    """Print what is measured, and what others have published."""
    given = sys.argv[1:]
    phones_wanted, steps_wanted, suite = (*given, *DEFAULTS[len(given) :])
    count, steps = int(phones_wanted), int(steps_wanted)
    tasks = [task for task in load_tasks(suite) if not task.needs and task.step_limit > steps]
    adopt_orphans()
    with phones(count, per_process=count) as fleet:
        for pictures in (True, False):
            reset, step = vector(tasks, fleet, steps, pictures=pictures)
            what = "with pictures" if pictures else "without pictures"
            rate = 1 / (step.learner + step.phones)
            print(f"{count} phones {what}: a reset: {reset}")
            print(f"  a step: {step}; {rate:.1f} steps a second on one core")
        used = sum(map(memory, descendants()))
        print(f"memory of the phones: {used:.0f} MB, the learner's {memory(os.getpid()):.0f} MB")
        if count > 1:
            spent = fork(tasks[0], fleet)
            print(f"a fork: {spent}, {1000 * spent.elapsed:.1f} ms elapsed")
    print(*("published, " + each for each in PUBLISHED), sep="\n")


if __name__ == "__main__":
    main()
