"""awk's values: numbers, strings, and text from outside that may be either."""

from __future__ import annotations

import re
from typing import TypeAlias

_NUMBER = re.compile(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


class Outside(str):
    """Text that was read: it compares as a number if it looks like one."""

    __slots__ = ()


Value: TypeAlias = float | str | None  # None: a variable that was never set
Array: TypeAlias = dict[str, Value]


def number(value: Value) -> float:
    """Return a value as a number: that with which text begins, or 0."""
    if isinstance(value, str):
        match = _NUMBER.match(value)
        return float(match[0]) if match else 0.0
    return value or 0.0


def text(value: Value, form: str = "%.6g") -> str:
    """Return a value as a string."""
    if value is None:
        return ""
    if isinstance(value, str):
        return str(value)
    return str(int(value)) if value == int(value) and abs(value) < 1e16 else form % value


def truth(value: Value) -> bool:
    """Whether a value counts as true."""
    if isinstance(value, Outside) and _looks_numeric(value):
        return number(value) != 0
    return bool(value)


def compared(left: Value, right: Value) -> int:
    """Return -1, 0 or 1: numbers compare as numbers, everything else as text."""
    if _is_numeric(left) and _is_numeric(right):
        difference = number(left) - number(right)
        return (difference > 0) - (difference < 0)
    first, second = text(left), text(right)
    return (first > second) - (first < second)


def _is_numeric(value: Value) -> bool:
    return not isinstance(value, str) or (isinstance(value, Outside) and _looks_numeric(value))


def _looks_numeric(value: str) -> bool:
    match = _NUMBER.match(value)
    return match is not None and not value[match.end() :].strip()
