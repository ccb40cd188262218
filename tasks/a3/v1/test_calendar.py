"""A3's first release: its ten tasks in Google Calendar.

The release was made at the end of 2024: at that time its dates are a few steps away, and its step
limits suffice. So the clock of a phone that permits it is set to that time.
"""

import re
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from pytest_mobileagent import (
    answer,
    open_app,
    prop,
    provider,
    scroll,
    seen,
    set_clock,
    tap,
    tasks,
    type_text,
)
from pytest_mobileagent.errors import DeviceError

from .table import SOURCE, decide, fields, of

FOLDER = "google_calendar"
URI = "content://com.android.calendar"
LOCAL = "account_name=me&account_type=LOCAL&caller_is_syncadapter=true"
COLUMNS = ("title", "dtstart", "dtend", "allDay", "deleted")
EVENTS = {
    "events": provider(f"{URI}/events", COLUMNS),
    "zone": prop("persist.sys.timezone"),
}
GAME, MARKET, FOOTBALL = "Watching the NBA game", "Go to the market", "Watch football game"
DUE = re.compile(rf"^New task: {MARKET}, \w+, November 9, 1:30\s?PM \S 2:00\s?PM$")
DAY = re.compile(r"^\w+day,? (\d{1,2} [A-Z]\w+|[A-Z]\w+ \d{1,2})\b")
HELP = "com.google.android.gms:id/gh_help_content"
CHRISTMAS = r"\b(?:25 December|December 25)\b.*?(\d+) items?"
DECEMBER = r"\bDecember\b.*?(\d+) items?"


# Initial state of the phone.


def at(moment):
    """Return a function that sets the clock of a phone, if the phone permits it."""

    def prepare(device):
        with suppress(DeviceError):  # with the phone's own time, the task takes a few more steps
            set_clock(device, datetime.fromisoformat(moment))

    return prepare


def zone_of(device):
    return ZoneInfo(device.system.shell("getprop persist.sys.timezone").strip())


def today(device):
    return datetime.fromtimestamp(int(device.system.shell("date +%s")), zone_of(device)).date()


def calendars(device):
    """Return the ids of the phone's calendars by their names."""
    shown = device.system.shell(
        f"content query --uri {URI}/calendars --projection _id:calendar_displayName"
    )
    return {name: int(n) for n, name in re.findall(r"_id=(\d+), calendar_displayName=(.*)", shown)}


def insert(device, table, **columns):
    kinds = {str: "s", int: "l"}
    bound = " ".join(f"--bind '{key}:{kinds[type(v)]}:{v}'" for key, v in columns.items())
    device.system.shell(f"content insert --uri '{URI}/{table}?{LOCAL}' {bound}")


def keep(device, calendar, title, day, hour=None):
    """Add an event of an hour, or of a whole day, to a calendar, which is created if missing."""
    if calendar not in calendars(device):
        names = {"name": calendar, "calendar_displayName": calendar, "ownerAccount": "me"}
        account = {"account_name": "me", "account_type": "LOCAL", "calendar_access_level": 700}
        insert(device, "calendars", **names, **account, sync_events=1, visible=1)
    zone = ZoneInfo("UTC") if hour is None else zone_of(device)
    begin = datetime.combine(day, time(hour or 0), zone)
    length = timedelta(days=1) if hour is None else timedelta(hours=1)
    insert(
        device,
        "events",
        calendar_id=calendars(device)[calendar],
        title=title,
        dtstart=int(begin.timestamp() * 1000),
        dtend=int((begin + length).timestamp() * 1000),
        allDay=int(hour is None),
        eventTimezone=zone.key,
    )


def stocked(device):
    """Return whether the phone has Google's own calendars, which we cannot fill."""
    return any("Holiday" in name for name in calendars(device))


def kinds(device):
    """Create the four calendars that the release's phones have."""
    if not stocked(device):
        own = ("calendar_displayName:s:Events", "_id = 1"), ("visible:i:1", "_id = 1")
        for value, where in own:
            device.system.shell(
                f"content update --uri {URI}/calendars --bind {value} --where '{where}'"
            )
        device.system.shell(f"content delete --uri {URI}/calendars --where '_id > 1'")
        for name in ("Tasks", "Birthdays", "Holidays"):
            keep(device, name, f"One of the {name}", today(device))


def football(device):
    first = next(iter(calendars(device)), "Events")
    keep(device, first, FOOTBALL, today(device) + timedelta(days=3), 15)


def christmas(device):
    at("2024-12-02T10:00")(device)
    if not stocked(device):
        day = date(today(device).year, 12, 25)
        keep(device, "Holidays", "Christmas Day", day)
        keep(device, "Tasks", "Wrap the presents", day, 16)


def december(device):
    at("2024-12-02T10:00")(device)
    if not stocked(device):
        plans = {3: "Dentist", 11: "School play", 19: "Dinner with Ines"}
        for day, title in plans.items():
            keep(device, "Events", title, date(today(device).year, 12, day), 18)
        for day in (9, 19):
            keep(device, "Tasks", "Water the plants", date(today(device).year, 12, day), 8)


# Checks.


def planned(episode):
    """Return the events in the calendar: titles with their beginnings and ends."""
    zone = ZoneInfo(episode.probe("zone"))
    return [
        (
            (row["title"] or "").strip(),
            *(
                datetime.fromtimestamp(int(row[key] or 0) / 1000, UTC if whole else zone)
                for key in ("dtstart", "dtend")
            ),
        )
        for row in episode.probe("events")
        if row["deleted"] in ("0", "NULL", None)
        for whole in [row["allDay"] == "1"]
    ]


def game(episode):
    written = [(title, *(f"{t:%F %R}" for t in times)) for title, *times in planned(episode)]
    assert (GAME, "2025-01-14 10:00", "2025-01-14 11:30") in written


def market(episode):
    def save(screen):
        """Return the button that saves the task, if the task has the correct due date."""
        assert screen.find(content_desc=DUE)
        day = screen.find(resource_id="start_date")
        assert day is None or str(episode.started.year) in day.text
        return screen.get(resource_id="save")

    assert episode.tapped(save)
    assert not episode.screen.find(resource_id="save")


def may(episode):
    title = episode.screen.find(resource_id="date_picker_text_view")
    names = {"May 2026", "May"} if episode.started.year == 2026 else {"May 2026"}
    assert episode.screen.find(content_desc="May 2026") or (title and title.text in names)


def holidays(episode):
    def calendars(screen):
        """Return the calendars in the drawer, and whether each is shown."""
        boxes = screen.find_all(resource_id="calendar_checkbox")
        rows = {each.text: each.checked for each in boxes}
        for label in screen.find_all(resource_id="calendar_text"):
            text = label.parent.content_desc
            if "checked" in text:
                rows[label.text or text] = "unchecked" not in text
        return rows

    pages = [rows for rows in map(calendars, episode.screens) if rows]
    assert pages, "the calendars were never on the screen"
    on = [name for name, is_on in pages[-1].items() if is_on]
    assert [name for name in on if "Holiday" not in name] == []
    assert on
    for kind in ("Tasks", "Events", "Birthdays"):
        assert any(kind in name for name in pages[-1])


def week(episode):
    found = [DAY.match(each.content_desc) for each in episode.screen.elements]
    assert len({each[1] for each in found if each}) == 7


def help_page(episode):
    assert episode.screen.find(resource_id=HELP)


def time_of_game(episode):
    found = [times for title, *times in planned(episode) if title.lower() == FOOTBALL.lower()]
    assert found, f"there is no {FOOTBALL!r} in the calendar"

    def states(begin, end):
        start, stop = (f"{t.hour % 12 or 12}:{t:%M %p}" for t in (begin, end))
        day = f"{begin:%B} {begin.day}"
        told = [day, start, stop], [day, start]
        return any(episode.answers(each, any_order=True) for each in told)

    assert any(states(*times) for times in found)


def titles(episode, first, last):
    """Return the titles of events that begin between two days of this year."""
    year = episode.started.year
    days = date(year, *first), date(year, *last)
    return [title for title, begin, _ in planned(episode) if days[0] <= begin.date() <= days[1]]


def counted(episode, pattern):
    """Return the counts in the cells of the last month on the screen, if there are any."""
    for screen in reversed(episode.screens):
        cells = {each.content_desc for each in screen.elements}
        found = [re.search(pattern, each) for each in cells]
        if any(found):
            return sum(int(each[1]) for each in found if each)
    return None


def number_at_christmas(episode):
    said = counted(episode, CHRISTMAS)
    number = len(titles(episode, (12, 25), (12, 25))) if said is None else said
    assert episode.answers(str(number))


def names_at_christmas(episode):
    names = titles(episode, (12, 25), (12, 25))
    assert names, "there is nothing on that day"
    assert episode.answers(names, any_order=True)


def number_in_december(episode):
    said = counted(episode, DECEMBER)
    number = len(titles(episode, (12, 1), (12, 31))) if said is None else said
    assert episode.answers(str(number))


BODIES = {
    "google_calendar_1": game,
    "google_calendar_2": market,
    "google_calendar_3": may,
    "google_calendar_4": holidays,
    "google_calendar_5": week,
    "google_calendar_6": help_page,
    "google_calendar_7": time_of_game,
    "google_calendar_8": number_at_christmas,
    "google_calendar_9": names_at_christmas,
    "google_calendar_10": number_in_december,
}

DRAWER = [open_app(), tap(content_desc="Show Calendar List and Settings drawer")]
MONTH = [*DRAWER, tap(text="Month")]


def create(kind, title, day):
    """Return the moves that begin a new entry on a day of this month."""
    return [
        open_app(),
        tap(content_desc="Create new event (and more)"),
        tap(text=kind),
        type_text(title, resource_id="title"),
        tap(resource_id="start_date"),
        tap(text=str(day)),
        tap(text="OK"),
    ]


def half_past(which):
    """Return the moves that set the minutes of the beginning or the end."""
    dial = "//*[@resource-id='android:id/radial_picker']/*[@content-desc='30']"
    return [
        tap(resource_id=f"{which}_time"),
        tap(resource_id="android:id/minutes"),
        tap(xpath=dial),
        tap(resource_id="android:id/button1"),
    ]


MORE = {
    "google_calendar_1": {
        "probes": EVENTS,
        "prepare": at("2025-01-13T09:20"),
        "solution": [*create("Event", GAME, 14), *half_past("end"), tap(text="Save")],
    },
    "google_calendar_2": {
        "prepare": at("2024-11-04T12:40"),
        "solution": [*create("Task", MARKET, 9), *half_past("start"), tap(text="Save")],
    },
    "google_calendar_3": {
        "prepare": at("2026-03-02T10:00"),
        "solution": [*MONTH, scroll("left"), scroll("left")],
    },
    "google_calendar_4": {
        "prepare": kinds,
        "solution": [*DRAWER, tap(text="Events"), tap(text="Tasks"), tap(text="Birthdays")],
    },
    "google_calendar_5": {"solution": [*DRAWER, tap(text="Week")]},
    "google_calendar_6": {"solution": [*DRAWER, tap(text="Help & feedback")]},
    "google_calendar_7": {
        "probes": EVENTS,
        "prepare": football,
        "solution": [
            open_app(),
            tap(content_desc="Search"),
            type_text("watch football game", resource_id="search_text"),
            tap(text=FOOTBALL),
            answer(seen(resource_id="time")),
        ],
    },
    "google_calendar_8": {
        "probes": EVENTS,
        "prepare": christmas,
        "solution": [*MONTH, answer("2")],
    },
    "google_calendar_9": {
        "probes": EVENTS,
        "prepare": christmas,
        "solution": [open_app(), answer("Christmas Day and Wrap the presents")],
    },
    "google_calendar_10": {
        "probes": EVENTS,
        "prepare": december,
        "solution": [*MONTH, answer("5")],
    },
}


@tasks(of(FOLDER), each=fields(FOLDER, MORE), source=SOURCE)
def test_calendar(episode, row, judge):
    decide(BODIES, episode, row, judge)
