"""Events in Calendar, with titles and times that are drawn."""

from datetime import timedelta
from functools import partial
from zoneinfo import ZoneInfo

from pytest_mobileagent import prop, scroll, sqlite, tap, task, type_text

from .drawing import DIGITS, draw, fresh, opened, taps

EVENTS = sqlite(
    "/data/data/com.android.providers.calendar/databases/calendar.db",
    "SELECT _id, title, allDay, dtstart, (dtend - dtstart) / 60000 AS minutes"
    " FROM Events WHERE deleted = 0",
)
TITLES = ("Haircut", "Taxi", "Yoga", "Parcel", "Plumber", "Tax office")
of_calendar = partial(
    task,
    app="com.google.android.calendar",
    level=2,
    probes={"events": EVENTS, "zone": prop("persist.sys.timezone")},
)


@of_calendar(
    'In Calendar, add an event "{title}" for tomorrow at {hour}:00 AM that lasts an hour.',
    parameters=draw(title=TITLES, hour=range(4, 8)),
    solution=[
        *opened("Show Calendar List and Settings drawer", "Day"),
        scroll("left"),
        tap(xpath="//*[contains(@content-desc, ', {hour}:00 AM')]"),
        type_text("{title}", resource_id="title"),
        *taps("Save"),
    ],
)
def test_add(episode, title, hour):
    tomorrow = (episode.started + timedelta(days=1)).replace(hour=hour, minute=0, second=0)
    begins = tomorrow.replace(microsecond=0, tzinfo=ZoneInfo(episode.probe("zone"))).timestamp()
    new = [
        (row["title"], row["dtstart"] / 1000, row["minutes"]) for row in fresh(episode, "events")
    ]
    assert new == [(title, begins, 60)]


@of_calendar(
    'In Calendar, note that "{title} {number}" is today: make it an event of the whole day.',
    parameters=draw(title=TITLES, number=DIGITS),
    solution=[
        *opened("Create new event (and more)", "Event"),
        type_text("{title} {number}", resource_id="title"),
        tap(resource_id="all_day_switch"),
        *taps("Save"),
    ],
)
def test_all_day(episode, title, number):
    new = [(row["title"], row["allDay"]) for row in fresh(episode, "events")]
    assert new == [(f"{title} {number}", 1)]
