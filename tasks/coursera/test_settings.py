"""Coursera's settings and study reminders."""

from datetime import timedelta

from pytest_mobileagent import answer, open_app, seen, sqlite, tap, task

COURSERA = "org.coursera.android"
REMINDERS = sqlite(
    "/data/data/org.coursera.android/databases/coursera.db",
    "SELECT day, hour FROM reminders WHERE enabled",
)
TO_SETTINGS = [open_app(), tap(content_desc="Profile"), tap(text="Settings")]
TIME_OF = "//*[@text='{day}']/following-sibling::*[1]"


@task(
    "In Coursera, go from my Profile to Settings and turn on Dark Mode.",
    app=COURSERA,
    level=1,
    solution=[*TO_SETTINGS, tap(text="Dark Mode")],
)
def test_dark_mode(episode):
    row = "//*[@text='Dark Mode']/ancestor::*[@clickable='true'][1]"
    assert episode.screen.find(xpath=f"{row}//*[@checked='true']")


@task(
    "Open Coursera and look at the Study Reminders, in the Settings of my Profile. At what time "
    "would it remind me on a Monday?",
    app=COURSERA,
    kind="single-frame query",
    level=1,
    solution=[
        *TO_SETTINGS,
        tap(text="Study Reminders"),
        answer(seen(xpath=TIME_OF.format(day="Monday"))),
    ],
)
def test_time_of_reminder(episode):
    assert episode.saw(text="Study Reminders", resource_id="toolbar_title")
    assert episode.answers("1:00 PM")


@task(
    "In the Coursera Settings behind my Profile, open Study Reminders and switch on {today:%A}.",
    app=COURSERA,
    level=2,
    probes={"reminders": REMINDERS},
    solution=[
        *TO_SETTINGS,
        tap(text="Study Reminders"),
        tap(content_desc="{today:%A}"),
    ],
)
def test_remind_on_this_weekday(episode):
    days = [row["day"] for row in episode.probe("reminders")]
    assert days == [f"{episode.started:%A}"]


@task(
    "Let Coursera remind me to study at 10 in the morning, on both days of the weekend.",
    app=COURSERA,
    level=3,
    probes={"reminders": REMINDERS},
    solution=[
        *TO_SETTINGS,
        tap(text="Study Reminders"),
        tap(xpath=TIME_OF.format(day="Saturday")),
        tap(text="10:00 AM"),
        tap(content_desc="Saturday"),
        tap(xpath=TIME_OF.format(day="Sunday")),
        tap(text="10:00 AM"),
        tap(content_desc="Sunday"),
    ],
)
def test_weekend_reminders(episode):
    weekend = [{"day": "Saturday", "hour": 10}, {"day": "Sunday", "hour": 10}]
    assert episode.probe("reminders") == weekend


@task(
    "Have Coursera remind me to study every {tomorrow:%A} at 8 PM.",
    app=COURSERA,
    level=2,
    probes={"reminders": REMINDERS},
    solution=[
        *TO_SETTINGS,
        tap(text="Study Reminders"),
        tap(xpath="//*[@text='{tomorrow:%A}']/following-sibling::*[1]"),
        tap(text="08:00 PM"),
        tap(content_desc="{tomorrow:%A}"),
    ],
)
def test_remind_tomorrow_evening(episode):
    tomorrow = episode.started + timedelta(days=1)
    assert episode.probe("reminders") == [{"day": f"{tomorrow:%A}", "hour": 20}]
