"""JSON that arrives from outside: whatever it is, it is read, or is an error of whoever sent it."""

from __future__ import annotations

import json
import math
from typing import Any

_MOST = 1 << 63  # what a whole number is below, as Java's are


def loads(data: bytes | str, *, finite: bool = True) -> Any:
    """Read JSON; ValueError if it is none, if it is nested too deeply, or a number is too large.

    Numbers that are not `finite` are no JSON; who looks at each number by itself may want them.
    """
    try:
        if not finite:
            return json.loads(data)
        return json.loads(data, parse_constant=_refused, parse_float=_finite, parse_int=_whole)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _refused(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:50]} is too large")
    return value


def _whole(text: str) -> int:
    if len(text) > 20 or not abs(value := int(text)) < _MOST:
        raise ValueError(f"{text[:50]} is too large")
    return value
