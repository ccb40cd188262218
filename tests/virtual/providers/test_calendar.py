"""The instances of events."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from pytest_mobileagent.virtual.providers.calendar import (
    julian_day,
    last_date,
    milliseconds_of,
    occurrences,
)

HOUR, DAY = 3_600_000, 86_400_000
BERLIN = ZoneInfo("Europe/Berlin")


def stamp(
    year: int, month: int, day: int, hour: int = 0, minute: int = 0, *, zone: ZoneInfo | None = None
) -> int:
    return int(datetime(year, month, day, hour, minute, tzinfo=zone or UTC).timestamp() * 1000)


def event(start: int, **columns: object) -> dict[str, object]:
    none = dict.fromkeys(("dtend", "duration", "rrule", "exdate", "eventTimezone"))
    return {"dtstart": start, "allDay": 0, **none, **columns}


def begins(one: dict[str, object], begin: int, end: int) -> list[int]:
    return [each.begin for each in occurrences(one, begin, end, ZoneInfo("UTC"))]


def test_an_event_counts_if_any_of_it_is_in_the_window():
    start = stamp(2026, 3, 1, 10)
    one = event(start, dtend=start + HOUR)
    assert begins(one, start + HOUR // 2, start + DAY) == [start]
    assert begins(one, start + 2 * HOUR, start + DAY) == []


def test_a_weekly_event_keeps_its_hour_when_summer_begins():
    start = stamp(2026, 3, 26, 9, zone=BERLIN)
    one = event(start, duration="PT1H", rrule="FREQ=WEEKLY", eventTimezone="Europe/Berlin")
    assert begins(one, start, start + 8 * DAY) == [start, stamp(2026, 4, 2, 9, zone=BERLIN)]


@pytest.mark.parametrize(
    ("rule", "excluded", "days"),
    [
        ("FREQ=DAILY;COUNT=3", "20260303T090000Z", [0, 2]),
        ("FREQ=DAILY;UNTIL=20260303T235959Z", None, [0, 1]),
        ("FREQ=SOMETIMES", None, [0]),
    ],
    ids=["excluded days are left out", "until may be in UTC", "without sense it happens once"],
)
def test_a_rule_repeats_an_event(rule, excluded, days):
    start = stamp(2026, 3, 2, 9)
    one = event(start, duration="PT1H", rrule=rule, exdate=excluded)
    assert begins(one, start, start + 9 * DAY) == [start + day * DAY for day in days]


def test_a_whole_day_is_the_same_day_everywhere():
    start = stamp(2026, 3, 2)
    one = event(start, dtend=start + DAY, allDay=1)
    (found,) = occurrences(one, start, start + DAY - 1, ZoneInfo("America/Los_Angeles"))
    day = julian_day(datetime(2026, 3, 2, tzinfo=UTC))
    assert (found.start_day, found.end_day, found.end_minute) == (day, day, 1440)


@pytest.mark.parametrize(
    ("text", "length"),
    [("PT1H", HOUR), ("P3600S", HOUR), ("P1D", DAY), ("P1W", 7 * DAY), ("P1DT2H30M", 95_400_000),
     ("nonsense", 0)],
)  # fmt: skip
def test_durations(text, length):
    assert milliseconds_of(text) == length


def test_the_last_date_is_none_for_what_never_ends():
    start = stamp(2026, 3, 2, 9)
    assert last_date(event(start, dtend=start + HOUR)) == start + HOUR
    assert last_date(event(start, duration="PT1H", rrule="FREQ=DAILY")) is None
    assert last_date(event(start, duration="PT1H", rrule="FREQ=DAILY;COUNT=2")) == (
        start + DAY + HOUR
    )
