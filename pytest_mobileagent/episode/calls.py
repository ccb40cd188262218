"""The cost of model calls: single calls, and totals."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_mobileagent.jsonable import expect, to_wire

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

N = TypeVar("N", int, float)
_TOKENS = ("input_tokens", "output_tokens", "cached_tokens")
_ESTIMATES = ("estimated_input_tokens", "estimated_output_tokens")
_MOST_TOKENS = 2**53  # the largest integer that all JSON readers agree on


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call of a model; unknown values are None, never 0.

    - `role`: the role in which the model was called: actor, planner, judge, …
    - `input_tokens` (including `cached_tokens`), `output_tokens`; `images`: pictures sent.
    - `price_usd`: US dollars.
    - `seconds_to_first` token, and `seconds` in total; `retries` before the call, and the seconds
      they `waited`, which are not part of the others.
    - `estimated`: whether tokens and price are estimates.
    - `estimated_input_tokens`, `estimated_output_tokens`: estimates by MobileAgentBench's rule,
      beside the provider's numbers (see `llm.estimate`).
    - `from_cache`: whether the reply was reused from another call, at no further cost.
    - `response_model`: the model's name and version in the provider's reply; "" if missing.
    - `line`: the line of calls.jsonl with the prompt and the reply, from 1.

    Raises:
        ValueError: if a number is negative, not finite, or not a number.
    """

    model: str
    role: str = "actor"
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    price_usd: float | None = None
    seconds_to_first: float | None = None
    seconds: float | None = None
    retries: int = 0
    estimated: bool = False
    images: int | None = None
    estimated_input_tokens: int | None = None
    estimated_output_tokens: int | None = None
    from_cache: bool = False
    response_model: str = ""
    line: int | None = None
    waited: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("model", "role", "response_model"):
            if not isinstance(value := getattr(self, name), str):
                raise ValueError(f"{name}={_short(value)} of a ModelCall must be a string")
        for name in (*_TOKENS, *_ESTIMATES, "images", "line", "retries"):
            value = _whole(getattr(self, name))
            if not (name != "retries" and value is None) and not _is_count(value):
                must = "of a ModelCall must be a whole number from 0"
                raise ValueError(f"{name}={_short(value)} {must}")
            object.__setattr__(self, name, value)
        for name in ("price_usd", "seconds_to_first", "seconds", "waited"):
            value = getattr(self, name)
            if value is not None and not _is_amount(value):
                raise ValueError(f"{name}={_short(value)} of a ModelCall must be a number from 0")

    def to_json(self) -> dict[str, Any]:
        """Return the call as plain data."""
        own = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "extra"}
        return dict(to_wire({**self.extra, **own}))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ModelCall:
        """Return the call that `to_json` serialised as `data`, keeping unknown fields in `extra`.

        Raises:
            ValueError, TypeError: if the data is not a call.
        """
        data = expect(data, dict, "call")
        known = {each.name for each in fields(cls)} - {"extra"}
        extra = {name: value for name, value in data.items() if name not in known}
        return cls(**{name: data[name] for name in known if name in data}, extra=extra)


@dataclass(frozen=True, slots=True)
class Totals:
    """The sum of several calls; None if no call has the value.

    `price_usd` is the sum of the known prices, and `unpriced_calls` counts the calls without one;
    `uncounted_calls` counts calls whose input or output tokens are unknown.
    """

    calls: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    price_usd: float | None = None
    unpriced_calls: int = 0
    uncounted_calls: int = 0
    estimated: bool = False
    estimated_input_tokens: int | None = None
    estimated_output_tokens: int | None = None
    retries: int = 0


def totals(calls: Iterable[ModelCall]) -> Totals:
    """Return the sum of the calls."""
    each = tuple(calls)
    summed = (*_TOKENS, *_ESTIMATES, "price_usd")
    sums: dict[str, Any] = {n: known_sum(getattr(call, n) for call in each) for n in summed}
    return Totals(
        calls=len(each),
        unpriced_calls=sum(call.price_usd is None for call in each),
        uncounted_calls=sum(None in (call.input_tokens, call.output_tokens) for call in each),
        estimated=any(call.estimated for call in each),
        retries=sum(call.retries for call in each),
        **sums,
    )


def known_sum(numbers: Iterable[N | None]) -> N | None:
    """Return the sum of the known numbers, or None if there are none."""
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def _whole(value: Any) -> Any:
    """Return an integer of another library, such as numpy's, as a Python int."""
    other = hasattr(type(value), "__index__") and not isinstance(value, int)
    return operator.index(value) if other else value


def _is_count(value: object) -> bool:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return whole and 0 <= value < _MOST_TOKENS  # type: ignore[operator]


def _is_amount(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value) and value >= 0
    except OverflowError:  # an integer too large for a float
        return False


def _short(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # Python does not print integers with thousands of digits
        text = "a number of thousands of digits"
    return text if len(text) < 40 else f"{text[:40]}…"
