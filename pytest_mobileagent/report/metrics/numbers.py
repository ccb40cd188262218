"""Sums, means and quotients over some results, of which a number may be unknown (None)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Result = Mapping[str, Any]
    Value = Callable[[Any], float | None]


def ratio(over: float | None, under: float | None) -> float | None:
    """Return a quotient; None where there is none, or it is beyond what a float can hold."""
    try:
        return over / under if over is not None and under else None
    except OverflowError:
        return None


def field(name: str) -> Value:
    """Return what reads a field of a result; None where it has none."""
    return lambda result: result.get(name)


def mean_of(results: Iterable[Result], value: Value) -> float | None:
    """Return the mean over the results whose value is known."""
    values = [number for result in results if (number := value(result)) is not None]
    return ratio(_finite(values), len(values))


def sum_of(results: Iterable[Result], value: Value) -> float | None:
    """Return the sum of the values that are known; None if none is."""
    return _finite([number for result in results if (number := value(result)) is not None])


def quotient_of(results: Iterable[Result], over: Value, under: Value) -> float | None:
    """Return a sum over a sum, both of the same results: those of which both are known."""
    pairs = [(over(result), under(result)) for result in results]
    known = [(a, b) for a, b in pairs if a is not None and b is not None]
    return ratio(_finite([a for a, _ in known]), _finite([b for _, b in known]))


def _finite(values: Sequence[float]) -> float | None:
    """Return the sum; None if there is nothing to add, or it is beyond what a float can hold."""
    try:
        return sum(values) if values and math.isfinite(sum(values)) else None
    except OverflowError:
        return None
