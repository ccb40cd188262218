"""Calendar: ten tasks of MobileAgentBench."""

import calendar
from typing import Any

from pytest_mobileagent import long_press, scroll, tap, tasks, type_text

from .checks import OK, at, has, last, saved, searched, texts, view
from .setups import fresh, preferred, stored
from .table import SOURCE, fields, of

DESCRIPTION = "wash all my clothes"


def created(episode):
    return saved(episode, "calendar_fab", event_title="laundry")


def task_created(episode):
    filled = {"task_title": "laundry", "task_description": DESCRIPTION}
    all_day = last(episode, "task_all_day")
    return all_day and all_day.checked and saved(episode, "calendar_fab", **filled)


def deleted(episode):
    listed = set(texts(episode, "event_item_title")) & {"Cooking", "Laundry", "Meeting"}
    is_list = view(episode, "calendar_events_list")
    return is_list and listed == {"Cooking"} and episode.tapped(resource_id=OK)


def next_month(episode):
    year, month = divmod(episode.started.year * 12 + episode.started.month, 12)
    name = calendar.month_name[month + 1]
    shown = texts(episode, "top_value")
    assert shown in ([name], [f"{name} {year}"]), f"the month was {shown}"
    return True


QUESTIONS = {
    "calendar_create_and_search": lambda e: e.in_order(created, searched("laundry")),
    "calendar_daily_view": lambda e: view(e, "day_events"),
    "calendar_delete_tasks": deleted,
    "calendar_laundry": created,
    "calendar_new_task": task_created,
    "calendar_next_month": next_month,
    "calendar_open_about": at(".AboutActivity"),
    "calendar_search": searched("laundry"),
    "calendar_snooze_time": has("settings_snooze_time", "1 minute"),
    "calendar_start_week": has("settings_start_week_on", "Monday"),
}
# The hint about reminders, before an event is saved for the first time.
QUIET = preferred(was_alarm_warning_shown=True)
ZEROS = ("reminder_1_type", "reminder_2_type", "reminder_3_type", "repeat_interval", "repeat_rule",
         "repeat_limit", "flags", "parent_id", "last_updated", "availability", "color",
         "type")  # fmt: skip


def event(title, hours):
    """Return the statement that adds an event, some hours after the last full one."""
    columns = {
        "start_ts": f"$hour + {hours * 3600}",
        "end_ts": f"$hour + {hours * 3600}",
        "title": f"'{title}'",
        **dict.fromkeys(("location", "description", "import_id"), "''"),
        **dict.fromkeys(("repetition_exceptions", "attendees"), "'[]'"),
        **{f"reminder_{number}_minutes": "-1" for number in (1, 2, 3)},
        **dict.fromkeys(ZEROS, "0"),
        "time_zone": "'$zone'",
        "event_type": "1",
        "source": "'simple-calendar'",
    }
    values = ", ".join(columns.values())
    return f"INSERT INTO events ({', '.join(columns)}) VALUES ({values})"  # noqa: S608 - ours


EVENTS = stored(
    "events.db",
    *(event(title, hours) for hours, title in enumerate(("Laundry", "Cooking", "Meeting"), 1)),
    where="hour=$(($(date +%s) / 3600 * 3600)); zone=$(getprop persist.sys.timezone)",
)
SETUPS = {
    f"calendar_{name}": fresh(QUIET) for name in ("create_and_search", "laundry", "new_task")
} | {"calendar_delete_tasks": fresh(EVENTS)}

MENU = tap(content_desc="More options")
NEW, SAVE = tap(resource_id="calendar_fab"), tap(resource_id="save")
CREATE = [
    NEW,
    tap(resource_id="fab_event_label"),
    type_text("laundry", resource_id="event_title"),
    SAVE,
]
SEARCH = [type_text("laundry", resource_id="top_toolbar_search")]
SETTINGS = [tap(content_desc="Settings")]
SNOOZE: dict[str, Any] = {"text": "Snooze time"}
SOLUTIONS = {
    "calendar_create_and_search": [*CREATE, *SEARCH],
    "calendar_daily_view": [tap(content_desc="Change view"), tap(text="Daily view")],
    "calendar_delete_tasks": [
        tap(content_desc="Change view"),
        tap(text="Simple event list"),
        long_press(text="Laundry"),
        tap(text="Meeting"),
        tap(content_desc="Delete"),
        tap(resource_id=OK),
    ],
    "calendar_laundry": CREATE,
    "calendar_new_task": [
        NEW,
        tap(resource_id="fab_task_label"),
        type_text("laundry", resource_id="task_title"),
        type_text(DESCRIPTION, resource_id="task_description"),
        tap(resource_id="task_all_day"),
        SAVE,
    ],
    "calendar_next_month": [tap(resource_id="top_right_arrow")],
    "calendar_open_about": [MENU, tap(text="About")],
    "calendar_search": SEARCH,
    "calendar_snooze_time": [
        *SETTINGS,
        scroll("up", until=SNOOZE),
        tap(**SNOOZE),
        tap(text="1 minute"),
    ],
    "calendar_start_week": [*SETTINGS, tap(text="Start week on"), tap(text="Monday")],
}


@tasks(of("calendar"), each=fields("calendar", SOLUTIONS, SETUPS), source=SOURCE)
def test_calendar(episode, row):
    assert episode.ever(QUESTIONS[row.id])
