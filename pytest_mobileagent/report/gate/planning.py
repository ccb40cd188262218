"""What it would take to decide what a gate left open: more epochs, or more tasks."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING

from pytest_mobileagent.report.gate.rule import ALPHA, FEWEST_TASKS, fall, quantile, unseen

if TYPE_CHECKING:
    from pytest_mobileagent.report.comparison.pairing import Difference
    from pytest_mobileagent.report.gate.rule import Levels
    from pytest_mobileagent.report.gate.spec import Bound

MOST_EPOCHS = 100  # more than that nobody runs, and no estimate of so many is to be relied on
_POWER = 0.8
_BOTH = NormalDist().inv_cdf(1 - ALPHA) + NormalDist().inv_cdf(_POWER)
_NOISE = 0.12  # of runs without repetitions: p(1 - p) is 0.11 to 0.13 for most agents


def epochs_to_decide(
    found: Difference, bound: Bound, levels: Levels, noise: float, epochs: float
) -> int | None:
    """Return about how many epochs of both runs would decide what `epochs` left open.

    As many as decide if the difference stays as it is, or as tell a drop of `allow` from one of
    `margin` with a power of 80 %, whichever are fewer. `noise` is the mean of p(1 - p). Epochs make
    only that part of the tasks' spread smaller which is chance: None where the rest is too large,
    as of a few tasks that one run always does and the other one never.
    """
    if found.value is None or found.spread is None:
        return None
    chance = 2 * noise / found.tasks  # in the variance of one epoch of both
    rest = max(0.0, found.spread - chance / epochs)
    drop, rise = found.value + bound.allow, -found.value - bound.margin
    t_fail, t_pass = (quantile(1 - level, found.tasks - 1) for level in levels)
    needs = [
        _ratio(chance, (rise / t_fail) ** 2 - rest) if rise > 0 else None,
        _ratio(chance, ((bound.allow - bound.margin) / _BOTH) ** 2 - rest),
    ]
    if drop > 0:
        room = (drop / t_pass) ** 2 - rest - drop * fall(bound) / found.tasks
        needs.append(_ratio(chance + drop / found.tasks, room))
    known = [max(round(epochs) + 1, math.ceil(each)) for each in needs if each is not None]
    return min(known) if known and min(known) <= MOST_EPOCHS else None


def tasks_to_decide(found: Difference, bound: Bound, levels: Levels) -> int | None:
    """Return about how many tasks like those at hand would decide, with as many epochs.

    As many as decide if the difference stays as it is, or as tell a drop of `allow` from one of
    `margin` with a power of 80 %, whichever are fewer.
    """
    if found.value is None or found.spread is None or not found.episodes:
        return None
    of_one = found.spread * found.tasks
    drop, rise = found.value + bound.allow, -found.value - bound.margin
    t_fail, t_pass = (quantile(1 - level, found.tasks - 1) for level in levels)
    needs = [(_BOTH / (bound.allow - bound.margin)) ** 2 * of_one]
    if rise > 0:
        needs.append((t_fail / rise) ** 2 * of_one)
    if drop > 0:
        needs.append((t_pass / drop) ** 2 * (of_one + drop * found.tasks * unseen(found, bound)))
    more = [each for each in needs if each > found.tasks]
    return max(FEWEST_TASKS, math.ceil(min(more, default=found.tasks + 1)))


def planned_epochs(tasks: int, drop: float, noise: float = _NOISE) -> int:
    """Return how many epochs of both runs show a drop (a share) with a power of 80 %.

    (z_0.9875 + z_0.8)² · 2 · mean(p(1 - p)) / (tasks · drop²), rounded up.
    """
    return max(1, math.ceil(_BOTH**2 * 2 * noise / (tasks * drop * drop)))


def _ratio(over: float, under: float) -> float | None:
    return over / under if under > 0 else None
