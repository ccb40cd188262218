"""A3's tasks in Coursera, Wish and Calendar, as they appear on the release's own phones.

On the virtual phone, the tasks are played. The screens here have the ids that the release uses.
"""

from __future__ import annotations

from contextlib import nullcontext
from datetime import datetime
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest

import pytest_mobileagent.plugin.items  # noqa: F401 - which has pytest mark tasks
from pytest_mobileagent import Finish, Task
from pytest_mobileagent._task.case import Case as TaskCase
from pytest_mobileagent.episode import Step
from pytest_mobileagent.testing.phones import as_screen
from tests.suite.made_screens import Case, at_last, n, played, spoilt, way

if TYPE_CHECKING:
    from collections.abc import Callable

PACKAGES = {
    "coursera": "org.coursera.android",
    "wish": "com.contextlogic.wish",
    "google_calendar": "com.google.android.calendar",
}
ALGEBRA = n(text="linear algebra", cls="EditText")
CANCEL = n(text="Cancel", cls="Button")
FILTERED = n(desc="Filter, 1 chosen")
LEVELS = (
    n(text="Filter"),
    n(text="Level"),
    n(text="Beginner"),
    n(cls="CheckBox", checked=True),
    n(text="Advanced", fact=False),
    n(cls="CheckBox", fact=False),
)
LEARN = n(inside=[n("navigation_bar_item_large_label_view", "Learn")], selected=True)
CRYPTOGRAPHY = n("courseName", "Cryptography I")
BACK = n(desc="Back")
DOWNLOADS = n("toolbar_title", "Downloads")


def bar(title: str) -> Any:
    return n("drawer_activity_toolbar", inside=[n(text=title)])


def found(words: str) -> Any:
    return n("home_page_search_text", words)


FIRST = n("recycler", cls="GridView", inside=[n(touch=True, clickable=True), n(fact=False)])
LIST = n("recycler", cls="GridView", inside=[n()])
UNDER = n("title", "Under 100", touch=True, clickable=True)
CHEAP = n("title", "Under 100")
BEST = (
    (n(text="Best sellers", touch=True, clickable=True),),
    (
        n(text="Best sellers", fact=False),
        n("recycler_2", inside=[n(touch=True, clickable=True), n(fact=False)]),
    ),
)
HEART = n("wishlist", clickable=True)


def row(name: str, state: str) -> Any:
    return n(desc=f"{name}, {state}", inside=[n("calendar_text", name)])


def days(*numbers: int) -> Any:
    return tuple(n(desc=f"Monday {number} December: 2 items") for number in numbers)


MARKET = n(desc="New task: Go to the market, Saturday, November 9, 1:30 PM \N{EN DASH} 2:00 PM")

CASES = [
    at_last("coursera_0", ALGEBRA, n(desc="Filter")),
    way("coursera_1", LEVELS, (ALGEBRA, FILTERED)),
    way(
        "coursera_2",
        LEVELS,
        (ALGEBRA, CANCEL, FILTERED, n(text="Duke University", cls="TextView")),
        answer="Duke University",
    ),
    at_last(
        "coursera_4",
        n(text="Get Started with These Free Courses", cls="TextView"),
        n(cls="ScrollView", inside=[n(inside=[n(desc="Learning How to Learn")])]),
        answer="It is Learning How to Learn.",
    ),
    at_last("coursera_5", LEARN),
    way("coursera_6", (LEARN,), (CRYPTOGRAPHY,)),
    way(
        "coursera_7",
        (CRYPTOGRAPHY,),
        (
            n(text="Study Reminders"),
            n(text="Monday"),
            n("timeText", "01:00 PM"),
            n(text="Tuesday"),
            n("timeText", "09:00 AM", fact=False),
        ),
    ),
    at_last("coursera_8", BACK, n(text="Settings")),
    at_last("coursera_9", BACK, n(text="Settings"), n(inside=[n(text="Dark Mode"), n(cls="X")])),
    at_last("coursera_10", DOWNLOADS),
    at_last("coursera_11", DOWNLOADS, n("download_size", "231 MB"), answer="It is 231 MB."),
    at_last("coursera_12", DOWNLOADS, n("dm_empty_state_container")),
    at_last("wish_0", bar("Cart")),
    at_last("wish_1", found("Flashlight"), LIST),
    way("wish_2", (UNDER,), (found("flashlight"), CHEAP, LIST)),
    at_last("wish_3", bar("Electronics")),
    at_last("wish_4", bar("Notifications")),
    way(
        "wish_5",
        (UNDER,),
        (found("bottle"), CHEAP, FIRST),
        (n("wishlist", clickable=True, touch=True),),
        (
            n(
                clickable=True,
                touch=True,
                inside=[n("fragment_select_wishlist_item_image", fact=True)],
            ),
        ),
    ),
    at_last("wish_6", bar("Recently viewed")),
    way(
        "wish_7",
        *BEST,
        (HEART, n("stars_rating_view", touch=True)),
        (n("overall_rating", "4.6"),),
        answer="It is 4.6.",
    ),
    way("wish_8", *BEST, (n(text="Related", touch=True),), (HEART, n(text="Related"))),
    way("wish_9", *BEST, (HEART,)),
    way("google_calendar_2", (MARKET, n("save", touch=True)), ()),
    at_last("google_calendar_3", n(desc="May 2026")),
    at_last(
        "google_calendar_4",
        row("Events", "unchecked"),
        row("Tasks", "unchecked"),
        row("Birthdays", "unchecked"),
        row("Holidays in Norway", "checked"),
    ),
    at_last("google_calendar_5", *days(*range(2, 9))),
    at_last("google_calendar_6", n("com.google.android.gms:id/gh_help_content")),
]


@cache
def bodies() -> dict[str, Callable[[Any], object]]:
    modules = (import_module(f"tasks.a3.v1.test_{app}") for app in ("coursera", "wish", "calendar"))
    return {name: body for module in modules for name, body in module.BODIES.items()}


def holds(case: Case, make_episode: Callable[..., Any]) -> bool:
    try:
        bodies()[case.task](played(case, PACKAGES[case.task.rpartition("_")[0]], make_episode))
    except AssertionError:
        return False
    return True


def test_all_33_tasks_have_a_body() -> None:
    assert len(bodies()) == 13 + 10 + 10


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_body_holds_on_the_releases_screens_and_on_nothing_less(
    case: Case, make_episode: Callable[..., Any]
) -> None:
    assert holds(case, make_episode)
    assert [what for what, less in spoilt(case) if holds(less, make_episode)] == []


def calendar_of(
    make_episode: Callable[..., Any], *rows: tuple[str, str, str], answer: str = ""
) -> Any:
    """Return the end of an episode in Oslo in winter 2024, with these events in the calendar."""
    oslo = ZoneInfo("Europe/Oslo")
    events = [
        {"title": title, "allDay": "0", "deleted": "0"}
        | {
            key: str(int(datetime.fromisoformat(time).replace(tzinfo=oslo).timestamp() * 1000))
            for key, time in (("dtstart", begin), ("dtend", end))
        }
        for title, begin, end in rows
    ]
    probes = {"events": events, "zone": "Europe/Oslo"}
    screen = as_screen("<hierarchy/>")
    started = datetime(2024, 12, 2, 10, tzinfo=oslo)
    task = Task("Look into the calendar.", probes=import_module("tasks.a3.v1.test_calendar").EVENTS)
    step = Step(screen, (Finish(answer),), probes=probes)
    return make_episode(
        screens=(screen,), steps=(step,), case=TaskCase(task, "suite/task"), started=started
    )


GAME = "Watching the NBA game"


@pytest.mark.parametrize(
    ("title", "begin", "end", "is_right"),
    [
        (GAME, "2025-01-14 10:00", "2025-01-14 11:30", True),
        (GAME, "2025-01-14 10:00", "2025-01-14 11:00", False),
        (GAME, "2025-01-13 10:00", "2025-01-13 11:30", False),
        ("Watching a game", "2025-01-14 10:00", "2025-01-14 11:30", False),
    ],
)
def test_an_event_is_where_it_was_to_be_on_the_phones_clock(
    make_episode: Callable[..., Any], title: str, begin: str, end: str, is_right: bool
) -> None:
    episode = calendar_of(make_episode, (title, begin, end))
    with nullcontext() if is_right else pytest.raises(AssertionError):
        bodies()["google_calendar_1"](episode)


@pytest.mark.parametrize(
    ("task", "answer", "is_right"),
    [
        ("7", "On December 7 at 3 PM.", True),
        ("7", "Saturday, Dec 7 \N{BULLET} 3:00 PM \N{EN DASH} 4:00 PM", True),
        ("7", "On December 7.", False),
        ("7", "On December 8 at 3 PM.", False),
        ("8", "Two.", True),
        ("8", "Three.", False),
        ("9", "Presents and Pie", True),
        ("9", "Presents", False),
        ("10", "4", True),
        ("10", "3", False),
    ],
)
def test_answers_about_the_calendar_are_compared_with_what_is_in_it(
    make_episode: Callable[..., Any], task: str, answer: str, is_right: bool
) -> None:
    football = ("Watch football game", "2024-12-07 15:00", "2024-12-07 16:00")
    presents = ("Presents", "2024-12-25 08:00", "2024-12-25 09:00")
    pie = ("Pie", "2024-12-25 18:00", "2024-12-25 19:00")
    party = ("Party", "2024-12-31 23:30", "2025-01-01 02:00")
    later = ("Ski", "2025-01-01 00:30", "2025-01-01 02:00")
    rows = (football, presents, pie, party, later)
    episode = calendar_of(make_episode, *rows, answer=answer)
    with nullcontext() if is_right else pytest.raises(AssertionError):
        bodies()[f"google_calendar_{task}"](episode)
