"""Dates and days of the week, in English and Chinese notation."""

from __future__ import annotations

import re
from calendar import monthrange
from typing import TYPE_CHECKING

from pytest_mobileagent.check.answers.meaning import Date, Found, Weekday
from pytest_mobileagent.check.answers.words import CHINESE

if TYPE_CHECKING:
    from collections.abc import Iterator

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH = {
    **{name: place for place, name in enumerate(_MONTHS, 1)},
    **{name[:3]: place for place, name in enumerate(_MONTHS, 1)},
    "sept": 9,
}
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_DAY = {
    **{name: place for place, name in enumerate(_DAYS)},
    "mon": 0,
    "tue": 1,
    "tues": 1,
    "wed": 2,
    "thu": 3,
    "thur": 3,
    "thurs": 3,
    "fri": 4,
}
_CHINESE_DAYS = "一二三四五六日"
_NAMES = "|".join(sorted(_MONTH, key=len, reverse=True))
_LETTER = rf"[^\W\d_{CHINESE}]"
_BEGIN = r"(?<![\d.,:/-])"
_TH = r"(?:st|nd|rd|th)?"
_YEAR = r"(?:,? (\d{4})(?![\d:.,/-]\d|\d))?"
_CN = r"(\d{1,2})"

_ISO = re.compile(rf"{_BEGIN}(\d{{4}})([-/.])(\d{{1,2}})\2(\d{{1,2}})(?![\d/-])")
_DOTTED = re.compile(rf"{_BEGIN}(\d{{1,2}})\. ?(\d{{1,2}})\. ?(\d{{4}})(?!\d)")
_DOTTED_DAY = re.compile(rf"{_BEGIN}([0-3]\d)\.([01]\d)\.(?!\d)")
_SLASHED = re.compile(rf"{_BEGIN}(\d{{1,2}})/(\d{{1,2}})/(\d{{4}})(?![\d/])")
_MONTH_DAY = re.compile(
    rf"(?<!{_LETTER})({_NAMES})\.? (?:the )?(\d{{1,2}}){_TH}(?![\d:/%]|[.,]\d|{_LETTER}){_YEAR}"
)
_DAY_MONTH = re.compile(
    rf"{_BEGIN}(\d{{1,2}})(?:{_TH}|\.)(?: of)? ?-?({_NAMES})"
    rf"(?!{_LETTER}| (?:be|have|not)(?!{_LETTER}))(?:\.(?! ?\d{{4}}))?{_YEAR}"
)
_MONTH_YEAR = re.compile(rf"(?<!{_LETTER})({_NAMES})\.?,? (\d{{4}})(?![\d:.,]\d|\d)")
_CHINESE = re.compile(rf"(?:(\d{{4}}) ?年 ?)?(?<!\d){_CN} ?月 ?{_CN}(?!\d) ?(?:日|号)?")
_CHINESE_MONTH = re.compile(rf"(?:(\d{{4}}) ?年 ?)?(?<!\d){_CN} ?月(?:份)?(?! ?\d)")
_WEEKDAY = re.compile(
    rf"(?<!{_LETTER})({'|'.join(sorted(_DAY, key=len, reverse=True))})(?!{_LETTER}|['\u2019])"
)
# "sun" and "sat" are days only where a date would go on.
_SHORT_DAY = re.compile(rf"(?<!{_LETTER})(sat|sun)(?=,|\.?,? ?\d|\.?$)")
_CHINESE_DAY = re.compile(rf"(?:星期|礼拜|周)([{_CHINESE_DAYS}天])")


def dates(text: str) -> Iterator[Found]:
    """Find days and months. 05/06/2026 is left out: it may be in May or in June."""
    yield from _in_figures(text)
    for found in _MONTH_DAY.finditer(text):
        yield from _date(found, found[3], _MONTH[found[1]], int(found[2]))
    for found in _DAY_MONTH.finditer(text):
        yield from _date(found, found[3], _MONTH[found[2]], int(found[1]))
    for found in _MONTH_YEAR.finditer(text):
        yield from _date(found, found[2], _MONTH[found[1]], None)
    for found in _CHINESE.finditer(text):
        yield from _date(found, found[1], int(found[2]), int(found[3]))
    for found in _CHINESE_MONTH.finditer(text):
        yield from _date(found, found[1], int(found[2]), None)


def _in_figures(text: str) -> Iterator[Found]:
    for found in _ISO.finditer(text):
        yield from _date(found, found[1], int(found[3]), int(found[4]))
    for found in _DOTTED.finditer(text):
        yield from _date(found, found[3], int(found[2]), int(found[1]))
    for found in _DOTTED_DAY.finditer(text):  # or a number at the end of a sentence
        yield from _date(found, None, int(found[2]), int(found[1]), is_word_by_word=True)
    for found in _SLASHED.finditer(text):
        first, second = int(found[1]), int(found[2])
        if max(first, second) > 12 or first == second:
            yield from _date(found, found[3], min(first, second), max(first, second))


def weekdays(text: str) -> Iterator[Found]:
    """Find days of the week."""
    for found in _WEEKDAY.finditer(text):
        yield Found(found.start(), found.end(), Weekday(_DAY[found[1]]))
    for found in _SHORT_DAY.finditer(text):
        yield Found(found.start(), found.end(), Weekday(5 if found[1] == "sat" else 6))
    for found in _CHINESE_DAY.finditer(text):
        day = _CHINESE_DAYS.find(found[1])
        yield Found(found.start(), found.end(), Weekday(6 if day < 0 else day))


def _date(
    found: re.Match[str],
    year: str | None,
    month: int | None,
    day: int | None,
    *,
    is_word_by_word: bool = False,
) -> Iterator[Found]:
    """Yield the date, if there is such a day in some year."""
    if month is None or not 1 <= month <= 12:
        return
    last = monthrange(int(year) if year and int(year) else 2000, month)[1]
    if day is None or 1 <= day <= last:
        date = Date(int(year) if year else None, month, day, is_word_by_word)
        yield Found(found.start(), found.end(), date)
