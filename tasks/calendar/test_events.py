"""Events in Calendar."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from pytest_mobileagent import answer, open_app, prop, scroll, seen, sqlite, tap, task, type_text
from pytest_mobileagent.answers import one_of

CALENDAR = "com.google.android.calendar"
DATABASE = "/data/data/com.android.providers.calendar/databases/calendar.db"
EVENTS = sqlite(
    DATABASE,
    "SELECT _id, title, allDay, exdate, dtstart, (dtend - dtstart) / 60000 AS minutes"
    " FROM Events WHERE deleted = 0",
)
ZONE = prop("persist.sys.timezone")
REMINDERS = sqlite(
    DATABASE,
    "SELECT title, minutes FROM Reminders JOIN Events ON Events._id = event_id"
    " WHERE title = 'Dentist'",
)
DRAWER = "Show Calendar List and Settings drawer"


def fresh(episode):
    """Return the rows added since the start, with the times at which they begin on the phone."""
    before = {row["_id"] for row in episode.initial_probe("events")}
    return [
        {**row, "begins": f"{datetime.fromtimestamp(row['dtstart'] / 1000, zone):%Y-%m-%d %H:%M}"}
        for row in episode.probe("events")
        for zone in [ZoneInfo("UTC" if row["allDay"] else episode.probe("zone"))]
        if row["_id"] not in before
    ]


@pytest.mark.parametrize(
    ("title", "time"), [("Haircut", "3:00 PM"), ("Taxi to the airport", "5:00 AM")]
)
@task(
    'In Calendar, add an event "{title}" for tomorrow at {time} that lasts an hour.',
    app=CALENDAR,
    level=2,
    probes={"events": EVENTS, "zone": ZONE},
    solution=[
        open_app(),
        tap(content_desc=DRAWER),
        tap(text="Day"),
        scroll("left"),
        tap(xpath="//*[contains(@content-desc, ', {time}')]"),
        type_text("{title}", resource_id="title"),
        tap(text="Save"),
    ],
)
def test_add(episode, title, time):
    hour = {"3:00 PM": "15", "5:00 AM": "05"}[time]
    begins = f"{episode.started + timedelta(days=1):%Y-%m-%d} {hour}:00"
    new = [(row["title"], row["begins"], row["minutes"]) for row in fresh(episode)]
    assert new == [(title, begins, 60)]


@task(
    'In Calendar, note that the "Water delivery" comes today: make it an event of the whole day.',
    app=CALENDAR,
    level=2,
    probes={"events": EVENTS, "zone": ZONE},
    solution=[
        open_app(),
        tap(content_desc="Create new event (and more)"),
        tap(text="Event"),
        type_text("Water delivery", resource_id="title"),
        tap(resource_id="all_day_switch"),
        tap(text="Save"),
    ],
)
def test_all_day(episode):
    new = [(row["title"], row["begins"][:10], row["allDay"]) for row in fresh(episode)]
    assert new == [("Water delivery", f"{episode.started:%Y-%m-%d}", 1)]


@task(
    "Open Calendar. Where do I have lunch with Nadia today?",
    app=CALENDAR,
    kind="single-frame query",
    level=1,
    solution=[open_app(), answer(seen(text="Noodle Bar, 5th Street"))],
)
def test_place(episode):
    assert episode.answers(one_of("Noodle Bar", "Noodle Bar, 5th Street"))


@task(
    "Calendar shall remind me of the dentist one day before, and not an hour before.",
    app=CALENDAR,
    level=3,
    probes={"reminders": REMINDERS},
    solution=[
        open_app(),
        tap(content_desc="Search"),
        type_text("dentist", resource_id="search_text"),
        tap(text="Dentist"),
        tap(content_desc="Edit event"),
        tap(content_desc="Remove notification"),
        tap(text="Add notification"),
        tap(text="1 day before"),
        tap(text="Save"),
    ],
)
def test_remind(episode):
    assert [row["minutes"] for row in episode.probe("reminders")] == [24 * 60]


@task(
    "Tomorrow's piano lesson is cancelled, but the later ones take place: change that in Calendar.",
    app=CALENDAR,
    level=3,
    probes={"events": EVENTS, "zone": ZONE},
    solution=[
        open_app(),
        tap(content_desc="Search"),
        type_text("piano", resource_id="search_text"),
        tap(text="Piano lesson", nth=0),
        tap(content_desc="More options"),
        tap(text="Delete"),
        tap(text="This event"),
    ],
)
def test_cancel_one(episode):
    lessons = [row for row in episode.probe("events") if row["title"] == "Piano lesson"]
    tomorrow = (episode.started + timedelta(days=1)).replace(hour=16, minute=0, second=0)
    begin = tomorrow.replace(tzinfo=ZoneInfo(episode.probe("zone"))).astimezone(UTC)
    assert [row["exdate"] for row in lessons] == [f"{begin:%Y%m%dT%H%M%SZ}"]
