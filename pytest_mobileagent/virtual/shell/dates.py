"""Reads and writes dates as toybox does."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.commands import Failure

if TYPE_CHECKING:
    from collections.abc import Sequence

_UNIX = re.compile(r"@(-?\d+(?:\.\d+)?)")
_ISO = re.compile(
    r"(?:(\d{4})-(\d\d?)-(\d\d?))?(?:[T ]|(?=\d\d?:)|$)(?:(\d\d?):(\d\d)(?::(\d\d)(\.\d+)?)?)?"
    r"\s*(Z|[-+]\d\d:?\d\d)?"
)
_POSIX = re.compile(r"(\d\d)(\d\d)(\d\d)(\d\d)(\d\d|\d{4})?(?:\.(\d\d))?")
_TOUCH = re.compile(r"(\d\d|\d{4})?(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d\d))?")
_NANOSECONDS = re.compile(r"%(\d?)N")


def parsed(text: str, now: datetime) -> float:
    """Return the time that `text` names, in seconds since the epoch; what it omits is now's."""
    if unix := _UNIX.fullmatch(text):
        return float(unix[1])
    zone = now.tzinfo
    try:
        if match := _POSIX.fullmatch(text):
            month, day, hour, minute, year, second = match.groups()
            return _moment([year, month, day, hour, minute, second], zone, now)
        if (match := _ISO.fullmatch(text)) and text.strip():
            *fields, fraction, offset = match.groups()
            zone = _zone(offset) if offset else zone
            return _moment(fields, zone, now) + float(fraction or 0)
    except ValueError:
        pass
    raise Failure(f"bad date {text}")


def parsed_for_touch(text: str, now: datetime) -> float:
    """Return the time that touch -t takes: [[CC]YY]MMDDhhmm[.ss]."""
    match = _TOUCH.fullmatch(text)
    if match is None:
        raise Failure(f"bad date '{text}'")
    return _moment(match.groups(), now.tzinfo, now)


def formatted(moment: datetime, form: str) -> str:
    """Return `moment` as strftime writes it; %N is the nanoseconds, %3N the milliseconds."""
    nanoseconds = f"{moment.microsecond * 1000:09d}"
    form = _NANOSECONDS.sub(lambda match: nanoseconds[: int(match[1] or 9)], form)
    return moment.strftime(form.replace("%s", str(int(moment.timestamp()))))


def _moment(fields: Sequence[str | None], zone: tzinfo | None, now: datetime) -> float:
    """Return the time that a year, month, day, hour, minute and second name."""
    year, month, day, hour, minute, second = fields
    if year is not None and len(year) == 2:
        year = f"{'19' if int(year) > 68 else '20'}{year}"
    date = int(year or now.year), int(month or now.month), int(day or now.day)
    time = int(hour or 0), int(minute or 0), int(second or 0)
    return datetime(*date, *time, tzinfo=zone).timestamp()


def _zone(text: str) -> timezone:
    if text == "Z":
        return UTC
    sign = -1 if text[0] == "-" else 1
    return timezone(sign * timedelta(hours=int(text[1:3]), minutes=int(text[-2:])))
