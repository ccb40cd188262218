"""Times of day, dates and days of the week, in English and Chinese notation."""

from __future__ import annotations

import re
from calendar import monthrange
from typing import TYPE_CHECKING

from pytest_mobileagent.check.answers.meaning import Date, Found, Time, Weekday
from pytest_mobileagent.check.answers.words import CHINESE

if TYPE_CHECKING:
    from collections.abc import Iterator


_LETTER = rf"[^\W\d_{CHINESE}]"
_BEGIN = r"(?<![\d.,:/])"
# The half of the day, written after the time.
_AM_PM = (
    rf"(?P<half>(?:(?: o['\u2019 ]?clock)?(?: ?(?:[ap]m|[ap]\.m\.?)(?!{_LETTER})"
    r"|(?: ?,? (?:in the|this) (?:early )?(?:morning|afternoon|evening)| at night| tonight)\b)))"
)
_CLOCK = re.compile(
    rf"{_BEGIN}(?P<hour>\d{{1,2}}):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?(?![\d:]|[.,]\d)"
    rf"(?:{_AM_PM}|(?!{_LETTER}))"
)
_HOUR = re.compile(rf"{_BEGIN}(?P<hour>1[0-2]|0?[1-9])(?:\.(?P<minute>[0-5]\d))?{_AM_PM}")
_O_CLOCK = re.compile(rf"{_BEGIN}(?P<hour>\d{{1,2}}) ?o['\u2019 ]?clock\b")
_PAST = re.compile(
    rf"{_BEGIN}(?<!{_LETTER})(?:(?P<half_hour>half)|(?:a )?(?P<quarter>quarter)"
    rf"|(?P<minute>\d{{1,2}})(?P<named> minutes?)?) (?P<way>past|after|to|before|of|till) "
    rf"(?:(?P<hour>1[0-2]|[1-9])(?![\d:]|[.,]\d)(?:{_AM_PM})?|(?P<word>noon|midnight)\b)"
)
_NAMED = re.compile(
    rf"(?<!{_LETTER})(?:(?:12|1[02]:00) )?(?P<word>noon|midday|midnight)(?!{_LETTER})"
)
_ENGLISH_NAMES = {"noon": 12, "midday": 12, "midnight": 0}

_MORNING = ("上午", "早上", "清晨", "早晨", "凌晨", "今早", "明早", "早")
_DAYTIME = ("下午", "午后", "傍晚", "黄昏")
_NIGHT = ("晚上", "夜里", "夜晚", "半夜", "午夜", "深夜", "今晚", "明晚", "昨晚", "当晚", "晚")
_NOON = ("中午", "正午")
_DAY_PART = "|".join(sorted((*_MORNING, *_DAYTIME, *_NIGHT, *_NOON), key=len, reverse=True))
_LEFT = r"(?P<left>1刻|\d{1,2}分)"
_CHINESE_TIME = re.compile(
    rf"(?:(?P<half>{_DAY_PART})的?)? ?{_BEGIN}(?P<hour>\d{{1,2}}) ?[点时](?!间|候|代|\d[点.])"
    rf"(?:(?P<part>半|1刻|3刻)|整|钟整?|差{_LEFT}|过?(?P<minute>[0-5]\d) ?分?(?!\d)"
    r"|过?(?P<short>\d)(?:分))?(?!\d)"
)
_CHINESE_TO = re.compile(
    rf"(?:(?P<half>{_DAY_PART})的?)? ?差{_LEFT}(?:到)?(?P<hour>\d{{1,2}}) ?[点时]钟?(?!\d)"
)
_CHINESE_CLOCK = re.compile(
    rf"(?P<half>{_DAY_PART}) ?(?P<hour>\d{{1,2}}):(?P<minute>[0-5]\d)(?![\d:])"
)
_CHINESE_NAMED = re.compile(r"(?P<word>中午|正午|午夜|半夜)(?! ?\d)")
_CHINESE_NAMES = {"中午": 12, "正午": 12, "午夜": 0, "半夜": 0}
_PARTS = {"半": 30, "1刻": 15, "3刻": 45}


def times(text: str) -> Iterator[Found]:
    """Yield times of day, such as 9:30 am, half past nine, noon, 下午三点半, 差一刻九点."""
    for pattern in (_CLOCK, _HOUR):
        for found in pattern.finditer(text):
            named = found.groupdict()
            parts = (int(named.get(part) or 0) for part in ("minute", "second"))
            yield from _time(found, named["half"], int(found["hour"]), *parts)
    for found in _O_CLOCK.finditer(text):
        yield from _time(found, None, int(found["hour"]), 0)
    for found in _PAST.finditer(text):
        yield from _past(found)
    for found in _NAMED.finditer(text):
        yield Found(*found.span(), Time(_ENGLISH_NAMES[found["word"]] * 3600))
    yield from _chinese(text)


def _chinese(text: str) -> Iterator[Found]:
    for found in _CHINESE_TIME.finditer(text):
        minutes = _PARTS.get(found["part"] or "", int(found["minute"] or found["short"] or 0))
        yield from _time(found, found["half"], int(found["hour"]), minutes - _left(found))
    for found in _CHINESE_TO.finditer(text):
        yield from _time(found, found["half"], int(found["hour"]), -_left(found))
    for found in _CHINESE_CLOCK.finditer(text):
        yield from _time(found, found["half"], int(found["hour"]), int(found["minute"]))
    for found in _CHINESE_NAMED.finditer(text):
        yield Found(*found.span(), Time(_CHINESE_NAMES[found["word"]] * 3600))


def _left(found: re.Match[str]) -> int:
    left = found["left"]
    return 0 if not left else 15 if left == "1刻" else int(left.removesuffix("分"))


def _past(found: re.Match[str]) -> Iterator[Found]:
    """Yield a time relative to an hour; "10 to 9" may be a range, "6 to 9" always is."""
    is_after = found["way"] in ("past", "after")
    if found["half_hour"]:
        if found["way"] != "past":
            return
        minutes = 30
    elif found["quarter"]:
        minutes = 15
    else:
        minutes = int(found["minute"])
        is_spoken = minutes in (5, 10, 20, 25) and found["way"] in ("past", "to")
        if minutes > 59 or not (found["named"] or is_spoken or found["way"] == "past"):
            return
    hour = _ENGLISH_NAMES[found["word"]] or 24 if found["word"] else int(found["hour"])
    yield from _time(found, found["half"], hour, minutes if is_after else -minutes)


def _time(
    found: re.Match[str], part: str | None, hour: int, minutes: int, seconds: int = 0
) -> Iterator[Found]:
    """Yield the time, given its part of the day, if the hour is valid."""
    if hour > 24 or minutes > 59:
        return
    total = (_hour(part, hour) % 24 * 60 + minutes) * 60 + seconds
    yield Found(*found.span(), Time(total % 86_400))


def _hour(part: str | None, hour: int) -> int:
    """Return the hour on a 24-hour clock; 12 at night is midnight, and 2 at night is 2 am."""
    part = re.sub(r"[\s.,]|o['\u2019]?clock", "", part or "")
    if part == "am" or part.endswith("morning") or part in _MORNING:
        return hour % 12 if hour <= 12 else hour
    if part in ("atnight", "tonight", *_NIGHT):
        is_late = hour >= 5 or part in ("tonight", "今晚", "明晚", "昨晚", "当晚", "晚上", "晚")
        return hour % 12 + (12 if is_late and hour != 12 else 0) if hour <= 12 else hour
    if part == "pm" or part.endswith(("afternoon", "evening")) or part in _DAYTIME:
        return hour % 12 + 12 if hour <= 12 else hour
    return hour + 12 if part in _NOON and hour < 3 else hour


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
_DATES_BEGIN = r"(?<![\d.,:/-])"
_TH = r"(?:st|nd|rd|th)?"
_YEAR = r"(?:,? (\d{4})(?![\d:.,/-]\d|\d))?"
_CN = r"(\d{1,2})"

_ISO = re.compile(rf"{_DATES_BEGIN}(\d{{4}})([-/.])(\d{{1,2}})\2(\d{{1,2}})(?![\d/-])")
_DOTTED = re.compile(rf"{_DATES_BEGIN}(\d{{1,2}})\. ?(\d{{1,2}})\. ?(\d{{4}})(?!\d)")
_DOTTED_DAY = re.compile(rf"{_DATES_BEGIN}([0-3]\d)\.([01]\d)\.(?!\d)")
_SLASHED = re.compile(rf"{_DATES_BEGIN}(\d{{1,2}})/(\d{{1,2}})/(\d{{4}})(?![\d/])")
_MONTH_DAY = re.compile(
    rf"(?<!{_LETTER})({_NAMES})\.? (?:the )?(\d{{1,2}}){_TH}(?![\d:/%]|[.,]\d|{_LETTER}){_YEAR}"
)
_DAY_MONTH = re.compile(
    rf"{_DATES_BEGIN}(\d{{1,2}})(?:{_TH}|\.)(?: of)? ?-?({_NAMES})"
    rf"(?!{_LETTER}| (?:be|have|not)(?!{_LETTER}))(?:\.(?! ?\d{{4}}))?{_YEAR}"
)
_MONTH_YEAR = re.compile(rf"(?<!{_LETTER})({_NAMES})\.?,? (\d{{4}})(?![\d:.,]\d|\d)")
_CHINESE = re.compile(rf"(?:(\d{{4}}) ?年 ?)?(?<!\d){_CN} ?月 ?{_CN}(?!\d) ?(?:日|号)?")
_CHINESE_MONTH = re.compile(rf"(?:(\d{{4}}) ?年 ?)?(?<!\d){_CN} ?月(?:份)?(?! ?\d)")
_WEEKDAY = re.compile(
    rf"(?<!{_LETTER})({'|'.join(sorted(_DAY, key=len, reverse=True))})(?!{_LETTER}|['\u2019])"
)
# "sun" and "sat" are days only where a date could continue.
_SHORT_DAY = re.compile(rf"(?<!{_LETTER})(sat|sun)(?=,|\.?,? ?\d|\.?$)")
_CHINESE_DAY = re.compile(rf"(?:星期|礼拜|周)([{_CHINESE_DAYS}天])")


def dates(text: str) -> Iterator[Found]:
    """Yield days and months. 05/06/2026 is skipped: it may be in May or in June."""
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
    for found in _DOTTED_DAY.finditer(text):  # may also be a number at the end of a sentence
        yield from _date(found, None, int(found[2]), int(found[1]), is_word_by_word=True)
    for found in _SLASHED.finditer(text):
        first, second = int(found[1]), int(found[2])
        if max(first, second) > 12 or first == second:
            yield from _date(found, found[3], min(first, second), max(first, second))


def weekdays(text: str) -> Iterator[Found]:
    """Yield days of the week."""
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
    """Yield the date, if it exists in some year."""
    if month is None or not 1 <= month <= 12:
        return
    last = monthrange(int(year) if year and int(year) else 2000, month)[1]
    if day is None or 1 <= day <= last:
        date = Date(int(year) if year else None, month, day, is_word_by_word)
        yield Found(found.start(), found.end(), date)
