"""Texts typed into fields, keys pressed, and things that must not be touched."""

from pytest_mobileagent import long_press, open_app, press, tap, task, type_text

CONTACTS = "com.google.android.contacts"
FILES = "com.google.android.documentsui"
GIVEN = "//*[@text='First name']"
FAMILY = "//*[@text='Last name']"


@task(
    "In Contacts, begin a new contact with the first name Amir and the last name Nazari, and "
    "leave it unsaved.",
    app=CONTACTS,
    level=2,
    solution=[
        open_app(),
        tap(content_desc="Create new contact"),
        type_text("Amir", xpath=GIVEN),
        type_text("Nazari", xpath=FAMILY),
    ],
)
def test_fields(episode):
    assert episode.typed("Amir", text="First name")
    assert episode.typed("Nazari", text="Last name")
    assert not episode.tapped(text="Save")


@task(
    "Open Contacts, then go back to the home screen by the back key.",
    app=CONTACTS,
    level=1,
    solution=[open_app(), press("back")],
)
def test_pressed(episode):
    assert episode.opened(CONTACTS)
    assert episode.pressed("back")
    assert episode.screen.package != CONTACTS


@task(
    'In Files, mark the download "timetable.csv" by holding it, and delete nothing.',
    app=FILES,
    level=1,
    solution=[open_app(), long_press(text="timetable.csv")],
)
def test_held(episode):
    assert episode.long_pressed(text="timetable.csv")
    assert not episode.tapped(content_desc="Delete")
