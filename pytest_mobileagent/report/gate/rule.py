"""The one test of a gate against a baseline: when it fails, when it passes, and what it would take.

A paired t-test over tasks' differences (`comparison/pairing`), one-sided, at looks that are fixed
beforehand. docs/gate.md says what it was chosen for, and how often it errs.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

from pytest_mobileagent.report.gate.finding import FAIL, INCONCLUSIVE, PASS
from pytest_mobileagent.statistics import student_quantile

if TYPE_CHECKING:
    from pytest_mobileagent.report.comparison.pairing import Difference
    from pytest_mobileagent.report.gate.looks import Looks
    from pytest_mobileagent.report.gate.spec import Bound

ALPHA = 0.015  # the chance of a false FAIL, of all bounds and looks together
BETA = 0.05  # the chance of a PASS of an agent that is worse by `allow`, of all looks together
FEWEST_TASKS = 8  # with fewer, t's tails are not to be relied on
_POWER = 0.8
_NOISE = 0.12  # of runs without repetitions: p(1 - p) is 0.11 to 0.13 for most agents


class Levels(NamedTuple):
    """How small a chance has to be at a look, for FAIL and for PASS."""

    fail: float
    passing: float


def levels(looks: Looks, look: int, count: int = 1) -> Levels:
    """Return the levels of a look, of a gate with `count` bounds against the baseline.

    Each bound may fail falsely at its part of the level; all have to pass, so that level stays.
    """
    return Levels(looks.levels(ALPHA)[look] / count, BETA / len(looks.epochs))


def rule(found: Difference, bound: Bound, levels: Levels) -> str:
    """Return the verdict on a difference.

    FAIL if P(t <= (D + margin) / s) is at most the look's level: it is worse by more than the
    margin. PASS if P(t >= (D + allow) / s) is: a drop of `allow` is excluded. FAIL takes at least
    eight tasks.
    """
    worse, no_drop = found.chance_below(bound.margin), found.chance_above(bound.allow)
    if worse is None or no_drop is None:
        return INCONCLUSIVE
    if worse <= levels.fail and found.tasks >= FEWEST_TASKS:
        return FAIL
    return PASS if no_drop <= levels.passing else INCONCLUSIVE


def epochs_to_decide(
    found: Difference, bound: Bound, levels: Levels, noise: float | None, epochs: int
) -> int:
    """Return about how many epochs of both runs would decide what `epochs` left open.

    As many as tell a drop of `allow` from one of `margin` with a power of 80 %; `noise` is the mean
    of p(1 - p). Where that many were there, and the difference lies between the two: as many as
    decide if it stays as it is.
    """
    planned = planned_epochs(found.tasks, bound.allow - bound.margin, noise)
    if planned > epochs or found.value is None or not found.error:
        return planned
    sides = (
        (-found.value - bound.margin, levels.fail),
        (found.value + bound.allow, levels.passing),
    )
    ratios = [
        distance / found.error / student_quantile(1 - level, found.tasks - 1)
        for distance, level in sides
    ]
    return max(epochs + 1, math.ceil(epochs / max(ratios) ** 2))


def planned_epochs(tasks: int, drop: float, noise: float | None = None) -> int:
    """Return how many epochs of both runs show a drop (a share) with a power of 80 %.

    (z_0.985 + z_0.8)² · 2 · mean(p(1 - p)) / (tasks · drop²), rounded up.
    """
    z = NormalDist().inv_cdf(1 - ALPHA) + NormalDist().inv_cdf(_POWER)
    noise = _NOISE if noise is None else noise
    return max(1, math.ceil(z * z * 2 * noise / (tasks * drop * drop)))
