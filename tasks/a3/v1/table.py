"""The table of tasks of A3's first release, and how its test files decide them.

A3 (arXiv 2501.01149) has 201 tasks in 20 apps; `v1.csv` follows the release (commit 8871af5 of
YuxiangChai/A3). Ids are the release's folder and number; limits are 10, 15 and 20 steps by level.
Goals with dates are templates over the phone's clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pytest_mobileagent import rows

from ..official import evaluation
from .release import official

if TYPE_CHECKING:
    import pytest_mobileagent as mobile

Bodies = Mapping[str, Callable[[Any], object]]  # checks of episodes, by task id
SOURCE = "A3"
ROWS = rows("../v1.csv", wording=official)
NEVER = "the release's own check can never succeed: {}"
BOUND = "the release's own check can succeed late in 2024 only: {}"
FEW = "the release's own check can succeed in few years only: {}"
UNREAD = (
    "the release's own check never looks at the screens: it opens hierarchies as names of files"
)
REMARKS = {
    "Gmail_4": NEVER.format("it reads the words of the search only where there are none"),
    "Gmail_8": "the release calls it an operation: judges do not see the answer that it asks for",
    "YTmusic_8": NEVER.format("it waits for an action called click, and taps are called tap"),
    "booking_4": NEVER.format("its pattern finds no dates in its goal"),
    "booking_7": NEVER.format("it takes all of the goal after a date for the date"),
    "booking_8": NEVER.format("it takes all of the goal after a date for the date"),
    "booking_9": FEW.format("it wants the day of the week that the date had in 1900"),
    "google_calendar_1": NEVER.format("it wants January 14, 2025 to be a Thursday"),
    "google_calendar_2": BOUND.format("it wants November 9 to be a Saturday"),
    "google_calendar_8": BOUND.format("it looks for December 25, 2024"),
    "google_calendar_9": BOUND.format("it looks for December 25, 2024"),
    "google_maps_8": UNREAD,
    "google_play_5": UNREAD,
    "instagram_7": NEVER.format("it looks for a capital in small letters"),
}


def of(folder: str) -> list[mobile.Row]:
    """Return the rows of an app, by the name of its folder in the release."""
    return [row for row in ROWS if row.id.rpartition("_")[0] == folder]


def fields(
    folder: str, more: Mapping[str, Mapping[str, Any]] | None = None
) -> dict[str, dict[str, Any]]:
    """Return the fields of an app's tasks beyond their columns, by id: remarks, and `more`."""
    known = {name: {"remarks": (why,)} for name, why in REMARKS.items()}
    return {row.id: {**known.get(row.id, {}), **(more or {}).get(row.id, {})} for row in of(folder)}


def decide(bodies: Bodies, episode: Any, row: mobile.Row, judge: Any) -> None:
    """Decide a task by the body for its id, with the judge beside it, or else by the judge alone.

    Judges see view hierarchies (section 3.4.2): the last one, or all of them for a multi-frame
    query. If the user has a copy of the release, its own evaluation is recorded beside this
    verdict, or decides instead (`--mobile-official`).
    """
    passed = judge.official(episode, evaluation(episode, row))
    if passed is not None:
        assert passed
        return
    body = bodies.get(row.id)
    if body is None:
        assert judge(episode, evidence="xml")
    else:
        judge.beside(episode, evidence="xml")
        body(episode)
