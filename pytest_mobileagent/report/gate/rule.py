"""The statistical test of a gate against a baseline, with interim analyses.

The test uses two one-sided bounds of the difference: FAIL if the upper bound is below the margin,
PASS if the lower bound is above the allowed drop. docs/gate.md has the reasons, and error rates.

Interim analyses are planned before the run. A gate that fails at the first bad one of several
analyses would fail unchanged agents more often than a single analysis does. Each analysis therefore
spends a part of the probability of a false FAIL, by the Pocock-type spending function of Lan and
DeMets (Biometrika 70, 1983), with the epochs as information.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, replace
from functools import cache, lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_mobileagent.report.gate.these_tasks import chance
from pytest_mobileagent.statistics import student_quantile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_mobileagent.report.comparison.pairing import Difference
    from pytest_mobileagent.report.gate.spec import Bound
    from pytest_mobileagent.report.gate.these_tasks import Strata


PASS, FAIL, INCONCLUSIVE = "PASS", "FAIL", "INCONCLUSIVE"
MOST_MISSING = 0.1  # share of the episodes; a run that lacks more cannot be judged


@dataclass(frozen=True, slots=True)
class GateFinding:
    """A verdict on a bound; without a `bound`, on the tasks that must pass or on missing episodes.

    - `words`: the explanation, in one line.
    - `numbers`: the numbers that the verdict is based on, as plain data.
    - `analysis`: the number (from 0) of the interim analysis that gave the verdict.
    - `may_change`: whether more epochs may decide the bound.
    - `broken`: whether infrastructure failures are to blame for the missing episodes.
    """

    verdict: str
    words: str
    numbers: Mapping[str, Any] = field(default_factory=dict)
    bound: Bound | None = None
    analysis: int = 0
    may_change: bool = False
    broken: bool = False

    def to_wire(self) -> dict[str, Any]:
        """Return the finding as plain data: an item of `gate.bounds` in report.json."""
        bound = asdict(self.bound) if self.bound is not None else {}
        result = {"verdict": self.verdict, "words": self.words, "look": self.analysis + 1}
        return {**bound, **result, **self.numbers}


ALPHA = 0.0125  # the probability of a false FAIL, over all bounds and analyses together
BETA = 0.05  # the probability of a PASS for an agent that is worse by `allow`, over all analyses
FEWEST_TASKS = 8  # with fewer, the tails of Student's t are unreliable
_LEAST_CORRELATION = 0.15  # with less, simulated gates too often passed agents that lose few tasks


class Levels(NamedTuple):
    """The one-sided levels of an analysis, for FAIL and for PASS."""

    fail: float
    passing: float


def levels(analyses: InterimAnalyses, analysis: int, count: int = 1) -> Levels:
    """Return the levels of an interim analysis for a gate with `count` bounds against a baseline.

    The level of a false FAIL is shared by the bounds; that of a false PASS is not: all must pass.
    """
    return Levels(analyses.levels(ALPHA)[analysis] / count, analyses.even_levels(BETA)[analysis])


def rule(found: Difference, bound: Bound, levels: Levels, tasks: Strata) -> str:
    """Return the verdict on a difference, of which `tasks` are the strata.

    A PASS needs at least eight tasks, and so does a FAIL about tasks like these.
    """
    low, is_enough = at_least(found, bound, levels.passing), found.tasks >= FEWEST_TASKS
    if bound.is_about_these_tasks:
        if chance(tasks, bound.margin) <= levels.fail:
            return FAIL
    elif is_enough and (high := at_most(found, levels.fail)) is not None and high < -bound.margin:
        return FAIL
    return PASS if is_enough and low is not None and low > -bound.allow else INCONCLUSIVE


def at_most(found: Difference, level: float) -> float | None:
    """Return an upper bound: the true difference exceeds it with a probability of at most `level`.

    It is the higher of two bounds: one uses Student's t and the variance of the tasks' differences,
    the other the normal distribution and the variance of two runs that pass each task with the same
    probability. The first one alone may be too low by chance if a run has few epochs and the agent
    passes nearly all tasks, or nearly none.
    """
    if found.value is None or found.spread is None:
        return None
    by_tasks = quantile(1 - level, found.tasks - 1) * math.sqrt(found.spread)
    by_epochs = NormalDist().inv_cdf(1 - level) * math.sqrt(found.pooled or 0.0)
    return found.value + max(by_tasks, by_epochs)


def at_least(found: Difference, bound: Bound, level: float) -> float | None:
    """Return a lower bound: the true difference is below it with a probability of at most `level`.

    The bound lies x below the observed difference, with x = t · √(V + x/M). As in Wilson's score
    interval (1927), the variance is that of a run that is worse by x, since the observed run may
    not have a single failure. V is the variance of the mean of the tasks' differences. A share x of
    failures among M independent observations adds x/M to it (see `unseen`).
    """
    if found.value is None or found.spread is None or not found.episodes:
        return None
    t2 = quantile(1 - level, found.tasks - 1) ** 2
    half = t2 * unseen(found, bound) / 2
    return found.value - half - math.sqrt(half * half + t2 * found.spread)


def unseen(found: Difference, bound: Bound) -> float:
    """Return the variance that a drop adds to the mean if no episode has shown it, per unit of it.

    It is 1/M: N episodes of T tasks with a correlation r of the epochs of a task are worth M
    independent observations, 1/M = (1 - r)/N + r/T. A deterministic agent has r = 1.
    """
    shared = correlation(found, bound)
    return (1 - shared) / found.episodes + shared / found.tasks


def correlation(found: Difference, bound: Bound) -> float:
    """Return the correlation of the epochs of a task within a run, at least 0.15.

    It is 1 - W/B: W is the variance of epochs of the same run, and B that of epochs of both. An
    unseen drop of `allow` that loses whole tasks would add half of it to B. So the correlation is 1
    if all epochs of each task are equal: nothing then says that they are independent.
    """
    between = found.between + bound.allow / 2
    return min(1.0, max(_LEAST_CORRELATION, 1 - found.within / between))


@lru_cache(maxsize=1024)
def quantile(share: float, degrees: int) -> float:
    """Return the quantile of Student's t for a probability of `share`."""
    return student_quantile(share, degrees)


MOST_EPOCHS = 100  # more are impractical, and estimates that large are unreliable
_POWER = 0.8
_BOTH = NormalDist().inv_cdf(1 - ALPHA) + NormalDist().inv_cdf(_POWER)


def epochs_to_decide(
    found: Difference, bound: Bound, levels: Levels, noise: float, epochs: float
) -> int | None:
    """Return the estimated epochs of both runs that would decide what `epochs` left open.

    It is the smaller of two numbers: the epochs that decide if the difference stays as it is, and
    the epochs that distinguish a drop of `allow` from one of `margin` with a power of 80 %. `noise`
    is the mean of p(1 - p). More epochs reduce only the random part of the tasks' spread; the
    result is None if the rest is too large, for example if one run alone always passes some tasks.
    """
    if found.value is None or found.spread is None:
        return None
    noisy = 2 * noise / found.tasks  # in the variance of one epoch of both
    rest = max(0.0, found.spread - noisy / epochs)
    drop, rise = found.value + bound.allow, -found.value - bound.margin
    t_fail, t_pass = (quantile(1 - level, found.tasks - 1) for level in levels)
    needs = []
    if rise > 0:
        needs.append(_ratio(noisy, (rise / t_fail) ** 2 - rest * (not bound.is_about_these_tasks)))
    if found.within:  # with equal epochs, more of them say nothing new
        needs.append(_ratio(noisy, ((bound.allow - bound.margin) / _BOTH) ** 2 - rest))
    if drop > 0:
        shared = correlation(found, bound)
        room = (drop / t_pass) ** 2 - rest - drop * shared / found.tasks
        needs.append(_ratio(noisy + drop * (1 - shared) / found.tasks, room))
    known = [max(round(epochs) + 1, math.ceil(each)) for each in needs if each is not None]
    return min(known) if known and min(known) <= MOST_EPOCHS else None


_UNLIKELY = 2.0  # standard deviations


def may_decide(
    found: Difference, bound: Bound, later: Levels, noise: float, epochs: tuple[float, int, int]
) -> bool:
    """Return whether a later analysis may decide what is still open, by chance and at its levels.

    `noise` is the mean of p(1 - p); `epochs` are those of the baseline, of the run now, and then.
    The difference is expected to stay as it is, within two standard deviations of what the further
    epochs may add (stochastic curtailment: Lan, Simon and Halperin, Sequential Analysis 1, 1982).
    Ending a run early in this way cannot cause a FAIL or a PASS.
    """
    if found.value is None or found.spread is None:
        return True  # a single task
    before, now, then = epochs
    noise += 1 / found.episodes  # what was never seen may happen once
    change = noise * (1 / now - 1 / then) / found.tasks
    least, most = (found.value + sign * _UNLIKELY * math.sqrt(change) for sign in (-1, 1))
    spread, pooled = max(0.0, found.spread - change), noise * (1 / before + 1 / then) / found.tasks
    count = int(found.tasks * min(before, then))
    best = replace(found, value=most, spread=spread, episodes=max(count, 1))
    low = at_least(best, bound, later.passing)
    if found.tasks >= FEWEST_TASKS and low is not None and low > -bound.allow:
        return True
    seen = 0.0 if bound.is_about_these_tasks else spread
    high = at_most(replace(found, value=least, spread=seen, pooled=pooled), later.fail)
    return high is not None and high < -bound.margin


def tasks_to_decide(found: Difference, bound: Bound, levels: Levels) -> int | None:
    """Return the estimated number of similar tasks, with as many epochs, that would decide.

    It is the smaller of two numbers: the tasks that decide if the difference stays as it is, and
    the tasks that distinguish a drop of `allow` from one of `margin` with a power of 80 %.
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


def _ratio(over: float, under: float) -> float | None:
    return over / under if under > 0 else None


_NORMAL = NormalDist()
_FAR = 8.0  # standard deviations; the probability beyond is negligible
_INTERVALS = 240  # of Simpson's rule, which makes levels exact to more than six digits
_HALVINGS = 60


@dataclass(frozen=True, slots=True)
class InterimAnalyses:
    """The numbers of epochs after which a gate analyses a run: planned, from 1, increasing."""

    epochs: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.epochs or list(self.epochs) != sorted({*self.epochs}) or self.epochs[0] < 1:
            msg = f"interim analyses need increasing numbers of epochs from 1, not {self.epochs}"
            raise ValueError(msg)

    def levels(self, alpha: float) -> tuple[float, ...]:
        """Return the one-sided nominal level of each analysis; their overall level is `alpha`."""
        return _levels(self.epochs, alpha, _pocock)

    def even_levels(self, alpha: float) -> tuple[float, ...]:
        """Return the levels that spend an equal part of `alpha` in each epoch.

        This is the power family of Kim and DeMets (Biometrika 74, 1987) with exponent 1.
        """
        return _levels(self.epochs, alpha, _evenly)


def interim_analyses(least: int, most: int) -> InterimAnalyses:
    """Return the analyses of `--mobile-epochs=least..most`; a single one if both are equal."""
    return InterimAnalyses(tuple(sorted({least, math.isqrt(least * most), most})))


def _pocock(time: float) -> float:
    return math.log1p((math.e - 1) * time)


def _evenly(time: float) -> float:
    return time


@cache
def _levels(
    epochs: tuple[int, ...], alpha: float, spending: Callable[[float], float]
) -> tuple[float, ...]:
    times = [epoch / epochs[-1] for epoch in epochs]
    spent = [alpha * spending(time) for time in times]
    levels = [spent[0]]
    bound = _NORMAL.inv_cdf(1 - spent[0]) * math.sqrt(times[0])
    deviation = math.sqrt(times[0])
    walk = _Walk.first(deviation, bound)
    for analysis in range(1, len(times)):
        step = math.sqrt(times[analysis] - times[analysis - 1])
        bound = walk.bound(step, spent[analysis] - spent[analysis - 1], math.sqrt(times[analysis]))
        levels.append(_NORMAL.cdf(-bound / math.sqrt(times[analysis])))
        if analysis + 1 < len(times):
            walk = walk.after(step, bound, math.sqrt(times[analysis]))
    return tuple(levels)


@dataclass(frozen=True, slots=True)
class _Walk:
    """The density of a Brownian motion that has not crossed a bound yet, at discrete points."""

    points: Sequence[float]
    chances: Sequence[float]

    @classmethod
    def first(cls, deviation: float, bound: float) -> _Walk:
        return cls._of(NormalDist(0, deviation).pdf, -_FAR * deviation, bound)

    @classmethod
    def _of(cls, density: Callable[[float], float], low: float, high: float) -> _Walk:
        width = (high - low) / _INTERVALS
        points = [low + width * i for i in range(_INTERVALS + 1)]
        weights = [4 if i % 2 else 2 for i in range(_INTERVALS + 1)]
        weights[0] = weights[-1] = 1
        chances = [w * width / 3 * density(p) for w, p in zip(weights, points, strict=True)]
        return cls(points, chances)

    def beyond(self, bound: float, step: float) -> float:
        """Return the probability of being beyond the bound after a step of this deviation."""
        each = zip(self.points, self.chances, strict=True)
        return math.fsum(chance * _NORMAL.cdf((point - bound) / step) for point, chance in each)

    def bound(self, step: float, chance: float, deviation: float) -> float:
        """Return the bound that the walk crosses with probability `chance` after a step."""
        low, high = 0.0, _FAR * deviation
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.beyond(middle, step) > chance else (low, middle)
        return high

    def after(self, step: float, bound: float, deviation: float) -> _Walk:
        """Return the walk after a step, given that it has not crossed the bound."""
        noise = NormalDist(0, step)
        each = list(zip(self.points, self.chances, strict=True))

        def density(place: float) -> float:
            return math.fsum(chance * noise.pdf(place - point) for point, chance in each)

        return self._of(density, -_FAR * deviation, bound)
