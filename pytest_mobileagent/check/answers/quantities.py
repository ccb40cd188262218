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

# What each unit measures, and its size in the smallest unit of that kind. Android counts storage in
# thousands.
UNITS: dict[str, tuple[str, Fraction | int]] = {
    **{unit: ("storage", 1000**power) for power, unit in enumerate(("b", "kb", "mb", "gb", "tb"))},
    **dict.fromkeys(("byte", "bytes"), ("storage", 1)),
    **dict.fromkeys(("kilobyte", "kilobytes"), ("storage", 1000)),
    **dict.fromkeys(("megabyte", "megabytes"), ("storage", 1000**2)),
    **dict.fromkeys(("gigabyte", "gigabytes", "gigs"), ("storage", 1000**3)),
    **{unit: ("storage", 1024**power) for power, unit in enumerate(("kib", "mib", "gib"), 1)},
    **dict.fromkeys(("mm", "millimetres", "millimeters", "毫米"), ("length", 1)),
    **dict.fromkeys(
        ("cm", "centimetres", "centimeters", "centimetre", "centimeter", "厘米"), ("length", 10)
    ),
    **dict.fromkeys(("m", "metre", "metres", "meter", "meters", "米"), ("length", 1000)),
    **dict.fromkeys(
        ("km", "kms", "kilometre", "kilometres", "kilometer", "kilometers", "公里", "千米"),
        ("length", 10**6),
    ),
    **dict.fromkeys(("mi", "mile", "miles", "英里"), ("length", 1_609_344)),
    **dict.fromkeys(("ft", "foot", "feet", "英尺"), ("length", Fraction("304.8"))),
    **dict.fromkeys(("mg", "毫克"), ("mass", 1)),
    **dict.fromkeys(("g", "gram", "grams", "克"), ("mass", 1000)),
    **dict.fromkeys(("斤",), ("mass", 500_000)),
    **dict.fromkeys(
        ("kg", "kgs", "kilo", "kilos", "kilogram", "kilograms", "公斤", "千克"), ("mass", 10**6)
    ),
    **dict.fromkeys(("lb", "lbs"), ("mass", Fraction("453592.37"))),
    **dict.fromkeys(("t", "tonne", "tonnes", "吨"), ("mass", 10**9)),
    **dict.fromkeys(("ml", "millilitres", "milliliters", "毫升"), ("volume", 1)),
    "cl": ("volume", 10),
    **dict.fromkeys(("l", "litre", "litres", "liter", "liters", "升"), ("volume", 1000)),
    **dict.fromkeys(("m2", "m^2", "square meters", "square metres", "平方米", "平米"), ("area", 1)),
    **dict.fromkeys(("km2", "km^2", "平方公里"), ("area", 10**6)),
    **dict.fromkeys(("m3", "m^3", "cubic meters", "cubic metres", "立方米"), ("space", 1)),
    **dict.fromkeys(("ms", "millisecond", "milliseconds", "毫秒"), ("time", 1)),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds", "秒", "秒钟"), ("time", 1000)),
    **dict.fromkeys(("min", "mins", "minute", "minutes", "分钟"), ("time", 60_000)),
    **dict.fromkeys(("刻钟",), ("time", 900_000)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "小时", "个小时"), ("time", 3_600_000)),
    **dict.fromkeys(("day", "days", "天"), ("time", 86_400_000)),
    **dict.fromkeys(
        ("week", "weeks", "wk", "wks", "周", "星期", "个星期", "礼拜", "个礼拜"),
        ("time", 604_800_000),
    ),
    **dict.fromkeys(("fortnight", "fortnights"), ("time", 2 * 604_800_000)),
    **dict.fromkeys(("month", "months", "个月"), ("months", 1)),
    **dict.fromkeys(("year", "years", "yr", "yrs"), ("months", 12)),
    **dict.fromkeys(("%", "percent", "per cent", "pct"), ("percent", 1)),
    **dict.fromkeys(("°c", "degrees celsius", "degree celsius", "degrees c", "deg c"), ("°C", 1)),
    **dict.fromkeys(("celsius", "degrees centigrade", "摄氏度", "度", "c"), ("°C", 1)),
    **dict.fromkeys(("°f", "degrees fahrenheit", "degrees f", "fahrenheit", "f"), ("°F", 1)),
    "华氏度": ("°F", 1),
    **dict.fromkeys(("°", "degrees", "degree", "deg"), ("degrees", 1)),
    **dict.fromkeys(("mph",), ("length/time", Fraction(1_609_344, 3_600_000))),
    **dict.fromkeys(("kmh", "kph", "km/h"), ("length/time", Fraction(10**6, 3_600_000))),
    **{unit: ("bits/time", 1000**power) for power, unit in enumerate(("kbps", "mbps", "gbps"))},
}
_CURRENCIES = {
    "USD": ("us$", "$", "usd", "us dollars", "us dollar", "dollars", "dollar", "bucks", "美元"),
    "EUR": ("€", "eur", "euros", "euro", "欧元"),
    "GBP": ("£", "gbp", "quid", "pounds sterling", "英镑"),
    "£lb": ("pounds", "pound"),
    "JPY": ("jpy", "yen", "日元", "円"),
    "CNY": ("cny", "rmb", "yuan", "人民币", "块钱", "元", "块"),
    "¥": ("¥",),
    "HKD": ("hk$", "hkd", "hong kong dollars", "港币", "港元"),
    "CAD": ("ca$", "c$", "cad", "canadian dollars"),
    "AUD": ("au$", "a$", "aud", "australian dollars"),
    "KRW": ("₩", "krw", "won", "원"),
    "INR": ("₹", "inr", "rupees", "rs."),
    "CHF": ("chf",),
}
_CURRENCY = {sign: code for code, signs in _CURRENCIES.items() for sign in signs}


def _one_of(words: dict[str, object]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_CENTS = {
    "c": ("cents", "cent", "¢"),
    "GBP": ("pence", "p"),
    "CNY": ("毛钱", "毛", "角"),
}
_CENT = {sign: code for code, signs in _CENTS.items() for sign in signs}

_BEGIN = r"(?<![\d.,:/^])"
_AMOUNT = r"\d{1,30}(?:[.,]\d{1,30})*"
# A unit in Latin letters ends here; 公里 may be followed by anything.
_END = rf"(?:(?<=[^\x00-\u024f])|(?![^\W_{CHINESE}]))"
_SIGNS = _one_of({**_CURRENCY})
_UNIT = _one_of({**UNITS})
# 周 and 天 also begin other words, and days of the week.
_NOT_UNIT = (
    r"(?!(?<=周)[一二三四五六日天末年岁]|(?<=星期)[一二三四五六日天]|(?<=度)[假过]|(?<=天)[后前]面)"
)
_EVERY = r"h|hr|hour|s|sec|second|min|minute|day|week|month|year|小时|分钟|秒|天|周|月|年"
_PER = (
    rf"(?:(?:(?: ?/ ?|每)|(?: per | an? )(?=(?:{_EVERY}){_END})| per )"
    rf"(?P<per>{_EVERY}|[a-z]+){_END})"
)
_QUANTITY = re.compile(
    rf"{_BEGIN}(?<![^\W\d_{CHINESE}])(?P<ahead>(?:每小时|时速|每秒)[是为约]? ?)?"
    rf"(?P<amount>{SIGN}{_AMOUNT})(?: ?|-)(?P<unit>{_UNIT}){_END}{_NOT_UNIT}(?:{_PER})?"
)
_YEARS = re.compile(rf"{_BEGIN}(\d{{1,2}}(?:\.\d+)?)年(?!级|\d)")
_HOUR_MINUTE = re.compile(
    r"(?<![\w.,:/])(\d{1,3}) ?h ?([0-5]?\d)(?: ?m(?:in)?)?(?: ?([0-5]?\d) ?s)?\b"
)
_MINUTE_SECOND = re.compile(
    r"(?<![\w.,:/])(\d{1,3}) ?m ?([0-5]?\d) ?s\b|(?<![\d.,])(\d{1,3})分([0-5]?\d)秒"
)
_CHINESE_HOUR = re.compile(r"(?<![\d.,])(\d{1,3})个?小时零?([0-5]?\d)分(?!之)(?:钟|([0-5]?\d)秒)?")
_BEFORE = re.compile(
    rf"(?<![^\W\d_{CHINESE}])((?<![^\s(])[-\u2212])?({_SIGNS}) ?([-\u2212]?)({_AMOUNT})"
    rf"(?:{_SIGNS})?"
)
_BEHIND = re.compile(
    rf"{_BEGIN}({SIGN}{_AMOUNT}) ?({_SIGNS}){_END}"
    rf"(?:(?<=[元块])(\d)(?![\d.,个])[角毛]?| (?:and )?(\d\d?) ?(?:cents?|pence|p)\b)?"
)
_PENNIES = re.compile(rf"{_BEGIN}({_AMOUNT}) ?({_one_of({**_CENT})}){_END}")


def quantities(text: str) -> Iterator[Found]:
    """Yield numbers with units; consecutive parts of a duration, largest first, are joined."""
    single = [
        Found(found.start(), found.end(), _quantity(found))
        for found in _QUANTITY.finditer(text)
        if _value(found["amount"]) is not None
    ]
    single += [
        Found(*found.span(), Quantity("months", Fraction(found[1]) * 12))
        for found in _YEARS.finditer(text)
    ]
    yield from _joined(sorted(single, key=lambda found: found.start), text)
    for pattern, first in ((_HOUR_MINUTE, 3600), (_CHINESE_HOUR, 3600), (_MINUTE_SECOND, 60)):
        for found in pattern.finditer(text):
            parts = [int(part) for part in found.groups() if part]
            seconds = sum(part * first // 60**place for place, part in enumerate(parts))
            amount = Quantity("time", Fraction(seconds * 1000), False)
            yield Found(*found.span(), amount)


def money(text: str) -> Iterator[Found]:
    """Yield sums of money: $12.50, 12,50 €, ¥12, 12块5, 99 cents."""
    for found in _BEFORE.finditer(text):
        sign, currency, inner, amount = found.groups()
        value = _price(amount)
        if value is not None:
            yield Found(
                *found.span(), Money(_CURRENCY[currency], -value if sign or inner else value)
            )
    for found in _BEHIND.finditer(text):
        value = _price(found[1])
        if value is not None:
            value += Fraction(int(found[3] or 0), 10) + Fraction(int(found[4] or 0), 100)
            whole = not found[3] and not found[4]
            yield Found(*found.span(), Money(_CURRENCY[found[2]], value, whole, whole))
    for found in _PENNIES.finditer(text):
        value = _value(found[1])
        if value is not None:
            part = 10 if _CENT[found[2]] == "CNY" else 100
            yield Found(*found.span(), Money(_CENT[found[2]], value / part, False, False))


def _quantity(found: re.Match[str]) -> Quantity:
    what, factor = UNITS[found["unit"]]
    amount = (_value(found["amount"]) or Fraction(0)) * factor
    per = found["per"] or {"每秒": "s"}.get(
        (found["ahead"] or "")[:2], "h" if found["ahead"] else ""
    )
    if not per:
        return Quantity(what, amount)
    dividend, divisor = UNITS.get({"月": "month", "年": "year"}.get(per, per), (per, 1))
    return Quantity(f"{what}/{dividend}", amount / divisor)


def _joined(each: list[Found], text: str) -> Iterator[Found]:
    """Yield quantities, with the parts of durations such as "1 h 30 min" joined."""
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
            whole = Quantity(_of(parts[0]).what, total, False)
            yield Found(parts[0].start, parts[-1].end, whole)


def _goes_on(before: Found, found: Found, text: str) -> bool:
    """Return whether the second amount continues the first: it is below one unit of the first."""
    between = text[before.end : found.start].strip()
    first, second = _of(before), _of(found)
    is_one_kind = first.what == second.what in ("time", "months", "length", "mass")
    if not is_one_kind or between not in ("", "and", "零", ",", ", and"):
        return False
    limits = [f for what, f in UNITS.values() if what == first.what and first.amount % f == 0]
    return 0 < second.amount < max(limits, default=0)


def _of(found: Found) -> Quantity:
    assert isinstance(found.meaning, Quantity)
    return found.meaning


def _value(amount: str) -> Fraction | None:
    value = number(amount)
    return Fraction(value) if re.fullmatch(r"-?\d+(?:\.\d+)?", value) else None


def _price(amount: str) -> Fraction | None:
    """Return an amount of money; a comma before exactly two digits is a decimal comma."""
    if european := re.fullmatch(r"([-\u2212]?\d+(?:\.\d{3})*),(\d\d)", amount):
        return _value(f"{european[1].replace('.', '')}.{european[2]}")
    return _value(amount)
