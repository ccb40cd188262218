"""Sums, means and quotients over results in which some numbers may be unknown (None)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Result = Mapping[str, Any]
    Value = Callable[[Any], float | None]


def ratio(over: float | None, under: float | None) -> float | None:
    """Return a quotient; None if it is undefined or too large for a float."""
    try:
        return over / under if over is not None and under else None
    except OverflowError:
        return None


def field(name: str) -> Value:
    """Return a function that reads a field of a result; it returns None if the field is missing."""
    return lambda result: result.get(name)


def mean_of(results: Iterable[Result], value: Value) -> float | None:
    """Return the mean over the results whose value is known."""
    values = [number for result in results if (number := value(result)) is not None]
    return ratio(_finite(values), len(values))


def sum_of(results: Iterable[Result], value: Value) -> float | None:
    """Return the sum of the values that are known; None if none is."""
    return _finite([number for result in results if (number := value(result)) is not None])


def quotient_of(results: Iterable[Result], over: Value, under: Value) -> float | None:
    """Return the quotient of two sums, both over the results for which both numbers are known."""
    pairs = [(over(result), under(result)) for result in results]
    known = [(a, b) for a, b in pairs if a is not None and b is not None]
    return ratio(_finite([a for a, _ in known]), _finite([b for _, b in known]))


def _finite(values: Sequence[float]) -> float | None:
    """Return the sum; None if there is nothing to add or it is too large for a float."""
    try:
        return sum(values) if values and math.isfinite(sum(values)) else None
    except OverflowError:
        return None
