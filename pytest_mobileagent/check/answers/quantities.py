"""Numbers with units, and sums of money, in English and Chinese notation."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING

from pytest_mobileagent.check.answers.meaning import Found, Money, Quantity
from pytest_mobileagent.check.answers.words import CHINESE, SIGN, number

if TYPE_CHECKING:
    from collections.abc import Iterator

# What each unit measures, and how many of the smallest such unit it is. Android counts storage
# in thousands.
UNITS: dict[str, tuple[str, Fraction | int]] = {
    **{unit: ("storage", 1000**power) for power, unit in enumerate(("b", "kb", "mb", "gb", "tb"))},
    **{unit: ("storage", 1024**power) for power, unit in enumerate(("kib", "mib", "gib"), 1)},
    **dict.fromkeys(("mm", "毫米"), ("length", 1)),
    **dict.fromkeys(("cm", "厘米"), ("length", 10)),
    **dict.fromkeys(("m", "metre", "metres", "meter", "meters", "米"), ("length", 1000)),
    **dict.fromkeys(
        ("km", "kilometre", "kilometres", "kilometer", "kilometers", "公里", "千米"),
        ("length", 10**6),
    ),
    **dict.fromkeys(("mi", "mile", "miles", "英里"), ("length", 1_609_344)),
    **dict.fromkeys(("ft", "foot", "feet", "英尺"), ("length", Fraction("304.8"))),
    **dict.fromkeys(("mg", "毫克"), ("mass", 1)),
    **dict.fromkeys(("g", "gram", "grams", "克"), ("mass", 1000)),
    **dict.fromkeys(("斤",), ("mass", 500_000)),
    **dict.fromkeys(("kg", "kilogram", "kilograms", "公斤", "千克"), ("mass", 10**6)),
    **dict.fromkeys(("lb", "lbs"), ("mass", Fraction("453592.37"))),
    **dict.fromkeys(("ml", "millilitres", "milliliters", "毫升"), ("volume", 1)),
    "cl": ("volume", 10),
    **dict.fromkeys(("l", "litre", "litres", "liter", "liters", "升"), ("volume", 1000)),
    **dict.fromkeys(("ms", "毫秒"), ("time", 1)),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds", "秒", "秒钟"), ("time", 1000)),
    **dict.fromkeys(("min", "mins", "minute", "minutes", "分钟"), ("time", 60_000)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "小时"), ("time", 3_600_000)),
    **dict.fromkeys(("day", "days", "天"), ("time", 86_400_000)),
    **dict.fromkeys(("%", "percent", "per cent"), ("percent", 1)),
}
_CURRENCIES = {
    "USD": ("us$", "$", "usd", "us dollars", "us dollar", "dollars", "dollar", "美元"),
    "EUR": ("€", "eur", "euros", "euro", "欧元"),
    "GBP": ("£", "gbp", "英镑"),
    "JPY": ("jpy", "yen", "日元", "円"),
    "CNY": ("cny", "rmb", "yuan", "人民币", "块钱", "元", "块"),
    "¥": ("¥",),
    "HKD": ("hk$", "hkd", "港币", "港元"),
    "CAD": ("ca$", "c$", "cad"),
    "AUD": ("au$", "a$", "aud"),
    "KRW": ("₩", "krw", "won", "원"),
    "INR": ("₹", "inr", "rupees", "rs."),
    "CHF": ("chf",),
}
_CURRENCY = {sign: code for code, signs in _CURRENCIES.items() for sign in signs}


def _one_of(words: dict[str, object]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_BEGIN = r"(?<![\d.,:])"
_AMOUNT = r"\d{1,30}(?:[.,]\d{1,30})*"
# A word in Latin letters ends there; 公里 may be followed by anything.
_END = rf"(?:(?<=[^\x00-\u024f])|(?![^\W_{CHINESE}]))"
_SIGNS = _one_of({**_CURRENCY})
_QUANTITY = re.compile(rf"{_BEGIN}({SIGN}{_AMOUNT}) ?({_one_of({**UNITS})}){_END}")
_FRACTION = re.compile(rf"百分之 ?({_AMOUNT})")
_BEFORE = re.compile(
    rf"(?<![^\W\d_{CHINESE}])((?<![^\s(])[-\u2212])?({_SIGNS}) ?([-\u2212]?)({_AMOUNT})"
    rf"([万亿]?)(?:{_SIGNS})?"
)
_BEHIND = re.compile(
    rf"{_BEGIN}({SIGN}{_AMOUNT}) ?([万亿]?)({_SIGNS}){_END}(?:(?<=[元块])(\d)(?![\d.,个])[角毛]?)?"
)
_POWERS = {"": 1, "万": 10**4, "亿": 10**8}


def quantities(text: str) -> Iterator[Found]:
    """Find numbers with units; times that follow each other, largest first, are one."""
    single = [
        Found(found.start(), found.end(), _quantity(found[1], found[2]))
        for found in _QUANTITY.finditer(text)
        if _value(found[1]) is not None
    ]
    single += [
        Found(found.start(), found.end(), Quantity("percent", value))
        for found in _FRACTION.finditer(text)
        if (value := _value(found[1])) is not None
    ]
    yield from _joined(sorted(single, key=lambda found: found.start), text)


def money(text: str) -> Iterator[Found]:
    """Find sums of money: $12.50, 12,50 €, ¥12, 12块5."""
    for found in _BEFORE.finditer(text):
        sign, currency, inner, amount, power = found.groups()
        value = _price(amount)
        if value is not None:
            value *= _POWERS[power] * (-1 if sign or inner else 1)
            meaning = Money(_CURRENCY[currency], value, not power, not power)
            yield Found(found.start(), found.end(), meaning)
    for found in _BEHIND.finditer(text):
        value = _price(found[1])
        if value is not None:
            value = value * _POWERS[found[2]] + Fraction(int(found[4] or 0), 10)
            whole = not found[2] and not found[4]
            yield Found(found.start(), found.end(), Money(_CURRENCY[found[3]], value, whole, whole))


def _quantity(amount: str, unit: str) -> Quantity:
    what, factor = UNITS[unit]
    return Quantity(what, (_value(amount) or Fraction(0)) * factor)


def _joined(each: list[Found], text: str) -> Iterator[Found]:
    """Yield quantities, durations such as "1 h 30 min" as one."""
    group = 0
    groups = []
    for place, found in enumerate(each):
        before = each[place - 1] if place else None
        group += not (before and _goes_on(before, found, text))
        groups.append(group)
    for _, members in groupby(zip(groups, each, strict=True), key=lambda pair: pair[0]):
        parts = [found for _, found in members]
        if len(parts) == 1:
            yield parts[0]
        else:
            total = sum((q.amount for q in map(_of, parts)), Fraction(0))
            yield Found(parts[0].start, parts[-1].end, Quantity("time", total, False))


def _goes_on(before: Found, found: Found, text: str) -> bool:
    """Whether two durations are one: the second is less than one unit of the first."""
    between = text[before.end : found.start].strip()
    first, second = _of(before), _of(found)
    if not first.what == second.what == "time" or between not in ("", "and", "零"):
        return False
    limits = [f for what, f in UNITS.values() if what == "time" and first.amount % f == 0]
    return 0 < second.amount < max(limits, default=0)


def _of(found: Found) -> Quantity:
    assert isinstance(found.meaning, Quantity)
    return found.meaning


def _value(amount: str) -> Fraction | None:
    plain = number(amount)
    return Fraction(plain) if re.fullmatch(r"-?\d+(?:\.\d+)?", plain) else None


def _price(amount: str) -> Fraction | None:
    """Return an amount of money; a comma before exactly two digits is a decimal one."""
    if european := re.fullmatch(r"([-\u2212]?\d+(?:\.\d{3})*),(\d\d)", amount):
        return _value(f"{european[1].replace('.', '')}.{european[2]}")
    return _value(amount)
