"""Tasks that carry something from one app to another."""

from pytest_mobileagent import open_app, sqlite, tap, task, type_text

CLOCK = "com.google.android.deskclock"
COURSERA = "org.coursera.android"
NOTES = "com.simplemobiletools.notes.pro"


@task(
    'Look up how many people are enrolled in "Chinese for Beginners" on Coursera, and write that '
    'number into a new note called "Chinese".',
    app=COURSERA,
    apps=(NOTES,),
    kind="cross-app",
    level=3,
    probes={
        "courses": sqlite(
            f"/data/data/{COURSERA}/databases/coursera.db",
            "SELECT enrolled FROM courses WHERE name = 'Chinese for Beginners'",
        ),
        "notes": sqlite(
            f"/data/data/{NOTES}/databases/notes.db",
            "SELECT value FROM notes WHERE title = 'Chinese'",
        ),
    },
    solution=[
        open_app(),
        tap(content_desc="Search"),
        type_text("chinese for beginners", enter=True, resource_id="search_query"),
        tap(text="Chinese for Beginners"),
        open_app(NOTES),
        tap(content_desc="Create a new note"),
        type_text("Chinese", resource_id="locked_note_title"),
        tap(text="OK"),
        type_text("872,316", resource_id="text_note_view"),
    ],
)
def test_note_of_learners(episode):
    (course,) = episode.probe("courses")
    notes = episode.probe("notes")
    written = ["".join(filter(str.isdigit, note["value"])) for note in notes]
    assert written == [str(course["enrolled"])]


@task(
    "See at what time Coursera would remind me to study on Mondays, and set an alarm in Clock that "
    "rings at that time every Monday.",
    app=COURSERA,
    apps=(CLOCK,),
    kind="cross-app",
    level=3,
    probes={
        "alarms": sqlite(
            f"/data/user_de/0/{CLOCK}/databases/alarms.db",
            "SELECT hour, minutes, daysofweek FROM alarm_templates WHERE enabled",
        )
    },
    solution=[
        open_app(),
        tap(content_desc="Profile"),
        tap(text="Settings"),
        tap(text="Study Reminders"),
        open_app(CLOCK),
        tap(content_desc="Add alarm"),
        tap(text="PM"),
        tap(content_desc="1"),
        tap(text="00", class_name="View"),
        tap(text="OK"),
        tap(content_desc="Monday"),
    ],
)
def test_alarm_for_the_reminder(episode):
    assert {"hour": 13, "minutes": 0, "daysofweek": 1} in episode.probe("alarms")


@task(
    "Read in Messages when and where Ben wants to meet, and write that in a text message to Daniel "
    "Okafor, whom you find in Contacts.",
    app="com.google.android.apps.messaging",
    apps=("com.google.android.contacts",),
    kind="cross-app",
    level=3,
    probes={
        "sent": sqlite(
            "/data/data/com.android.providers.telephony/databases/mmssms.db",
            "SELECT address, body FROM sms WHERE type = 2 AND address LIKE '%5105550167'",
        )
    },
    solution=[
        open_app(),
        tap(text="Ben Carter"),
        open_app("com.google.android.contacts"),
        tap(content_desc="Daniel Okafor"),
        tap(resource_id="icon_alternate"),
        type_text("9:30 at the east entrance", resource_id="compose_message_text"),
        tap(content_desc="Send SMS"),
    ],
)
def test_tell_daniel(episode):
    sent = [row["body"].lower() for row in episode.probe("sent")]
    assert len(sent) == 1
    assert "9:30" in sent[0]
    assert "east" in sent[0]
