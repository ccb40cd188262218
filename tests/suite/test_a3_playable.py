"""What A3's tasks of Coursera, Wish and Calendar ask of the release's own phones.

On the virtual phone they are played; here are screens with the ids that the release names.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

import pytest_mobileagent.plugin.items  # noqa: F401 - which has pytest mark tasks
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
    at_last("coursera_11", DOWNLOADS, n("download_size", "231 MB"), answer="They take 231 MB."),
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
        answer="It is rated 4.6.",
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
