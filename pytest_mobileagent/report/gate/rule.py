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
# What was not seen of a drop is taken to lie in tasks that fell by three times what is allowed, in
# these limits: simulated gates on agents that lose a few kinds of tasks passed too often with less.
_FALLS, _LEAST_FALL, _MOST_FALL = 3, 0.15, 0.3


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
    high, low = at_most(found, levels.fail), at_least(found, bound, levels.passing)
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


def at_least(found: Difference, bound: Bound, level: float) -> float | None:
    """Return what the true difference is below with a chance of `level` at most.

    The limit lies x below what was found, with x = t · √(V + x · (1/N + f/T)): the variance is that
    of a run which is worse by x, as in Wilson's score interval (1927), and not that of the run at
    hand, which may have seen no failure at all. V is the variance of the mean of the tasks'
    differences; x more failures among N episodes add x/N to it, and f · x/T where they lie in tasks
    that fell by f, which is three times what the bound allows, from 0.15 to 0.3.
    """
    if found.value is None or found.spread is None or not found.episodes:
        return None
    t2 = quantile(1 - level, found.tasks - 1) ** 2
    half = t2 * unseen(found, bound) / 2
    return found.value - half - math.sqrt(half * half + t2 * found.spread)


def unseen(found: Difference, bound: Bound) -> float:
    """Return what a drop that was not seen adds to the variance of the mean, by its size."""
    return 1 / found.episodes + fall(bound) / found.tasks


def fall(bound: Bound) -> float:
    """Return by how much those tasks are taken to have fallen in which a drop was not seen."""
    return min(_MOST_FALL, max(_LEAST_FALL, _FALLS * bound.allow))


@lru_cache(maxsize=1024)
def quantile(share: float, degrees: int) -> float:
    """Return what Student's t stays below with a chance of `share`."""
    return student_quantile(share, degrees)
