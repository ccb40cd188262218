"""How well answers agree with the truth: rates with intervals, F1 and kappa."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_mobileagent.statistics import Estimate, quantile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

RESAMPLES = 2000
_SEED = 0


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often an answer was right and wrong; "done" is the positive answer."""

    true_positives: int = 0
    false_positives: int = 0
    false_negatives: int = 0
    true_negatives: int = 0

    @classmethod
    def of(cls, pairs: Iterable[tuple[bool, bool]]) -> Confusion:
        """Count pairs of the truth and an answer."""
        count = Counter(pairs)
        return cls(count[True, True], count[False, True], count[True, False], count[False, False])

    @property
    def total(self) -> int:
        """How many answers there were."""
        return self.right + self.wrong

    @property
    def right(self) -> int:
        """How many were right."""
        return self.true_positives + self.true_negatives

    @property
    def wrong(self) -> int:
        """How many were wrong."""
        return self.false_positives + self.false_negatives

    @property
    def f1(self) -> float | None:
        """2TP / (2TP + FP + FN); None where nothing was done and nothing called done."""
        marked = 2 * self.true_positives + self.wrong
        return 2 * self.true_positives / marked if marked else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa (1960); None where chance alone agrees always, or nothing was answered."""
        if not self.total:
            return None
        done, called = (
            self.true_positives + self.false_negatives,
            self.true_positives + self.false_positives,
        )
        not_done, not_called = self.total - done, self.total - called
        # In whole numbers, so that what is nothing is exactly nothing.
        by_chance = done * called + not_done * not_called
        rest = self.total**2 - by_chance
        return (self.total * self.right - by_chance) / rest if rest else None

    @property
    def precision(self) -> float | None:
        """Which share of what was called done was done."""
        return _share(self.true_positives, self.true_positives + self.false_positives)

    @property
    def recall(self) -> float | None:
        """Which share of what was done was called done."""
        return _share(self.true_positives, self.true_positives + self.false_negatives)

    @property
    def cells(self) -> tuple[int, int, int, int]:
        """True positives, false positives, false negatives, true negatives."""
        return (
            self.true_positives,
            self.false_positives,
            self.false_negatives,
            self.true_negatives,
        )

    def to_json(self) -> dict[str, int]:
        """Return it as plain data."""
        return asdict(self)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def bootstrapped(confusion: Confusion, statistic: Callable[[Confusion], float | None]) -> Estimate:
    """Return a statistic with its percentile bootstrap interval (Efron and Tibshirani, 1993).

    Episodes are drawn again with replacement, 2000 times. Resamples in which the statistic does not
    exist are left out; where it exists in fewer than half of them, there is no interval. The same
    counts give the same interval.
    """
    value = statistic(confusion)
    if value is None:
        return Estimate(None)
    found = [each for again in _resamples(confusion) if (each := statistic(again)) is not None]
    if 2 * len(found) < RESAMPLES:
        return Estimate(value)
    found.sort()
    return Estimate(value, quantile(found, 0.025), quantile(found, 0.975))


@lru_cache(maxsize=32)  # several statistics, modes and pairs have the same counts
def _resamples(confusion: Confusion) -> tuple[Confusion, ...]:
    drawn, cells = random.Random(_SEED), confusion.cells
    counts = (
        Counter(drawn.choices(range(4), weights=cells, k=confusion.total)) for _ in range(RESAMPLES)
    )
    return tuple(Confusion(*(count[cell] for cell in range(4))) for count in counts)
