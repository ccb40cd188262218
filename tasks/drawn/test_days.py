"""Events in Calendar, with titles and times that are drawn."""

from datetime import timedelta
from zoneinfo import ZoneInfo

from pytest_mobileagent import Probe, open_app, prop, scroll, sqlite, tap, task, type_text

CALENDAR = "com.google.android.calendar"
EVENTS = sqlite(
    "/data/data/com.android.providers.calendar/databases/calendar.db",
    "SELECT _id, title, allDay, dtstart, (dtend - dtstart) / 60000 AS minutes"
    " FROM Events WHERE deleted = 0",
)
PROBES: dict[str, Probe] = {"events": EVENTS, "zone": prop("persist.sys.timezone")}
TITLES = ("Haircut", "Taxi", "Yoga", "Parcel", "Plumber", "Tax office")


def fresh(episode):
    """Return the events added since the start."""
    before = {row["_id"] for row in episode.initial_probe("events")}
    return [row for row in episode.probe("events") if row["_id"] not in before]


@task(
    'In Calendar, add an event "{title}" for tomorrow at {hour}:00 AM that lasts an hour.',
    app=CALENDAR,
    level=2,
    probes=PROBES,
    parameters=lambda dice: {"title": dice.choice(TITLES), "hour": dice.randint(4, 7)},
    solution=[
        open_app(),
        tap(content_desc="Show Calendar List and Settings drawer"),
        tap(text="Day"),
        scroll("left"),
        tap(xpath="//*[contains(@content-desc, ', {hour}:00 AM')]"),
        type_text("{title}", resource_id="title"),
        tap(text="Save"),
    ],
)
def test_add(episode, title, hour):
    tomorrow = (episode.started + timedelta(days=1)).replace(hour=hour, minute=0, second=0)
    begins = tomorrow.replace(microsecond=0, tzinfo=ZoneInfo(episode.probe("zone"))).timestamp()
    new = [(row["title"], row["dtstart"] / 1000, row["minutes"]) for row in fresh(episode)]
    assert new == [(title, begins, 60)]


@task(
    'In Calendar, note that "{title} {number}" is today: make it an event of the whole day.',
    app=CALENDAR,
    level=2,
    probes=PROBES,
    parameters=lambda dice: {"title": dice.choice(TITLES), "number": dice.randint(1, 9)},
    solution=[
        open_app(),
        tap(content_desc="Create new event (and more)"),
        tap(text="Event"),
        type_text("{title} {number}", resource_id="title"),
        tap(resource_id="all_day_switch"),
        tap(text="Save"),
    ],
)
def test_all_day(episode, title, number):
    new = [(row["title"], row["allDay"]) for row in fresh(episode)]
    assert new == [(f"{title} {number}", 1)]
