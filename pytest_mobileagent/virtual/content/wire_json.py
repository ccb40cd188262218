"""Parses JSON from outside: invalid input of any kind raises a ValueError."""

from __future__ import annotations

import json
import math
from typing import Any

_MOST = 1 << 63  # exclusive limit for integers, like Java's


def loads(data: bytes | str, *, finite: bool = True) -> Any:
    """Parse JSON; ValueError if it is invalid or nested too deeply, or if a number is too large.

    Without `finite`, numbers may be infinite or no numbers; the caller then has to check each.
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
