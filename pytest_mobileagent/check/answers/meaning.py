"""The meaning of a piece of an answer: a quantity, a sum of money, a date, time or weekday."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, Protocol


class Meaning(Protocol):
    """A value that can be written in several ways."""

    @property
    def is_word_by_word(self) -> bool:
        """Whether an expected number may match a part of the value: "1.2" in "1.2 GB"."""

    @property
    def is_bare(self) -> bool:
        """Whether an answer may consist of the number only: 12.50 for $12.50."""

    def states(self, expected: Meaning) -> bool:
        """Return whether an answer with this meaning states the expected one."""

    def __str__(self) -> str:
        """Return the value in an unambiguous form; empty if its words are unambiguous."""


class Found(NamedTuple):
    """A piece of text, from `start` to `end`, and its meaning."""

    start: int
    end: int
    meaning: Meaning


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount, in the smallest unit of its kind."""

    what: str
    amount: Fraction
    is_word_by_word: bool = True

    @property
    def is_bare(self) -> bool:
        """Whether the unit may be left out, which holds for the percent sign only."""
        return self.what == "percent"

    def states(self, expected: Meaning) -> bool:
        """Return whether the amounts are equal; degrees match any scale if none is expected."""
        if isinstance(expected, Money):
            return _is_mass(expected, self)
        if not isinstance(expected, Quantity):
            return False
        is_same = self.what == expected.what
        is_same |= expected.what == "degrees" and self.what in ("°C", "°F")
        return is_same and self.amount == expected.amount

    def __str__(self) -> str:
        """Return "": the words are unambiguous."""
        return ""


@dataclass(frozen=True, slots=True)
class Money:
    """A sum of money. "¥" stands for both the yuan and the yen."""

    currency: str
    amount: Fraction
    is_word_by_word: bool = True
    is_bare: bool = True

    def states(self, expected: Meaning) -> bool:
        """Return whether amount and currency are equal; cents may be of the dollar or the euro."""
        if isinstance(expected, Quantity):
            return _is_mass(self, expected)
        if not isinstance(expected, Money) or self.amount != expected.amount:
            return False
        both = {self.currency, expected.currency}
        return len(both) == 1 or both in _MAY_BE_SAME

    def __str__(self) -> str:
        """Return the amount and the currency."""
        return f"{float(self.amount):g} {self.currency}"


# Symbols and words shared by several currencies. "£lb" means pounds, which may also be a mass.
_MAY_BE_SAME = ({"¥", "CNY"}, {"¥", "JPY"}, {"£lb", "GBP"}, {"c", "USD"}, {"c", "EUR"})
_POUND = Fraction("453592.37")


def _is_mass(money: Money, quantity: Quantity) -> bool:
    is_mass = money.currency == "£lb" and quantity.what == "mass"
    return is_mass and quantity.amount == money.amount * _POUND


@dataclass(frozen=True, slots=True)
class Date:
    """A day, or a month; the year may be unknown."""

    year: int | None
    month: int
    day: int | None
    is_word_by_word: bool = False
    is_bare: bool = False

    def states(self, expected: Meaning) -> bool:
        """Return whether the dates are the same; an answer may add the year, but not omit it."""
        if not isinstance(expected, Date) or expected.year not in (None, self.year):
            return False
        if expected.year is None and expected.day is None:
            return self.month == expected.month
        return (self.month, self.day) == (expected.month, expected.day)

    def __str__(self) -> str:
        """Return the date in ISO 8601."""
        day = "" if self.day is None else f"-{self.day:02}"
        return f"{'' if self.year is None else f'{self.year}-'}{self.month:02}{day}"


@dataclass(frozen=True, slots=True)
class Time:
    """A time of day, in seconds since midnight; without am or pm, on a 24-hour clock."""

    seconds: int
    is_word_by_word: bool = False
    is_bare: bool = False

    def states(self, expected: Meaning) -> bool:
        """Return whether the times are the same."""
        return isinstance(expected, Time) and self.seconds == expected.seconds

    def __str__(self) -> str:
        """Return hours and minutes, and the seconds unless they are 0."""
        minutes, seconds = divmod(self.seconds, 60)
        return f"{minutes // 60:02}:{minutes % 60:02}" + (f":{seconds:02}" if seconds else "")


@dataclass(frozen=True, slots=True)
class Weekday:
    """A day of the week, 0 for Monday."""

    day: int
    is_word_by_word: bool = True
    is_bare: bool = False

    def states(self, expected: Meaning) -> bool:
        """Return whether the days are the same."""
        return self == expected

    def __str__(self) -> str:
        """Return "": the words are unambiguous."""
        return ""
