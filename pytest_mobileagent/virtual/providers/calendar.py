"""The calendar provider, and the recurrence of its events."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_mobileagent.virtual.app.provider import Ask, Provider, ProviderError, Rows
from pytest_mobileagent.virtual.kernel.clock import zone_of
from pytest_mobileagent.virtual.providers.storage import Storage, tables_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from zoneinfo import ZoneInfo

    from pytest_mobileagent.virtual.app.provider import Uri, Values


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
        moment = datetime.strptime(match[1], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        return f"UNTIL={moment.astimezone(zone):%Y%m%dT%H%M%S}"

    try:
        yield from rrulestr(re.sub(r"UNTIL=(\d{8}T\d{6}Z)", local, text), dtstart=start)
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


_INSTANCE = ["_id", "event_id", "begin", "end", "startDay", "endDay", "startMinute", "endMinute"]
_SHOWN = (
    "(SELECT found._id AS _id, found.event_id AS event_id, found.begin AS begin,"
    ' found."end" AS "end", startDay, endDay, startMinute, endMinute, view_events.*'
    " FROM temp.found AS found JOIN view_events ON view_events._id = found.event_id)"
)


class Calendar(Provider):
    """Calendars and events; instances are computed for the requested time window."""

    authorities = ("com.android.calendar", "calendar")
    database_name = "calendar.db"
    tables = tables_of("calendar")

    def type_of(self, uri: Uri) -> str | None:
        """Return the MIME type; a time has one too, although nothing is stored for it."""
        return "time/epoch" if uri.path[:1] == ("time",) else super().type_of(uri)

    def query(self, uri: Uri, ask: Ask) -> Rows | None:
        """Return rows, or instances of events."""
        if uri.path[:1] != ("instances",):
            return super().query(uri, ask)
        _, found = self.table(uri)
        try:
            begin, end = int(found[0]), int(found[1])
        except ValueError:
            message = f"Cannot parse begin {found[0]}"
            raise ProviderError("IllegalArgumentException", message) from None
        return self._happening(begin, end, ask)

    def insert(self, uri: Uri, values: Values) -> str | None:
        """Insert a row; an event requires a start, a calendar and a time zone."""
        table, _ = self.table(uri)
        if table.into != "Events":
            made = super().insert(uri, values)
            if table.source == "Reminders":
                event = values.get("event_id")
                self.run("UPDATE Events SET hasAlarm = 1 WHERE _id = ?", event)
            return made
        for column in ("dtstart", "calendar_id", "eventTimezone"):
            if values.get(column) is None:
                zone = column == "eventTimezone"
                words = "Event values must include an" if zone else "New events must include a"
                raise ProviderError("IllegalArgumentException", f"{words} {column}")
        event = {"dtend": None, "duration": None, "allDay": 0, **values}
        row = {"hasAttendeeData": 0, "dirty": 1, "eventStatus": 1, **values}
        number = self.add("Events", {**row, "lastDate": last_date(event)})
        return f"{uri}/{number}"

    def update(self, uri: Uri, values: Values, ask: Ask) -> int:
        """Update rows, and the dates of the last instances of events."""
        count = super().update(uri, values, ask)
        table, _ = self.table(uri)
        if table.into == "Events" and count:
            for event in self.db.query("SELECT * FROM Events WHERE dtstart IS NOT NULL"):
                if event["lastDate"] != (last := last_date(event)):
                    self.change("Events", event["_id"], {"lastDate": last})
        return count

    def delete(self, uri: Uri, ask: Ask) -> int:
        """Delete rows; an event without reminders has no alarm."""
        count = super().delete(uri, ask)
        table, _ = self.table(uri)
        if table.source == "Reminders":
            bare = "hasAlarm AND _id NOT IN (SELECT event_id FROM Reminders)"
            self.run(f"UPDATE Events SET hasAlarm = 0 WHERE {bare}")
        return count

    def _happening(self, begin: int, end: int, ask: Ask) -> Rows:
        """Compute the instances in a time window, and query them."""
        window = "dtstart <= ? AND (lastDate IS NULL OR lastDate >= ?)"
        sql = f"SELECT * FROM Events WHERE deleted = 0 AND {window}"
        zone = self.phone.clock.zone
        found: list[tuple[Any, ...]] = []
        for event in self.db.query(sql, end, begin):
            for each in occurrences(event, begin, end, zone):
                found.append((len(found) + 1, event["_id"], *each))
        self.db.table_of("found", ", ".join(f'"{name}"' for name in _INSTANCE), found)
        return self.select(_SHOWN, ask, sort="begin")


class CalendarStorage(Storage):
    """Stores calendars."""

    package, label = "com.android.providers.calendar", "Calendar Storage"
    providers = (Calendar,)
