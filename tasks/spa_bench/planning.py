"""Checks of the tasks of Calendar, Clock and Contacts, with solutions."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from pytest_mobileagent import open_app, press, prop, scroll, sqlite, tap, type_text

from .checks import check, fresh

# Calendar.

EVENTS = {
    "events": sqlite(
        "/data/data/com.android.providers.calendar/databases/calendar.db",
        # The query runs on this machine, whose time zone is not the phone's: days are in UTC, in
        # which all-day events are stored.
        "SELECT title, allDay, strftime('%d', dtstart / 1000, 'unixepoch') AS day, dtstart, dtend"
        " FROM Events WHERE deleted = 0",
    )
}
ZONE = prop("persist.sys.timezone")


def at_hour(hour: int) -> list[Any]:
    """Return the moves that set a 12-hour or 24-hour dial to a full hour of the evening."""
    half = "//*[@resource-id='android:id/pm_label']"
    dial = "//*[@resource-id='android:id/radial_picker']/*"
    return [
        tap(xpath=f"{half} | //*[@resource-id='android:id/hours'][not({half})]"),
        tap(xpath=f"{dial}[@content-desc='{hour}' and not({half}) or"
            f" @content-desc='{hour - 12}' and {half}]"),
        tap(xpath=f"{dial}[@content-desc='00' or @content-desc='0']"),
        tap(resource_id="android:id/button1"),
    ]  # fmt: skip


def new_event(title: str, day: int, *times: Any) -> list[Any]:
    return [
        open_app(),
        tap(content_desc="Create new event (and more)"),
        tap(text="Event"),
        type_text(title, resource_id="title"),
        *times,
        tap(resource_id="start_date"),
        tap(text=str(day)),
        tap(text="OK"),
        tap(text="Save"),
    ]


@check(
    "calendar_1",
    probes=EVENTS,
    solution=new_event("Haircut", 16, tap(resource_id="all_day_switch")),
)
def haircut(episode):
    assert [(row["title"], row["allDay"], row["day"]) for row in fresh(episode, "events")] == [
        ("Haircut", 1, "16")
    ]


@check(
    "calendar_2",
    probes={**EVENTS, "zone": ZONE},
    solution=new_event(
        "Dental Check",
        17,
        tap(resource_id="start_time"),
        *at_hour(19),
        tap(resource_id="end_time"),
        *at_hour(21),
    ),
)
def dental_check(episode):
    events = [row for row in fresh(episode, "events") if row["title"] == "Dental Check"]
    assert [row["allDay"] for row in events] == [0]
    (event,) = events
    zone = ZoneInfo(episode.probe("zone"))
    begins, ends = (
        datetime.fromtimestamp(event[name] / 1000, zone) for name in ("dtstart", "dtend")
    )
    assert (begins.day, begins.hour, begins.minute) == (17, 19, 0)
    assert (ends.date(), ends.hour, ends.minute) == (begins.date(), 21, 0)


# Clock.

DATABASE = "/data/user_de/0/{app}/databases/alarms.db"
ALARMS = {
    "alarms": sqlite(
        DATABASE,
        "SELECT _id, hour, minutes, daysofweek, enabled, vibrate, label, ringtone"
        " FROM alarm_templates",
    )
}
WEEKDAYS, WEEKEND = 0b0011111, 0b1100000  # a bit for each day, from Monday


def new_alarm(hour: int) -> list[Any]:
    half = "//*[@resource-id='android:id/am_label']"
    dial = "//*[@resource-id='android:id/radial_picker']/*"
    return [
        tap(resource_id="fab"),
        # On a 24-hour dial only the hour can be tapped.
        tap(xpath=f"{half} | //*[@resource-id='android:id/hours'][not({half})]"),
        tap(xpath=f"{dial}[@content-desc='{hour}']"),
        tap(xpath=f"{dial}[@content-desc='00' or @content-desc='0']"),
        tap(resource_id="android:id/button1"),
    ]


def on_days(mask: int) -> list[Any]:
    """Return the moves that make the open alarm ring on some days of the week."""
    days = [day for day in range(7) if mask >> day & 1]
    return [tap(resource_id=f"day_button_{(day + 1) % 7}") for day in days]  # from Sunday


def alarms(episode: Any, hour: int, **columns: Any) -> list[Any]:
    """Return the new alarms that ring at a full hour."""
    wanted = {"hour": hour, "minutes": 0, "enabled": 1, **columns}
    return [each for each in fresh(episode, "alarms") if wanted.items() <= each.items()]


@check("clock_0", probes=ALARMS, solution=[open_app(), *new_alarm(8)])
def at_eight(episode):
    assert alarms(episode, 8)


@check("clock_1", probes=ALARMS, solution=[open_app(), *new_alarm(9), *on_days(WEEKDAYS)])
def at_nine(episode):
    assert alarms(episode, 9, daysofweek=WEEKDAYS)


@check(
    "clock_2",
    probes=ALARMS,
    solution=[
        open_app(),
        *new_alarm(10),
        *on_days(WEEKDAYS),
        tap(resource_id="vibrate_onoff"),
        *new_alarm(11),
        *on_days(WEEKEND),
    ],
)
def two_alarms(episode):
    assert alarms(episode, 10, daysofweek=WEEKDAYS, vibrate=0)
    assert alarms(episode, 11, daysofweek=WEEKEND)


@check(
    "clock_3",
    solution=[
        open_app(),
        tap(content_desc="Clock"),
        tap(content_desc="Cities"),
        type_text("London", resource_id="search_src_text"),
        tap(resource_id="city_name", text="London"),
        tap(content_desc="Navigate up"),
    ],
)
def london(episode):
    assert episode.screen.find(resource_id="cities")
    assert episode.screen.get(resource_id="city_name", text="London")


# Clock in Chinese.

MONDAY = 0b0000001


@check(
    "deskclock_0",
    language="zh",
    probes=ALARMS,
    solution=[open_app(), *new_alarm(7), *on_days(MONDAY)],
)
def on_mondays(episode):
    assert [row for row in fresh(episode, "alarms") if row["daysofweek"] == MONDAY]


NAMED = [
    open_app(),
    *new_alarm(7),
    *on_days(MONDAY),
    tap(resource_id="edit_label"),
    type_text("一个闹钟", resource_id="label_input_field"),
    tap(resource_id="android:id/button1"),
]


def named(episode: Any) -> list[Any]:
    """Return the new alarms on Mondays that have the name."""
    rows = fresh(episode, "alarms")
    return [row for row in rows if row["daysofweek"] == MONDAY and row["label"] == "一个闹钟"]


@check("deskclock_1", language="zh", probes=ALARMS, solution=NAMED)
def named_alarm(episode):
    assert named(episode)


# Contacts.

CONTACTS = "/data/data/com.android.providers.contacts/databases/contacts2.db"
DATA = {
    "data": sqlite(
        CONTACTS,
        "SELECT display_name AS name, replace(mimetype, 'vnd.android.cursor.item/', '') AS kind,"
        " data1, data2, data3 FROM data JOIN raw_contacts ON raw_contact_id = raw_contacts._id"
        " JOIN mimetypes ON mimetype_id = mimetypes._id WHERE deleted = 0",
    )
}
WORK_PHONE, WORK_EMAIL = "3", "2"
NUMBER = "+44 1234 567 890"


def field(hint: str) -> str:
    return f"//*[@text='{hint}']"


def person(given: str, family: str, *more: Any) -> list[Any]:
    named = [type_text(given, xpath=field("First name"))]
    named += [type_text(family, xpath=field("Last name"))] if family else []
    number = type_text(NUMBER, xpath=field("Phone"))
    create = tap(content_desc="Create new contact")
    return [open_app(), create, *named, number, *more, tap(text="Save")]


def of_kind(rows: list[Any], kind: str) -> list[Any]:
    return [row for row in rows if row["kind"] == kind]


def digits(text: str) -> str:
    return "".join(filter(str.isdecimal, text))


def has_number(episode: Any, name: str) -> bool:
    phones = of_kind(fresh(episode, "data"), "phone_v2")
    return any(row["name"] == name and digits(row["data1"]) == digits(NUMBER) for row in phones)


@check("contacts_0", probes=DATA, solution=person("Agent", ""))
def agent(episode):
    assert has_number(episode, "Agent")


@check(
    "contacts_1",
    probes=DATA,
    solution=person("Agent", "Two", type_text("benchmark@gmail.com", xpath=field("Email"))),
)
def agent_two(episode):
    assert has_number(episode, "Agent Two")
    emails = of_kind(fresh(episode, "data"), "email_v2")
    assert ("Agent Two", "benchmark@gmail.com") in [(row["name"], row["data1"]) for row in emails]


EMAIL = "agent.benchmark.2024@gmail.com"


def label(of: str, hint: str) -> list[Any]:
    """Return the moves that label the first phone number or email after something was typed."""
    spinner = f"(//*[contains(@resource-id, 'id/spinner')][@content-desc='{hint}'])[1]"
    shown = scroll("up", until={"xpath": spinner})
    return [press("back"), shown, tap(xpath=spinner), tap(text=of)]


@check(
    "contacts_2",
    probes=DATA,
    solution=[
        open_app(),
        tap(content_desc="Ben Carter"),
        tap(content_desc="Edit contact"),
        type_text("Three", clear=True, xpath="//*[@text='Carter']"),
        type_text("Huawei", xpath=field("Company")),
        *label("Work", "Phone"),
        scroll("up", until={"xpath": field("Email")}),
        type_text(EMAIL, xpath=field("Email")),
        *label("Work", "Email"),
        tap(text="Save"),
    ],
)
def three(episode):
    rows = episode.probe("data")
    names = {row["name"] for row in of_kind(fresh(episode, "data"), "email_v2")}
    assert len(names) == 1
    theirs = [row for row in rows if row["name"] in names]
    assert [row["data3"] for row in of_kind(theirs, "name")] == ["Three"]
    assert [row["data1"] for row in of_kind(theirs, "organization")] == ["Huawei"]
    assert WORK_PHONE in {str(row["data2"]) for row in of_kind(theirs, "phone_v2")}
    assert (EMAIL, WORK_EMAIL) in {
        (row["data1"], str(row["data2"])) for row in of_kind(theirs, "email_v2")
    }
