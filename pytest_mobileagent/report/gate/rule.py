"""The one test of a gate against a baseline: when it fails, and when it passes.

Two one-sided bounds of the difference, at looks that are fixed beforehand: FAIL where the upper one
is below the margin, PASS where the lower one is above what is allowed. docs/gate.md says what they
were chosen for, and how often they err.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

from pytest_mobileagent.report.gate.finding import FAIL, INCONCLUSIVE, PASS
from pytest_mobileagent.statistics import student_quantile

if TYPE_CHECKING:
    from pytest_mobileagent.report.comparison.pairing import Difference
    from pytest_mobileagent.report.gate.looks import Looks
    from pytest_mobileagent.report.gate.spec import Bound

ALPHA = 0.0125  # the chance of a false FAIL, of all bounds and looks together
BETA = 0.05  # the chance of a PASS of an agent that is worse by `allow`, of all looks together
FEWEST_TASKS = 8  # with fewer, t's tails are not to be relied on
# A drop of x that was not seen is taken to lie in tasks that fell by 3 x, or by so much at least:
# simulated gates on agents that lose a few kinds of tasks passed too often with less.
_LEAST_FALL, _FALLS = 0.15, 3


class Levels(NamedTuple):
    """How small a chance has to be at a look, for FAIL and for PASS."""

    fail: float
    passing: float


def levels(looks: Looks, look: int, count: int = 1) -> Levels:
    """Return the levels of a look, of a gate with `count` bounds against the baseline.

    Each bound may fail falsely at its part of the level; all have to pass, so that level stays.
    """
    return Levels(looks.levels(ALPHA)[look] / count, looks.even_levels(BETA)[look])


def rule(found: Difference, bound: Bound, levels: Levels) -> str:
    """Return the verdict on a difference; PASS and FAIL take at least eight tasks."""
    high, low = at_most(found, levels.fail), at_least(found, levels.passing)
    if high is None or low is None or found.tasks < FEWEST_TASKS:
        return INCONCLUSIVE
    if high < -bound.margin:
        return FAIL
    return PASS if low > -bound.allow else INCONCLUSIVE


def at_most(found: Difference, level: float) -> float | None:
    """Return what the true difference is above with a chance of `level` at most.

    The higher one of two bounds: by Student's t with the variance of the tasks' differences, and by
    the normal distribution with that of two runs which do each task with the same chance. The first
    alone is too low by chance where one run has few epochs, and the agent does nearly all tasks, or
    nearly none.
    """
    if found.value is None or found.spread is None:
        return None
    by_tasks = quantile(1 - level, found.tasks - 1) * math.sqrt(found.spread)
    by_epochs = NormalDist().inv_cdf(1 - level) * math.sqrt(found.pooled or 0.0)
    return found.value + max(by_tasks, by_epochs)


def at_least(found: Difference, level: float) -> float | None:
    """Return what the true difference is below with a chance of `level` at most.

    The bound lies x below what was found, with x = t · √(V + x · (1/N + f/T)): the variance is that
    of a run which is worse by x, as in Wilson's score interval (1927), and not that of the run at
    hand, which may have seen no failure at all. V is the variance of the mean of the tasks'
    differences; x more failures among N episodes add x/N to it, and f · x/T where they lie in tasks
    that fell by f: by 3 x, but not by less than 0.15, nor by more than 1.
    """
    if found.value is None or found.spread is None or not found.episodes:
        return None
    spread, tasks, t2 = found.spread, found.tasks, quantile(1 - level, found.tasks - 1) ** 2

    def root(square: float, fall: float) -> float:
        """Return the x of square · x² = t² · (V + x · (1/N + fall/T))."""
        half = t2 * (1 / found.episodes + fall / tasks) / 2
        return (half + math.sqrt(half * half + square * t2 * spread)) / square

    drop = root(1, _LEAST_FALL)
    if _FALLS * drop > _LEAST_FALL:
        square = 1 - t2 * _FALLS / tasks
        drop = root(square, 0) if square > 0 else math.inf
        drop = min(drop, root(1, 1)) if _FALLS * drop > 1 else drop
    return found.value - drop


def unseen(drop: float, found: Difference) -> float:
    """Return what a drop that was not seen adds to the variance of the mean (see `at_least`)."""
    fall = min(1.0, max(_LEAST_FALL, _FALLS * drop))
    return drop * (1 / found.episodes + fall / found.tasks)


@lru_cache(maxsize=1024)
def quantile(share: float, degrees: int) -> float:
    """Return what Student's t stays below with a chance of `share`."""
    return student_quantile(share, degrees)
