"""Appointments with missing details."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from pytest_mobileagent import (
    answer,
    ask_user,
    open_app,
    prop,
    questions,
    scroll,
    seen,
    sqlite,
    tap,
    task,
    type_text,
)

CALENDAR = "com.google.android.calendar"
DATABASE = "/data/data/com.android.providers.calendar/databases/calendar.db"
EVENTS = sqlite(
    DATABASE,
    "SELECT _id, title, allDay, dtstart, (dtend - dtstart) / 60000 AS minutes"
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


@task(
    'In Calendar, add an event "Haircut" for tomorrow at 3:00 PM that lasts an hour.',
    vague="I have an appointment tomorrow: put it into Calendar.",
    app=CALENDAR,
    level=2,
    probes={"events": EVENTS, "zone": ZONE},
    user=questions(
        [
            ("What is the appointment called?", "Haircut"),
            ("At what time does it begin?", "3:00 PM"),
            ("How long does it last?", "1 hour"),
            ("In which calendar should I put it?", "Personal"),
            ("Where does it take place?", "No place is needed"),
            ("When should I remind you?", "No other reminder than usual"),
        ]
    ),
    solution=[
        open_app(),
        ask_user("When does the appointment begin, at what time?", time="5:00 AM"),
        ask_user("What should the appointment be called?", title="Appointment"),
        tap(content_desc=DRAWER),
        tap(text="Day"),
        scroll("left"),
        tap(xpath="//*[contains(@content-desc, ', {time}')]"),
        type_text("{title}", resource_id="title"),
        tap(text="Save"),
    ],
)
def test_appointment(episode):
    begins = f"{episode.started + timedelta(days=1):%Y-%m-%d} 15:00"
    new = [(row["title"], row["begins"], row["minutes"]) for row in fresh(episode)]
    assert new == [("Haircut", begins, 60)]


@task(
    'In Calendar, note that the "Plumber" comes today: make it an event of the whole day.',
    vague="Somebody comes today: note that in Calendar.",
    app=CALENDAR,
    level=2,
    probes={"events": EVENTS, "zone": ZONE},
    user=questions(
        [
            ("Who comes today?", "Plumber"),
            ("At what time do they come?", "I do not know, so make it the whole day"),
            ("Is it an event or a task?", "An event"),
            ("In which calendar?", "Personal"),
            ("Do you want to be reminded?", "No"),
        ]
    ),
    solution=[
        open_app(),
        ask_user("Who is it that comes today?", who="Visitor"),
        tap(content_desc="Create new event (and more)"),
        tap(text="Event"),
        type_text("{who}", resource_id="title"),
        tap(resource_id="all_day_switch"),
        tap(text="Save"),
    ],
)
def test_visitor(episode):
    new = [(row["title"], row["begins"][:10], row["allDay"]) for row in fresh(episode)]
    assert new == [("Plumber", f"{episode.started:%Y-%m-%d}", 1)]


@task(
    "Calendar shall remind me of the dentist 30 minutes before, and not an hour before.",
    vague="Change when Calendar reminds me of my appointment.",
    app=CALENDAR,
    level=3,
    probes={"reminders": REMINDERS},
    user=questions(
        [
            ("Which appointment do you mean?", "Dentist"),
            ("How long before should it remind you?", "30 minutes before"),
            ("Should the reminder of today stay?", "No, replace it"),
            ("By notification or by e-mail?", "By notification"),
            ("Should the time of the appointment change?", "No, only the reminder"),
        ]
    ),
    solution=[
        open_app(),
        tap(content_desc="Search"),
        ask_user("Which of your appointments is it?", event="Dentist"),
        type_text("{event}", resource_id="search_text"),
        tap(xpath="//*[contains(@resource-id, 'search_text')]/following::*[@text='{event}'][1]"),
        tap(content_desc="Edit event"),
        tap(content_desc="Remove notification"),
        tap(text="Add notification"),
        ask_user("How long before should I let it remind you?", before="1 day before"),
        tap(text="{before}"),
        tap(text="Save"),
    ],
)
def test_reminder(episode):
    assert [row["minutes"] for row in episode.probe("reminders")] == [30]


@task(
    "Look into Calendar: where do I go climbing with Ben?",
    vague="Look into Calendar: where do I have to be?",
    app=CALENDAR,
    kind="single-frame query",
    level=1,
    user=questions(
        [
            ("Which event do you mean?", "Climbing with Ben"),
            ("On which day is it?", "On Saturday"),
            ("Do you need the room, too?", "What Calendar says of the place is enough"),
            ("Should I look for the way there?", "No"),
            ("In which calendar is it?", "Personal"),
        ]
    ),
    solution=[
        open_app(),
        tap(content_desc="Search"),
        ask_user("Which event is it?", event="Dentist"),
        type_text("{event}", resource_id="search_text"),
        tap(xpath="//*[contains(@resource-id, 'search_text')]/following::*[@text='{event}'][1]"),
        answer(seen(resource_id="location")),
    ],
)
def test_place(episode):
    assert episode.answers("Climbing gym, east entrance")
