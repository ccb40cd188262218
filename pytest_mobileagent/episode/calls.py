"""What asking models cost: one call, and the totals of many."""

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
_MOST_TOKENS = 2**53  # the largest whole number that all readers of JSON agree on


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call of a model; what is not known is None, never 0.

    - `role`: what the model was asked as: actor, planner, judge, …
    - `input_tokens` (`cached_tokens` of them cached), `output_tokens`; `images`: pictures sent.
    - `price_usd`: US dollars.
    - `seconds_to_first` token, and `seconds` in all; `retries` before it, which took the seconds
      that it `waited`, left out of the others.
    - `estimated`: whether tokens and price are estimates.
    - `estimated_input_tokens`, `estimated_output_tokens`: what MobileAgentBench's rule makes of it,
      beside what the provider reports (see `llm.estimate`).
    - `from_cache`: whether the reply was kept from another call; it costs nothing again.
    - `response_model`: the model's name as the provider gave it with the reply, with its version;
      "" if it gave none.
    - `line`: where prompt and reply stand in the episode's calls.jsonl, from 1.

    Raises:
        ValueError: a number is negative, not finite, or no number.
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
                msg = f"{name}={_short(value)} of a ModelCall has to be a text"
                raise ValueError(msg)
        for name in (*_TOKENS, *_ESTIMATES, "images", "line", "retries"):
            value = _whole(getattr(self, name))
            if not (name != "retries" and value is None) and not _is_count(value):
                msg = f"{name}={_short(value)} of a ModelCall has to be a whole number from 0"
                raise ValueError(msg)
            object.__setattr__(self, name, value)
        for name in ("price_usd", "seconds_to_first", "seconds", "waited"):
            value = getattr(self, name)
            if value is not None and not _is_amount(value):
                msg = f"{name}={_short(value)} of a ModelCall has to be a number from 0"
                raise ValueError(msg)

    def to_json(self) -> dict[str, Any]:
        """Return the call as plain data."""
        own = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "extra"}
        return dict(to_wire({**self.extra, **own}))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ModelCall:
        """Return the call that `to_json` made `data` of, keeping what is unknown in `extra`.

        Raises:
            ValueError, TypeError: the data is not a call.
        """
        data = expect(data, dict, "call")
        known = {each.name for each in fields(cls)} - {"extra"}
        extra = {name: value for name, value in data.items() if name not in known}
        return cls(**{name: data[name] for name in known if name in data}, extra=extra)


@dataclass(frozen=True, slots=True)
class Totals:
    """The sum of some calls; None where no call has a number.

    `price_usd` is the sum of the prices that are known, `unpriced_calls` counts the others;
    `uncounted_calls` counts those whose input or output tokens nobody told.
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
    """Add up calls."""
    each = tuple(calls)
    return Totals(
        calls=len(each),
        input_tokens=known_sum(call.input_tokens for call in each),
        output_tokens=known_sum(call.output_tokens for call in each),
        cached_tokens=known_sum(call.cached_tokens for call in each),
        price_usd=known_sum(call.price_usd for call in each),
        unpriced_calls=sum(call.price_usd is None for call in each),
        uncounted_calls=sum(None in (call.input_tokens, call.output_tokens) for call in each),
        estimated=any(call.estimated for call in each),
        estimated_input_tokens=known_sum(call.estimated_input_tokens for call in each),
        estimated_output_tokens=known_sum(call.estimated_output_tokens for call in each),
        retries=sum(call.retries for call in each),
    )


def known_sum(numbers: Iterable[N | None]) -> N | None:
    """Return the sum of the numbers that are known; None if none is."""
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def _whole(value: Any) -> Any:
    """Return another library's whole number, such as numpy's, as a Python int."""
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
    except OverflowError:  # a whole number beyond what a float can hold
        return False


def _short(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # Python does not print whole numbers of thousands of digits
        text = "a number of thousands of digits"
    return text if len(text) < 40 else f"{text[:40]}…"
