"""Simple Calendar: seventeen tasks, which begin on 15 October 2023."""

import re
from datetime import UTC, datetime, timedelta

from pytest_mobileagent import Finish, answer, long_press, open_app, seen, tap, type_text
from pytest_mobileagent.agent import Move

from ._registry import solves

CALENDAR = "com.simplemobiletools.calendar.pro"
DIAL = "//*[@resource-id='android:id/radial_picker']/*"
OK = tap(resource_id="android:id/button1")
TITLES = re.compile(r".*:id/event_(section|item)_title")
FORMATS = ("%H:%M", "%I:%M%p", "%I%p")


def day(params):
    """Return the moves that show a day of October 2023, the first column being Sunday's."""
    return [open_app(CALENDAR), tap(resource_id="month_view_background", nth=params["day"] - 1)]


def pick_time(side, when):
    """Return the moves that set when an event starts or ends, with a clock of 24 hours."""
    return [
        tap(resource_id=f"event_{side}_time"),
        tap(xpath=f"{DIAL}[@text='{when:%H}' or @text='{when.hour}']"),
        tap(xpath=f"{DIAL}[@text='{when:%M}']"),
        OK,
    ]


def create(params):
    """Return the moves that enter an event, without saving it."""
    start = datetime(2023, 10, params["day"], params["hour"], tzinfo=UTC)
    end = start + timedelta(minutes=params["duration_mins"])
    ends_later = [tap(resource_id="event_end_date"), tap(text=str(end.day)), OK]
    return [
        *day(params),
        tap(resource_id="calendar_fab"),
        tap(resource_id="fab_event_label"),
        type_text(params["event_title"], resource_id="event_title"),
        type_text(params["event_description"], resource_id="event_description"),
        *pick_time("start", start),
        *(ends_later if end.day != start.day else []),
        *pick_time("end", end),
    ]


SAVE = [tap(content_desc="Save"), OK]  # OK to a note about reminders


@solves(
    "SimpleCalendarAddOneEvent",
    "SimpleCalendarAddOneEventInTwoWeeks",
    "SimpleCalendarAddOneEventRelativeDay",
    "SimpleCalendarAddOneEventTomorrow",
)
def add_event(params):
    return [*create(params), *SAVE]


@solves("SimpleCalendarAddRepeatingEvent")
def add_repeating_event(params):
    how = {86400: "Daily", 604800: "Weekly"}[params["row_objects"][0]["repeat_interval"]]
    return [*create(params), tap(resource_id="event_repetition"), tap(text=how), *SAVE]


@solves("SimpleCalendarDeleteEvents", "SimpleCalendarDeleteEventsOnRelativeDay")
def delete_events(params):
    first, *others = range(len(params["row_objects"]))
    chosen = [
        long_press(resource_id="event_item_title", nth=first),
        *(tap(resource_id="event_item_title", nth=nth) for nth in others),
    ]
    return [*day(params), *chosen, tap(content_desc="Delete"), OK]


@solves("SimpleCalendarDeleteOneEvent")
def delete_event(params):
    title = tap(resource_id="event_item_title", text=params["event_title"])
    return [*day(params), title, tap(content_desc="Delete"), OK]


def look_up(words):
    return [open_app(CALENDAR), type_text(words, resource_id="top_toolbar_search")]


def answer_titles(days=range(1, 32)):
    """Return the move that answers with the titles that are shown, below headings of these days."""

    def action(scene):
        titles, is_wanted = [], True
        for each in scene.screens[-1].find_all(resource_id=TITLES):
            day = each.text.split()[0]
            if each.resource_id.endswith("event_section_title"):
                is_wanted = day.isdecimal() and int(day) in days
            elif is_wanted:
                titles.append(each.text)
        return Finish(", ".join(titles))

    return Move("answer(titles)", action, ends_episode=True)


@solves("SimpleCalendarAnyEventsOnDate")
def tell_titles(params):
    shown = {"day": int(params["date"].split()[1])}
    return [*day(shown), answer_titles()]


@solves("SimpleCalendarEventsInNextWeek")
def tell_titles_of_week(params):
    return [
        open_app(CALENDAR),
        tap(content_desc="Change view"),
        tap(text="Simple event list"),
        answer_titles(range(16, 23)),
    ]


@solves(
    "SimpleCalendarEventOnDateAtTime",
    "SimpleCalendarEventsInTimeRange",
    "SimpleCalendarEventsOnDate",
    "SimpleCalendarFirstEventAfterStartTime",
    "SimpleCalendarNextEvent",
)
def tell_title(params):
    title = seen(resource_id="event_item_title", text=params["title"])
    return [*look_up(params["title"]), answer(title)]


@solves("SimpleCalendarLocationOfEvent")
def tell_location(params):
    location = seen(text=params["location"])
    return [*look_up(params["title"]), tap(text=params["title"]), answer(location)]


@solves("SimpleCalendarNextMeetingWithPerson")
def tell_time(params):
    return [*look_up(params["person"]), answer(f"{params['date']} {clock(params['time']):%H:%M}")]


def clock(text):
    """Return a time of day that is written in one of the library's three ways."""
    for form in FORMATS:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    raise ValueError(text)
