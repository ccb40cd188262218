"""Times of day and dates in text, in English and Chinese."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_mobileagent.check.answers.numbers import Value, chinese
from pytest_mobileagent.check.answers.text import WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.check.answers.text import Text

_N = "零一二两三四五六七八九十"
_PARTS = "凌晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里"
_ADDED = {"下午": 12, "傍晚": 12, "晚上": 12, "夜里": 12, "中午": 3}  # 12 to hours before these
_HALF = r"(?P<half>[ap]\.?m\b\.?)"
_CLOCKS = tuple(
    map(
        re.compile,
        (
            rf"(?<![\d:.])(?P<h>\d{{1,2}}):(?P<m>\d{{2}})(?::(?P<s>\d{{2}}))?(?![\d:])(?:\s?{_HALF})?",
            rf"(?<![\d:.])(?P<h>\d{{1,2}})(?:\.(?P<m>\d{{2}}))?\s?{_HALF}",
            r"(?<![\d:.])(?P<h>\d{1,2})\s?o'?clock\b",
            rf"(?P<part>{_PARTS})(?P<h>\d{{1,2}}):(?P<m>\d{{2}})(?!\d)",
            rf"(?P<part>{_PARTS})?(?<!\d)(?P<h>\d\d?|[{_N}]+)[点时](?:(?P<m>\d\d?|[{_N}半整]+)分?)?(?!\d)",
            r"(?<![a-z])(?P<name>noon|midday|midnight|正午|午夜)(?![a-z])",
        ),
    )
)


@lru_cache(maxsize=256)
def clocks(text: Text) -> tuple[Value, ...]:
    """Return the times of day in a text; of overlapping ones, the longest."""
    found: list[Value] = []
    matches = [match for pattern in _CLOCKS for match in pattern.finditer(text.folded)]
    for match in sorted(matches, key=lambda match: match.start() - match.end()):
        groups = {"half": "", "part": "", "name": "", "h": "0", "m": "0", "s": "0"}
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
        made = Value(*match.span(), "clock" if is_certain else "half", seconds)
        if not made.overlaps(found):
            found.append(made)
    return tuple(found)


def _count(text: str) -> int:
    """Return the number of hours, minutes, months or days; 99 if it is none."""
    if text in {"半", "整"}:
        return 30 if text == "半" else 0
    value = int(text) if text.isdigit() else chinese(text.lstrip("零") or "零")
    return 99 if value is None else int(value)


WEEKDAYS = tuple(frozenset(names.split()) for names in WORDS["week"]["days"])


@lru_cache(maxsize=1)
def _months() -> Mapping[str, int]:
    """Return the English names of the months, long and short, with their numbers."""
    from babel.dates import get_month_names  # it takes 50 ms to import

    each = [get_month_names(width, locale="en").items() for width in ("wide", "abbreviated")]
    return {"sept": 9} | {name.lower(): number for items in each for number, name in items}


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], ...]:
    month = rf"\b(?P<name>{'|'.join(sorted(_months(), key=len, reverse=True))})\b\.?"
    weekday = "|".join(name for names in WEEKDAYS for name in names)
    before, after = rf"(?:\b(?:{weekday})\b[.,]?\s)?", rf"(?:,?\s?\(?(?:{weekday})\b\)?)?"
    year, day = r"(?P<y>\d{4})(?!\d|[.:-]\d)", r"(?P<d>\d{1,2})(?:st|nd|rd|th)?(?![\d:])"
    forms = (
        r"(?<![\d/.-])(?P<y>\d{4})([-/.])(?P<m>\d{1,2})\2(?P<d>\d{1,2})(?![\d/.-]\d)",
        rf"(?<![\d/.:-])(?:the )?{day}(?: of)?[\s-]{month}(?:,?[\s-]{year})?",
        rf"{month}\s(?:the )?{day}(?:,?\s{year})?",
        rf"{month},?\s{year}",
        rf"(?:(?P<y>\d{{4}})年)?(?<!\d)(?P<m>\d{{1,2}}|[{_N}]{{1,2}})月(?P<d>\d{{1,2}}|[{_N}]{{1,3}})[日号]",
        rf"(?:(?P<y>\d{{4}})年)?(?<!\d)(?P<m>\d{{1,2}}|[{_N}]{{1,2}})月份?(?![\d日号])",
        rf"(?<![\d/.-])(?P<d>\d{{1,2}})\.\s?(?P<m>\d{{1,2}})\.\s?{year}",
    )
    return tuple(
        re.compile((before if "2})([-" not in form else "") + form + after) for form in forms
    )


@lru_cache(maxsize=256)
def dates(text: Text) -> tuple[Value, ...]:
    """Return the dates in a text whose notation has one meaning only: not 05/06/2026.

    Their values are year, month and day; what is not said is None.
    """
    found: list[Value] = []
    for match in (match for pattern in _patterns() for match in pattern.finditer(text.folded)):
        groups = match.groupdict()
        name, day, year = groups.get("name"), groups.get("d"), groups.get("y")
        month = _months()[name] if name else _count(groups["m"])
        value = (int(year) if year else None, month, _count(day) if day else None)
        made = Value(*match.span(), "date", value)
        if month <= 12 and (value[2] or 1) <= 31 and not made.overlaps(found):
            found.append(made)
    return tuple(found)
