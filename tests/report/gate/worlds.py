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
from pytest_mobileagent.report.gate.spec import Bound

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
    """

    tasks: int
    drop: float = 0.0
    shape: str = "u-shaped"
    drift: float = 0.0
    day: float = 0.0

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
    seed: int = 1,
) -> Rates:
    """Return the gate's decisions for many runs of a world.

    The baseline has `baseline` epochs at each interim analysis; by default, as many as the last
    analysis.
    """
    random = np.random.default_rng(seed)
    bound = Bound("success_rate", baseline=True, margin=margin, allow=allow)
    most, before = analyses.epochs[-1], baseline or analyses.epochs[-1]
    verdicts = {PASS: 0, FAIL: 0}
    epochs = 0
    for start in range(0, runs, _AT_ONCE):
        count = min(_AT_ONCE, runs - start)
        chances = world.chances(random, count)
        passed = [
            _passed(random, each, number)
            for each, number in zip(chances, (before, most), strict=True)
        ]
        undecided = np.arange(count)
        for look, number in enumerate(analyses.epochs):
            found = differences(
                passed[0][undecided, :, before - 1],
                before,
                passed[1][undecided, :, number - 1],
                number,
            )
            said = np.array([rule(each, bound, levels(analyses, look)) for each in found])
            is_last = number == most
            is_open = said == INCONCLUSIVE
            epochs += number * int(is_last * len(said) or (~is_open).sum())
            for verdict in verdicts:
                verdicts[verdict] += int((said == verdict).sum())
            undecided = undecided[is_open]
            if not len(undecided):
                break
    return Rates(verdicts[FAIL] / runs, verdicts[PASS] / runs, epochs / runs)


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
    for value, variance, same in zip(each.mean(1), spread, pooled, strict=True):
        yield Difference(tasks, float(value), None, float(variance), float(same), fewest)


def _passed(random: np.random.Generator, chances: Numbers, epochs: int) -> Numbers:
    """Return how many of the first epochs each task passed, for each number of epochs."""
    drawn = random.random((*chances.shape, epochs), dtype=np.float32) < chances[..., None]
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
