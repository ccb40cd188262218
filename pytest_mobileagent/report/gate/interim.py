"""Interim analyses: when a gate examines an unfinished run, and how strict each analysis is.

A gate that fails at the first bad one of several analyses fails unchanged agents more often than
a single analysis does. Each one therefore spends a part of the chance of a false fail, by the
spending function of Pocock's type of Lan and DeMets (Biometrika 70, 1983), with the epochs as
information.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_NORMAL = NormalDist()
_FAR = 8.0  # standard deviations, beyond which nothing counts
_INTERVALS = 240  # of Simpson's rule: levels are exact to more than six digits
_HALVINGS = 60


@dataclass(frozen=True, slots=True)
class Looks:
    """After how many epochs a gate analyses a run, fixed before it: growing numbers from 1."""

    epochs: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.epochs or list(self.epochs) != sorted({*self.epochs}) or self.epochs[0] < 1:
            msg = f"interim analyses are at growing numbers of epochs from 1, not at {self.epochs}"
            raise ValueError(msg)

    def levels(self, alpha: float) -> tuple[float, ...]:
        """Return the one-sided nominal level of each analysis; together they fail at `alpha`."""
        return _levels(self.epochs, alpha, _pocock)

    def even_levels(self, alpha: float) -> tuple[float, ...]:
        """Return the levels that spend as much of `alpha` in each epoch: later ones are laxer.

        The power family of Kim and DeMets (Biometrika 74, 1987) with exponent 1.
        """
        return _levels(self.epochs, alpha, _evenly)


def looks(least: int, most: int) -> Looks:
    """Return the analyses of `--mobile-epochs=least..most`; of a plain number, a single one."""
    return Looks(tuple(sorted({least, math.isqrt(least * most), most})))


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
    for look in range(1, len(times)):
        step = math.sqrt(times[look] - times[look - 1])
        bound = walk.bound(step, spent[look] - spent[look - 1], math.sqrt(times[look]))
        levels.append(_NORMAL.cdf(-bound / math.sqrt(times[look])))
        if look + 1 < len(times):
            walk = walk.after(step, bound, math.sqrt(times[look]))
    return tuple(levels)


@dataclass(frozen=True, slots=True)
class _Walk:
    """The positions, with their chances, of a Brownian motion that has crossed no bound so far."""

    points: Sequence[float]
    chances: Sequence[float]

    @classmethod
    def first(cls, deviation: float, bound: float) -> _Walk:
        start = NormalDist(0, deviation)
        return cls._of(start.pdf, -_FAR * deviation, bound)

    @classmethod
    def _of(cls, density: Callable[[float], float], low: float, high: float) -> _Walk:
        width = (high - low) / _INTERVALS
        points = [low + width * i for i in range(_INTERVALS + 1)]
        weights = [4 if i % 2 else 2 for i in range(_INTERVALS + 1)]
        weights[0] = weights[-1] = 1
        chances = [w * width / 3 * density(p) for w, p in zip(weights, points, strict=True)]
        return cls(points, chances)

    def beyond(self, bound: float, step: float) -> float:
        """Return the chance of being beyond the bound after a step of this deviation."""
        each = zip(self.points, self.chances, strict=True)
        return math.fsum(chance * _NORMAL.cdf((point - bound) / step) for point, chance in each)

    def bound(self, step: float, chance: float, deviation: float) -> float:
        """Return the bound that the walk crosses with a given chance after a step."""
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
