"""The test of whether an agent does the tasks of two runs less often: stratified by task.

A task that passed in ten of ten epochs and now in none is lost, however many other tasks there are.
The chance of such a difference depends only on the epochs of each task, so the tasks are strata and
not a sample. If no rate had changed, the passes of a task would be spread over the epochs of both
runs at random: the exact form of the Cochran-Mantel-Haenszel test, with the weights of the mean. If
a drop is tolerated, it is taken to lie where it explains the results best: the rates are those of
greatest likelihood with a mean drop of this size and no task that improved, and the variance has
the correction of Miettinen and Nurminen (Statistics in Medicine 4, 1985).
"""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pytest_mobileagent.report.comparison.pairing import common
from pytest_mobileagent.statistics import Part, hypergeometric, lower_tail

if TYPE_CHECKING:
    from pytest_mobileagent.report.comparison.pairing import Tallies, Tally

_HALVINGS = 40
_STEPS = 16  # of the search for a bound, which is printed with one decimal place


class Stratum(NamedTuple):
    """The passes and epochs of a task, in the baseline and in the run, and its weight."""

    before: int
    epochs_before: int
    after: int
    epochs: int
    weight: float

    @property
    def difference(self) -> float:
        """The difference of the shares that passed, as its part of the mean."""
        return self.weight * (self.after / self.epochs - self.before / self.epochs_before)


Strata = tuple[tuple[Stratum, int], ...]  # equal ones once, with their number


def strata(before: Tallies, after: Tallies) -> Strata:
    """Return the common tasks of two runs as strata; environments of a task share its weight."""
    keys = common(before, after)
    places = Counter(key[0] for key in keys)
    counted = Counter(
        Stratum(
            before[key].passed, before[key].decided, after[key].passed, after[key].decided,
            1 / (len(places) * places[key[0]]),
        )
        for key in keys
    )  # fmt: skip
    return tuple(counted.items())


@lru_cache(maxsize=64)
def chance(tasks: Strata, drop: float) -> float:
    """Return the probability of this mean difference, or a lower one, if the mean drop is `drop`.

    It is 1 unless the mean difference is below -`drop`, and not less than without a drop. A
    negative `drop` is a rise.
    """
    value = sum(count * task.difference for task, count in tasks)
    if value >= -drop:
        return 1.0
    parts: list[tuple[Part, int]] = []
    step = math.inf
    for (task, count), (p, q) in zip(tasks, _rates(tasks, drop), strict=True):
        of_task, own = _parts(task, p, q)
        parts += [(part, count) for part in of_task]
        step = min(step, own)
    found = lower_tail(parts, value, 0.0 if math.isinf(step) else step)
    return max(found, chance(tasks, 0.0)) if drop > 0 else found


def highest(tasks: Strata, level: float) -> float:
    """Return an upper bound of the mean difference, which is exceeded with a chance of `level`."""
    low, high = sum(count * task.difference for task, count in tasks), 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if chance(tasks, -middle) > level else (low, middle)
    return high


def chance_of_loss(before: Tally, after: Tally) -> float:
    """Return the chance that so few of a task's passes are in the run (Fisher's exact test)."""
    part = hypergeometric(before.passed + after.passed, after.decided, before.decided)
    return math.fsum(chance for count, chance in part if count <= after.passed)


def _rates(tasks: Strata, drop: float) -> list[tuple[float, float]]:
    """Return each task's rates in both runs: of greatest likelihood with this mean drop.

    With a multiplier c, p solves x/p - (m - x)/(1 - p) = c and q solves y/q - (n - y)/(1 - q) = -c.
    """

    def rates(multiplier: float) -> list[tuple[float, float]]:
        return [_of_task(task, multiplier * task.weight, rise=drop < 0) for task, _ in tasks]

    if drop == 0:
        return rates(math.inf)
    low, high = -30.0, 60.0  # logarithms
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        found = sum(
            count * task.weight * (p - q)
            for (task, count), (p, q) in zip(tasks, rates(math.exp(middle)), strict=True)
        )
        low, high = (middle, high) if found > drop else (low, middle)
    return rates(math.exp(low))


def _of_task(task: Stratum, c: float, *, rise: bool) -> tuple[float, float]:
    x, m, y, n, _ = task
    pooled = (x + y) / (m + n)
    if math.isinf(c):
        return pooled, pooled
    p = 2 * x / (c + m + math.sqrt(max(0.0, (c + m) ** 2 - 4 * c * x))) if x else 0.0
    root = math.sqrt((c - n) ** 2 + 4 * c * y)
    q = 2 * y / (n - c + root) if c < n else (c - n + root) / (2 * c)
    return (pooled, pooled) if (p > q if rise else p < q) else (p, q)


def _parts(task: Stratum, p: float, q: float) -> tuple[list[Part], float]:
    """Return the distributions whose sum is the task's difference, and the step between values."""
    x, m, y, n, weight = task
    if p == q:
        if x + y in {0, m + n}:
            return [], math.inf
        step = weight * (1 / n + 1 / m)
        least = -weight * (x + y) / m
        part = tuple((least + step * k, chance) for k, chance in hypergeometric(x + y, n, m))
        return [part], step
    wider = math.sqrt((m + n) / (m + n - 1))
    parts = [
        tuple((size * (rate + wider * (k / trials - rate)), chance) for k, chance in each)
        for size, rate, trials, each in (
            (-weight, p, m, _binomial(m, p)),
            (weight, q, n, _binomial(n, q)),
        )
    ]
    return parts, weight * wider / (n if len(parts[0]) == 1 else math.lcm(m, n))


def _binomial(n: int, p: float) -> Part:
    if p in {0.0, 1.0}:
        return ((n * p, 1.0),)
    return tuple((k, math.comb(n, k) * p**k * (1 - p) ** (n - k)) for k in range(n + 1))
