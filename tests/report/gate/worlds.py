"""Simulated agents with known success probabilities, and the gate's decisions about them.

They are used by the tests and by `benchmarks/gate.py`, which prints the tables of
docs/gate-errors.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_mobileagent.report.comparison.pairing import Difference
from pytest_mobileagent.report.gate.rule import FAIL, INCONCLUSIVE, PASS, levels, rule
from pytest_mobileagent.report.gate.spec import THESE_TASKS, Bound
from pytest_mobileagent.report.gate.these_tasks import Strata, Stratum

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.report.gate.rule import InterimAnalyses

    Numbers = np.ndarray[Any, np.dtype[Any]]

# Distributions of success probabilities over tasks: shares of the tasks, each with a probability or
# the parameters of a beta distribution.
SHAPES: dict[str, tuple[tuple[float, float | tuple[float, float]], ...]] = {
    "u-shaped": ((1, (0.46, 0.46)),),  # mean p(1 - p) is 0.12, as of real agents
    "middling": ((1, (2.0, 2.0)),),
    "good": ((1, (4.0, 0.5)),),
    "weak": ((1, (0.5, 2.0)),),
    "70 % at 0.99, 30 % at 0.02": ((0.7, 0.99), (0.3, 0.02)),
    "20 % at 0.99, 80 % at 0.02": ((0.2, 0.99), (0.8, 0.02)),
    "80 % at 1, 20 % at 0.5": ((0.8, 1.0), (0.2, 0.5)),
    "90 % at 1, 10 % at 0.5": ((0.9, 1.0), (0.1, 0.5)),
    "85 % at 1, 15 % at 0.7": ((0.85, 1.0), (0.15, 0.7)),
    **{f"all at {chance:g}": ((1, chance),) for chance in (0.1, 0.3, 0.5, 0.8, 0.9, 0.95, 0.98, 1)},
}
_MANY = 40_000  # the number of tasks over which a world's mean drop is calibrated
_AT_ONCE = 1000  # the number of runs that are simulated together


@dataclass(frozen=True, slots=True)
class World:
    """A model of agents: each run draws its tasks' success probabilities from a shape.

    - `drop`: the mean difference between baseline and candidate, which is the same for all tasks on
      the logit scale.
    - `drift`: the standard deviation, on the logit scale, by which each task changes; the mean drop
      is preserved.
    - `day`: the standard deviation, on the logit scale, of a whole run.
    - `equal`: the correlation of the epochs of a task within a run; with 1, they are all equal.
    """

    tasks: int
    drop: float = 0.0
    shape: str = "u-shaped"
    drift: float = 0.0
    day: float = 0.0
    equal: float = 0.0

    def chances(self, random: np.random.Generator, runs: int) -> tuple[Numbers, Numbers]:
        """Return the success probabilities of baseline and candidate for each task and run."""
        size = (runs, self.tasks)
        logits = _logit(_drawn(self.shape, random, size))
        changed = logits + random.normal(0, self.drift, size) if self.drift else logits
        changed = changed - _shift(self.shape, self.drop, self.drift)
        days = random.normal(0, self.day, (2, runs, 1))
        return _chance(logits + days[0]), _chance(changed + days[1])


@dataclass(frozen=True, slots=True)
class Rates:
    """The gate's decisions, in shares of all runs, and the mean number of epochs."""

    fail: float
    passing: float
    epochs: float


def simulate(
    world: World,
    analyses: InterimAnalyses,
    runs: int,
    margin: float = 0.02,
    *,
    allow: float = 0.05,
    baseline: int | None = None,
    scope: str = THESE_TASKS,
    drawn: bool = False,
    seed: int = 1,
) -> Rates:
    """Return the gate's decisions for many runs of a world.

    The baseline has `baseline` epochs at each interim analysis; by default, as many as the last
    analysis. With `drawn`, only errors about the drawn tasks count: a PASS if the agent is worse by
    `allow` on them, and a FAIL if it is not worse than by `margin`.
    """
    random = np.random.default_rng(seed)
    bound = Bound("success_rate", baseline=True, margin=margin, allow=allow, scope=scope)
    most, before = analyses.epochs[-1], baseline or analyses.epochs[-1]
    verdicts = {PASS: 0, FAIL: 0}
    epochs = 0
    for start in range(0, runs, _AT_ONCE):
        count = min(_AT_ONCE, runs - start)
        chances = world.chances(random, count)
        passed = [
            _passed(random, each, number, world.equal)
            for each, number in zip(chances, (before, most), strict=True)
        ]
        drops = (chances[0] - chances[1]).mean(1)
        may_pass, may_fail = drops >= allow - 1e-9, drops <= margin + 1e-9
        undecided = np.arange(count)
        for look, number in enumerate(analyses.epochs):
            ends = passed[0][undecided, :, before - 1], passed[1][undecided, :, number - 1]
            found = differences(ends[0], before, ends[1], number)
            level = levels(analyses, look)
            said = np.array(
                [
                    rule(each, bound, level, strata(one, other, before, number, each, margin))
                    for each, one, other in zip(found, *ends, strict=True)
                ]
            )
            is_last = number == most
            is_open = said == INCONCLUSIVE
            epochs += number * int(is_last * len(said) or (~is_open).sum())
            for verdict, counts in ((FAIL, may_fail), (PASS, may_pass)):
                verdicts[verdict] += int(
                    ((said == verdict) & (counts[undecided] | (not drawn))).sum()
                )
            undecided = undecided[is_open]
            if not len(undecided):
                break
    return Rates(verdicts[FAIL] / runs, verdicts[PASS] / runs, epochs / runs)


def strata(  # noqa: PLR0917
    before: Numbers,
    after: Numbers,
    epochs_before: int,
    epochs: int,
    found: Difference,
    margin: float,
) -> Strata:
    """Return the strata of a run; none if it is far from a FAIL, to save time."""
    assert found.value is not None
    if found.value + margin > -1.7 * (found.pooled or 0) ** 0.5:
        return ()
    pairs, counts = np.unique(before * 1000 + after, return_counts=True)
    return tuple(
        (
            Stratum(int(pair) // 1000, epochs_before, int(pair) % 1000, epochs, 1 / found.tasks),
            int(n),
        )
        for pair, n in zip(pairs, counts, strict=True)
    )


def differences(
    before: Numbers, epochs_before: int, after: Numbers, epochs: int
) -> Iterator[Difference]:
    """Yield the result of `difference` for each run, from the number of passes of each task."""
    tasks = before.shape[1]
    each = after / epochs - before / epochs_before
    both = epochs + epochs_before
    share = (before + after) / both
    chance = share * (1 - share) * both / (both - 1)
    pooled = chance.sum(1) * (1 / epochs + 1 / epochs_before) / tasks**2
    spread = each.var(1, ddof=1) / tasks
    fewest = tasks * min(epochs, epochs_before)
    shares = ((before / epochs_before, epochs_before), (after / epochs, epochs))
    inside = [(p * (1 - p) * n / (n - 1)).mean(1) for p, n in shares if n > 1]
    within = np.min(inside, axis=0) if inside else np.zeros(len(each))
    (p, _), (q, _) = shares
    between = (p * (1 - q) + q * (1 - p)).mean(1) / 2
    numbers = (each.mean(1), spread, pooled, within, between)
    for value, variance, same, *ofs in zip(*(n.tolist() for n in numbers), strict=True):
        yield Difference(tasks, value, None, variance, same, fewest, *ofs)


def _passed(random: np.random.Generator, chances: Numbers, epochs: int, equal: float) -> Numbers:
    """Return how many of the first epochs each task passed, for each number of epochs."""
    drawn = random.random((*chances.shape, epochs), dtype=np.float32) < chances[..., None]
    if equal:
        one = random.random(chances.shape) < chances
        drawn = np.where(random.random(drawn.shape) < equal**0.5, one[..., None], drawn)
    return np.cumsum(drawn, axis=2, dtype=np.int16)


def _drawn(shape: str, random: np.random.Generator, size: tuple[int, ...]) -> Numbers:
    parts = SHAPES[shape]
    which = random.choice(len(parts), p=[share for share, _ in parts], size=size)
    each = [
        random.beta(*chance, size=size) if isinstance(chance, tuple) else np.full(size, chance)
        for _, chance in parts
    ]
    return np.choose(which, each)


@cache
def _shift(shape: str, drop: float, drift: float) -> float:
    """Return the shift of all logits that lowers the mean probability by `drop`."""
    if not drop and not drift:
        return 0.0
    random = np.random.default_rng(0)
    many = _logit(_drawn(shape, random, (_MANY,)))
    changed = many + random.normal(0, drift, _MANY)
    low, high = -5.0, 25.0
    for _ in range(40):
        middle = (low + high) / 2
        fell = float(np.mean(_chance(many) - _chance(changed - middle)))
        low, high = (middle, high) if fell < drop else (low, middle)
    return low


def _logit(chances: Numbers) -> Numbers:
    inside = np.clip(chances, 1e-9, 1 - 1e-9)
    return np.log(inside) - np.log1p(-inside)


def _chance(logits: Numbers) -> Numbers:
    return 1 / (1 + np.exp(-logits))
