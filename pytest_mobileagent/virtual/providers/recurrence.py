"""The instances of events, which happen once or recur by a rule."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_mobileagent.virtual.kernel.clock import zone_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from zoneinfo import ZoneInfo

_EPOCH_DAY = 2_440_588  # the Julian day of 1 January 1970
_MOST = 3000  # limit of instances of an event in a time window
_DURATION = re.compile(r"P(?:(\d+)W)?(?:(\d+)D)?(?:T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$")


class Occurrence(NamedTuple):
    """An instance of an event; times are in milliseconds, days are Julian days."""

    begin: int
    end: int
    start_day: int
    end_day: int
    start_minute: int
    end_minute: int


def occurrences(
    event: Mapping[str, Any], begin: int, end: int, local: ZoneInfo
) -> Iterator[Occurrence]:
    """Yield the instances of an event in a time window; days are those of a time zone."""
    whole_day = bool(event["allDay"])
    zone = zone_of("UTC") if whole_day else local
    length = _length(event)
    for start in _starts(event, begin - length, end):
        if start <= end and start + length >= begin:
            yield _placed(start, start + length, zone)


def julian_day(moment: datetime) -> int:
    """Return the Julian day of a date."""
    return moment.toordinal() - datetime(1970, 1, 1, tzinfo=UTC).toordinal() + _EPOCH_DAY


def milliseconds_of(duration: str) -> int:
    """Parse a duration such as PT1H or P3600S."""
    match = _DURATION.match(duration.strip().lstrip("+"))
    if not match:
        return 0
    weeks, days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    length = timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)
    return int(length.total_seconds() * 1000)


def last_date(event: Mapping[str, Any]) -> int | None:
    """Return when the last instance of an event ends, or None if it recurs forever."""
    if not event.get("rrule"):
        return int(event["dtstart"]) + _length(event)
    if not re.search("COUNT|UNTIL", str(event["rrule"])):
        return None
    starts = list(_starts(event, event["dtstart"], event["dtstart"] + 20 * 366 * 86_400_000))
    return (starts[-1] if starts else event["dtstart"]) + _length(event)


def _length(event: Mapping[str, Any]) -> int:
    if event.get("duration"):
        return milliseconds_of(str(event["duration"]))
    return max(0, int(event.get("dtend") or event["dtstart"]) - int(event["dtstart"]))


def _starts(event: Mapping[str, Any], begin: int, end: int) -> Iterator[int]:
    first = int(event["dtstart"])
    if not event.get("rrule"):
        yield first
        return
    zone = zone_of("UTC" if event["allDay"] else str(event.get("eventTimezone") or "UTC"))
    start = datetime.fromtimestamp(first / 1000, zone).replace(tzinfo=None)
    skipped = set(str(event.get("exdate") or "").split(","))
    for count, moment in enumerate(_rule(str(event["rrule"]), start, zone)):
        at = moment.replace(tzinfo=zone)
        stamp = int(at.timestamp() * 1000)
        if stamp > end or count >= _MOST:
            return
        if stamp >= begin and f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}" not in skipped:
            yield stamp


def _rule(text: str, start: datetime, zone: ZoneInfo) -> Iterator[datetime]:
    """Yield the times of a recurrence rule, in its time zone."""
    from dateutil.rrule import rrulestr  # most phones have no such event

    def local(match: re.Match[str]) -> str:
        """Convert UNTIL, which may be in UTC, to local time without a zone."""
        moment = datetime.strptime(match[1], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        return f"UNTIL={moment.astimezone(zone):%Y%m%dT%H%M%S}"

    plain = re.sub(r"UNTIL=(\d{8}T\d{6}Z)", local, text)
    try:
        yield from rrulestr(plain, dtstart=start)
    except ValueError:
        yield start


def _placed(begin: int, end: int, zone: ZoneInfo) -> Occurrence:
    first = datetime.fromtimestamp(begin / 1000, zone)
    last = datetime.fromtimestamp(end / 1000, zone)
    start_day, end_day = julian_day(first), julian_day(last)
    end_minute = last.hour * 60 + last.minute
    if end_minute == 0 and end_day > start_day:
        end_day, end_minute = end_day - 1, 1440
    minute = first.hour * 60 + first.minute
    return Occurrence(begin, end, start_day, end_day, minute, end_minute)
