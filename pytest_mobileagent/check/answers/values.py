"""Values in text, in English and Chinese: numbers, amounts with units, times of day and dates."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_mobileagent.check.answers.text import CJK, WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_mobileagent.check.answers.text import Text


class Value(NamedTuple):
    """A value from `start` to `end` of a text.

    Its kind is "number", or "padded" if it ends as 7.50, "counted" if a unit stands beside it,
    "attached" if letters follow it; "rated" with the end of its scale, or None; a dimension or
    currency of `words.toml`, one value for each meaning; "clock" in seconds since midnight, "half"
    if it does not name the half of the day; "date" as year, month and day, None where it is not
    said, "day" as month and day. A number is None if its notation has two meanings.
    """

    start: int
    end: int
    kind: str
    value: Any

    def overlaps(self, others: Iterable[Value]) -> bool:
        """Return whether the value stands at the same place as one of the others."""
        return any(self.start < other.end and other.start < self.end for other in others)


@lru_cache(maxsize=256)
def values(text: Text) -> tuple[Value, ...]:
    """Return the values in a text; numbers in dates and times of day are not values of their own.

    Durations that follow each other are added: "1 h 30 min".
    """
    found = _longest([*_dates(text.folded), *_clocks(text.folded)])
    amounts = {each for number in _numbers(text.folded) for each in _measured(text, *number)}
    found += sorted(each for each in amounts if not each.overlaps(found))
    durations = [each for each in found if each.kind.startswith("duration")]
    for first, second in pairwise(durations):
        gap = text.folded[first.end : second.start].strip(" ,")
        if first.end <= second.start and gap in {"", "and", "零"} and second.value < first.value:
            sum_ = Value(first.start, second.end, "duration", first.value + second.value)
            found = [sum_, *(each for each in found if not each.overlaps([first, second]))]
    return tuple(found)


def _longest(matches: Iterable[Value]) -> list[Value]:
    found: list[Value] = []
    for each in sorted(matches, key=lambda each: each.start - each.end):
        # Several values at one place are its meanings.
        others = [other for other in found if other[:2] != each[:2]]
        found += [] if each.overlaps(others) else [each]
    return found


def _factors(names: str) -> dict[str, Fraction]:
    """Return the names, each of which follows its factor, as in "1 g grams 1e3 kg"."""
    found, factor = {}, Fraction(1)
    for name in names.split():
        if name[0].isdigit():
            factor = Fraction(name)
        else:
            found[name] = factor
    return found


UNITS: dict[str, dict[str, Fraction]] = {}  # name: {dimension or currency: factor to its base}
for _dimension, _names in {**WORDS["units"], **WORDS["currencies"]}.items():
    for _name, _factor in _factors(_names).items():
        UNITS.setdefault(_name, {})[_dimension] = _factor
_MAGNITUDES = _factors(WORDS["numbers"]["magnitudes"])


def _any_of(names: Iterable[str]) -> str:
    """Return a pattern of any of the names, which no other letter may follow."""
    longest_first = sorted(names, key=len, reverse=True)
    return rf"(?:{'|'.join(map(re.escape, longest_first))})(?<![a-z](?=[a-z/\d]))"


_SMALL, _TENS = (WORDS["numbers"][each].split() for each in ("small", "tens"))
_SPELLED = {word: value for value, word in enumerate(_SMALL)} | {
    f"{word}-{_SMALL[one]}" if one else word: 10 * ten + one
    for ten, word in enumerate(_TENS, 2)
    for one in range(10)
}
SPELLED = rf"(?:{'|'.join([*_SPELLED, 'hundred', 'thousand', '[mb]illion'])})"
_CURRENCY = _any_of(name for name, each in UNITS.items() if min(each).isupper())
_CHINESE = "零〇一二两三四五六七八九十百千万亿点"
_UNIT = re.compile(rf" ?(?!块[\d{_CHINESE}])(?P<unit>{_any_of(UNITS)})")
_DIGITS = re.compile(
    rf"(?<![^\W{CJK}])(?<![.,:/第])(?<![\w)]-)[-+]?(?P<before>{_CURRENCY}\s?)?[-+]?"
    r"(?P<digits>\d{1,3}(?:[,'’ ]\d{3})+(?:\.\d{1,20})?|\d{1,3}(?:\.\d{3})+,\d\d?"
    r"|\d{1,30}(?:[.,]\d{1,20})?)"
    r"(?:\s?(?P<magnitude>(?:k|hundred|thousand|[mb]illion|(?(before)(?:mn?|bn?)|(?!)))\b|[千万亿]))?"
    r"(?![_\d]|[.,:-]\d)(?P<attached>\s?%|[a-z])?"
)
_SCALE = re.compile(
    r"\s?(?:(?:/|(?:out )?of)\s?(\d{1,3})(?!\.?\d|[:/])(?:\sstars?\b|分)?|stars?\b|分)"
)
# As a pronoun, "one" counts nothing.
_NOT_ONE = rf"one(?:s? of|'?s)|{'|'.join(rf'(?<={word} )one' for word in WORDS['pronoun'].split())}"
_SPELL = re.compile(
    rf"\b(?!{_NOT_ONE})(?:{SPELLED}(?:(?:[ -]| and ){SPELLED})*|an?(?= {_any_of(UNITS)}))\b"
)
_NONE = re.compile(r"\b(?:none|nil|nothing|no(?= [a-z]))\b|没有(?!了|人)")
_NUMERAL = re.compile(
    rf"(?<![{_CHINESE}\d周第])(?<!星期)(?<!礼拜)[{_CHINESE}]+"
    rf"(?![些样起下直定般共切旦边面会]|[{_CHINESE}])"
)


def _numbers(text: str) -> Iterator[tuple[Value, str]]:
    """Yield the numbers of a text, and the currency before each, or ""."""
    for match in _DIGITS.finditer(text):
        value, before = _value(match["digits"]), (match["before"] or "").strip()
        if value is not None:
            head = text[match.start() : match.start("digits")]
            value *= _MAGNITUDES.get(match["magnitude"], 1) * (-1 if "-" in head else 1)
        kind = "padded" if re.search(r"\.\d*0$", match["digits"]) else "number"
        if match["attached"]:
            kind = "attached"
        end = match.start("attached") if match["attached"] else match.end()
        yield Value(match.start(), end, kind, value), before
        if scale := _SCALE.match(text, end):
            rate = (value, scale[1] and Fraction(scale[1]))
            yield Value(match.start(), scale.end(), "rated", rate), before
    words = {**_SPELLED, "a": 1, "an": 1}
    for match in _SPELL.finditer(text):
        value = words.get(match[0].replace(" ", "-"))
        yield Value(*match.span(), "number", None if value is None else Fraction(value)), ""
    for match in _NUMERAL.finditer(text):
        if (value := _chinese(match[0])) is not None:
            yield Value(*match.span(), "number", value), ""
    for match in _NONE.finditer(text):
        yield Value(*match.span(), "number", Fraction(0)), ""


def _value(digits: str) -> Fraction | None:
    """Return the value of digits with separators; None if 1.200 may be 1200, or 3,5 a list."""
    if re.fullmatch(r"\d{1,3}(\.\d{3})+,\d\d?|\d+,\d\d", digits):
        return Fraction(digits.replace(".", "").replace(",", "."))
    if re.fullmatch(r"\d{1,3}([,'’]\d{3})+(\.\d+)?", digits):
        return Fraction(re.sub("[,'’]", "", digits))
    is_unclear = re.search("[ ,'’]", digits) or re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", digits)
    return None if is_unclear else Fraction(digits)


@lru_cache(maxsize=256)
def _chinese(numeral: str) -> Fraction | None:
    """Return the value of a Chinese numeral, such as 一千二; None if it is none."""
    import cn2an  # it takes long to import

    try:
        return Fraction(str(cn2an.cn2an(numeral.replace("〇", "零"), "smart")))  # noqa: RUF001
    except ValueError:
        return None


def _measured(text: Text, number: Value, before: str) -> Iterator[Value]:
    """Yield a number, and what it is in each meaning of the unit before or after it."""
    after = _UNIT.match(text.folded, number.end)
    name = before or (after["unit"] if after else "")
    if number.kind == "rated" or not name:
        yield number
        return
    units = UNITS[name]
    if before and after:  # "US$ 5 CAD" is neither
        units = {unit: units[unit] for unit in units if unit in UNITS[after["unit"]]}
    end = after.end() if after else number.end
    is_money = all(unit.isupper() for unit in units)
    counted = number._replace(kind="counted", end=end if is_money else number.end)
    yield number if number.kind == "attached" else counted
    for unit, factor in units.items() if number.value is not None else ():
        kind = "duration?" if unit == "duration" and len(units) > 1 else unit  # as "5 m" or 5分
        yield Value(number.start, end, kind, number.value * factor)


_N = "零一二两三四五六七八九十"
_PARTS = "凌晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里"
_ADDED = {"下午": 12, "傍晚": 12, "晚上": 12, "夜里": 12, "中午": 3}  # 12 to hours before these
_HALF = r"(?P<half>[ap]\.?m\b\.?)"
_CLOCKS = (
    rf"(?P<part>{_PARTS})?(?<![\d:.])(?P<h>\d{{1,2}}):(?P<m>\d{{2}})(?::(?P<s>\d{{2}}))?(?![\d:])(?:\s?{_HALF})?",
    rf"(?<![\d:.])(?P<h>\d{{1,2}})(?:\.(?P<m>\d{{2}}))?\s?{_HALF}",
    rf"(?P<part>{_PARTS})?(?<![\d:.])(?P<h>\d\d?|[{_N}]+)(?:[点时]|\s?o'?clock\b)(?:(?P<m>\d\d?|[{_N}半整]+)分?)?(?!\d)",
    r"(?<![a-z])(?P<name>noon|midday|midnight|正午|午夜)(?![a-z])",
)


def _clocks(text: str) -> Iterator[Value]:
    """Yield the times of day in a text."""
    for match in (match for pattern in _CLOCKS for match in re.finditer(pattern, text)):
        groups = dict.fromkeys(("half", "part", "name"), "") | dict.fromkeys("hms", "0")
        groups |= {name: group for name, group in match.groupdict().items() if group}
        half, part = groups["half"], groups["part"]
        hour, minute, second = (_count(groups[each]) for each in "hms")
        if minute > 59 or second > 59 or hour > 24 or (half and not 1 <= hour <= 12):
            continue
        is_certain = bool(half or part) or not 1 <= hour <= 12 or match[0][0] == "0"
        is_certain = is_certain and not (part and hour == 12 and part != "中午")
        if half:
            hour = hour % 12 + (12 if half[0] == "p" else 0)
        elif hour < _ADDED.get(part, 0):
            hour += 12
        elif groups["name"] not in {"", "midnight", "午夜"}:
            hour = 12
        seconds = 3600 * (hour % 24) + 60 * minute + second
        yield Value(*match.span(), "clock" if is_certain else "half", seconds)


def _count(text: str) -> int:
    """Return the number of hours, minutes, months or days; 99 if it is none."""
    value = _chinese({"半": "30", "整": "0"}.get(text, text.lstrip("零0") or "0"))
    return 99 if value is None else int(value)


@lru_cache(maxsize=1)
def _months() -> Mapping[str, int]:
    """Return the English names of the months, long and short, with their numbers."""
    from babel.dates import get_month_names  # it takes 50 ms to import

    each = [get_month_names(width, locale="en").items() for width in ("wide", "abbreviated")]
    return {"sept": 9} | {name.lower(): number for items in each for number, name in items}


@lru_cache(maxsize=1)
def _date_patterns() -> tuple[str, ...]:
    month = rf"\b(?P<name>{'|'.join(sorted(_months(), key=len, reverse=True))})\b\.?"
    weekday = "|".join(" ".join(WORDS["same"]["words"][:7]).split())
    before, after = rf"(?:\b(?:{weekday})\b[.,]?\s)?", rf"(?:,?\s?\(?(?:{weekday})\b\)?)?"
    year, day = r"(?P<y>\d{4})(?!\d|[.:-]\d)", r"(?P<d>\d{1,2})(?:st|nd|rd|th)?(?![\d:])"
    written = rf"(?:(?P<y>\d{{4}})年)?(?<!\d)(?P<m>\d{{1,2}}|[{_N}]{{1,2}})月"
    return (
        rf"(?<![\d/.-])(?P<y>\d{{4}})([-/.])(?P<m>\d{{1,2}})\2(?P<d>\d{{1,2}})(?![\d/.-]\d){after}",
        rf"{before}(?<![\d/.:-])(?:the )?{day}(?: of)?[\s-]{month}(?:,?[\s-]{year})?{after}",
        rf"{before}{month}\s(?:the )?{day}(?:,?\s{year})?{after}",
        rf"{month},?\s{year}",
        rf"{before}{written}(?P<d>\d{{1,2}}|[{_N}]{{1,3}})[日号]{after}",
        rf"{written}份?(?![\d日号])",
        rf"{before}(?<![\d/.-])(?P<d>\d{{1,2}})\.\s?(?P<m>\d{{1,2}})\.\s?{year}{after}",
    )


def _dates(text: str) -> Iterator[Value]:
    """Yield the dates in a text whose notation has one meaning only: not 05/06/2026."""
    for match in (match for pattern in _date_patterns() for match in re.finditer(pattern, text)):
        groups: dict[str, Any] = dict.fromkeys(("name", "y", "d")) | match.groupdict()
        name, day, year = groups["name"], groups["d"], groups["y"]
        month = _months()[name] if name else _count(groups["m"])
        if month <= 12 and (day is None or _count(day) <= 31):
            date = (int(year) if year else None, month, _count(day) if day else None)
            yield Value(*match.span(), "date", date)
            yield Value(*match.span(), "day", date[1:])
