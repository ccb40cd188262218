"""Amounts with a unit, and sums of money, in text."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from pytest_mobileagent.check.answers.numbers import numbers
from pytest_mobileagent.check.answers.text import CJK, WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.check.answers.text import Text


class Amount(NamedTuple):
    """An amount from `start` to `end` of a text, in the base unit of its dimension."""

    start: int
    end: int
    dimension: str
    amount: Fraction


_UNITS: dict[str, dict[str, Fraction]] = {}
for _dimension, _words in WORDS["units"].items():
    for _word in _words.split():
        if _word[0].isdigit():
            _factor = Fraction(_word)
        else:
            _UNITS.setdefault(_word, {})[_dimension] = _factor


def _any_of(names: Iterator[str] | list[str]) -> str:
    """Return a pattern of any of the names, which no other letter may follow."""
    longest_first = sorted(names, key=len, reverse=True)
    return f"(?:{'|'.join(map(re.escape, longest_first))})(?<![a-z](?=[a-z/]))"


_UNIT = re.compile(rf" ?(?P<unit>{_any_of(list(_UNITS))})")


@lru_cache(maxsize=256)
def amounts(text: Text) -> tuple[Amount, ...]:
    """Return the amounts in a text; one whose unit is ambiguous ("5 m") once for each meaning.

    Durations that follow each other are added: "1 h 30 min".
    """
    each = [(n.start, n.end, n.value) for n in numbers(text) if not n.is_ordinal]
    found = {
        Amount(start, unit.end(), dimension, value * factor)
        for start, end, value in each
        if value is not None and (unit := _UNIT.match(text.folded, end))
        for dimension, factor in _UNITS[unit["unit"]].items()
    }
    return tuple(_joined(text.folded, sorted(found)))


def _joined(text: str, each: list[Amount]) -> Iterator[Amount]:
    durations = [amount for amount in each if amount.dimension == "duration"]
    joined: set[Amount] = set()
    for first, second in pairwise(durations):
        gap = text[first.end : second.start].strip(" ,")
        if first.end <= second.start and gap in {"", "and", "零"} and second.amount < first.amount:
            joined |= {first, second}
            each = [a for a in each if a.start not in {first.start, second.start}]
            yield Amount(first.start, second.end, "duration", first.amount + second.amount)
    yield from each


def units(dimension: str) -> frozenset[str]:
    """Return the names of a dimension's units."""
    return frozenset(name for name, factors in _UNITS.items() if dimension in factors)


_SIGNS: dict[str, frozenset[str]] = {}
for _code, _words in WORDS["currencies"].items():
    for _word in _words.split():
        _SIGNS[_word] = _SIGNS.get(_word, frozenset()) | {_code}
_SIGN = _any_of(list(_SIGNS))
_SUM = (
    r"(?P<sum>\d{1,3}(?:[,' ]\d{3})+(?:[.,]\d{1,2})?|\d{1,30}(?:[.,]\d{1,20})?)"
    r"(?![\dk]|[.,]\d| ?[mb]\w*illion)"
)
_MONEY = (
    re.compile(rf"(?<![a-z-])(?P<unit>{_SIGN})\s?{_SUM}(?:\s?(?P<also>{_SIGN}))?"),
    re.compile(rf"(?<![^\W{CJK}])(?<![.,$€£¥-]){_SUM}\s?(?P<unit>{_SIGN})"),
)


class Money(NamedTuple):
    """A sum of money; a sign such as "¥" may stand for several currencies."""

    start: int
    end: int
    currencies: frozenset[str]
    amount: Fraction


@lru_cache(maxsize=256)
def moneys(text: Text) -> tuple[Money, ...]:
    """Return the sums of money in a text."""
    found = []
    for match in (match for pattern in _MONEY for match in pattern.finditer(text.folded)):
        also = match.groupdict().get("also")
        currencies = _SIGNS[match["unit"]] & (_SIGNS[also] if also else _SIGNS[match["unit"]])
        # After the last separator, three digits are thousands, and fewer are cents.
        head, _, tail = re.sub("[' ]", "", match["sum"]).replace(",", ".").rpartition(".")
        whole = head.replace(".", "")
        digits = f"{whole}.{tail}" if head and len(tail) != 3 else whole + tail
        found.append(Money(*match.span(), currencies, Fraction(digits)))
    return tuple(found)
