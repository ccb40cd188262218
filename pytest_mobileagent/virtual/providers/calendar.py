"""The calendar provider: calendars, events, reminders, and the instances of events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.app.provider import Ask, Provider, ProviderError, Rows
from pytest_mobileagent.virtual.providers.recurrence import last_date, occurrences
from pytest_mobileagent.virtual.providers.storage import Storage, tables_of

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.app.provider import Values
    from pytest_mobileagent.virtual.content.uri import Uri

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
            raise ProviderError(
                "IllegalArgumentException", f"Cannot parse begin {found[0]}"
            ) from None
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
            self.run(
                "UPDATE Events SET hasAlarm = 0 WHERE hasAlarm"
                " AND _id NOT IN (SELECT event_id FROM Reminders)"
            )
        return count

    def _happening(self, begin: int, end: int, ask: Ask) -> Rows:
        """Compute the instances in a time window, and query them."""
        events = self.db.query(
            "SELECT * FROM Events WHERE deleted = 0 AND dtstart <= ?"
            " AND (lastDate IS NULL OR lastDate >= ?)",
            end,
            begin,
        )
        zone = self.phone.clock.zone
        found: list[tuple[Any, ...]] = []
        for event in events:
            for each in occurrences(event, begin, end, zone):
                found.append((len(found) + 1, event["_id"], *each))
        names = ", ".join(f'"{name}"' for name in _INSTANCE)
        self.db.table_of("found", names, found)
        return self.select(_SHOWN, ask, sort="begin")


class CalendarStorage(Storage):
    """Stores calendars."""

    package, label = "com.android.providers.calendar", "Calendar Storage"
    providers = (Calendar,)
