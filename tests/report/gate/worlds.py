"""Simulated agents of which the truth is known, and what the gate says of them.

The tests use them, and `benchmarks/gate.py`, which prints the tables of docs/gate.md.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_mobileagent.report.comparison.pairing import Tally, difference
from pytest_mobileagent.report.gate.finding import INCONCLUSIVE
from pytest_mobileagent.report.gate.rule import levels, rule
from pytest_mobileagent.report.gate.spec import Bound

if TYPE_CHECKING:
    from pytest_mobileagent.report.comparison.pairing import Key
    from pytest_mobileagent.report.gate.looks import Looks

    Numbers = np.ndarray[Any, np.dtype[Any]]

U_SHAPED = (0.46, 0.46)  # of a beta distribution: mean p(1 - p) is 0.12, as of real agents
MIDDLING = (2.0, 2.0)


@dataclass(frozen=True, slots=True)
class World:
    """How agents succeed: each task's chance is drawn from a beta distribution.

    - `drop`: by how much the candidate is worse on average, all tasks on the logit scale alike.
    - `drift`: the deviation on the logit scale by which each task changes, the mean kept.
    - `day`: the deviation on the logit scale of a whole run.
    """

    tasks: int
    drop: float = 0.0
    shape: tuple[float, float] = U_SHAPED
    drift: float = 0.0
    day: float = 0.0

    def shift(self) -> float:
        """By how much all logits fall for the mean chance to fall by `drop`."""
        many = _logit(np.random.default_rng(0).beta(*self.shape, size=20_000))
        low, high = 0.0, 20.0 if self.drop else 0.0
        for _ in range(30):
            middle = (low + high) / 2
            fell = float(np.mean(_chance(many) - _chance(many - middle)))
            low, high = (middle, high) if fell < self.drop else (low, middle)
        return low

    def chances(self, random: np.random.Generator, shift: float) -> tuple[Numbers, Numbers]:
        """The chances of the baseline and of the candidate to do each task."""
        logits = _logit(random.beta(*self.shape, size=self.tasks))
        changed = logits + random.normal(0, self.drift, self.tasks) - shift
        days = random.normal(0, self.day, 2)
        return _chance(logits + days[0]), _chance(changed + days[1])


@dataclass(frozen=True, slots=True)
class Rates:
    """What the gate said, in shares of all runs, and the mean number of epochs it took."""

    fail: float
    passing: float
    epochs: float


def simulate(world: World, looks: Looks, runs: int, margin: float = 0.02, seed: int = 1) -> Rates:
    """Let the gate decide on many runs of a world; both runs have the epochs of the look."""
    random = np.random.default_rng(seed)
    bound = Bound("success_rate", baseline=True, margin=margin)
    shift = world.shift()
    verdicts: Counter[str] = Counter()
    epochs = 0
    for _ in range(runs):
        both = [
            random.random((world.tasks, looks.epochs[-1])) < chances[:, None]
            for chances in world.chances(random, shift)
        ]
        verdict = INCONCLUSIVE
        for look, count in enumerate(looks.epochs):
            before, after = (_tallies(run[:, :count]) for run in both)
            verdict = rule(difference(before, after), bound, levels(looks, look))
            if verdict != INCONCLUSIVE:
                break
        verdicts[verdict] += 1
        epochs += count
    return Rates(verdicts["FAIL"] / runs, verdicts["PASS"] / runs, epochs / runs)


def _tallies(run: Numbers) -> dict[Key, Tally]:
    decided = run.shape[1]
    return {
        (str(task), None): Tally(passed, decided) for task, passed in enumerate(run.sum(1).tolist())
    }


def _logit(chances: Numbers) -> Numbers:
    inside = np.clip(chances, 1e-9, 1 - 1e-9)
    return np.log(inside) - np.log1p(-inside)


def _chance(logits: Numbers) -> Numbers:
    return 1 / (1 + np.exp(-logits))
