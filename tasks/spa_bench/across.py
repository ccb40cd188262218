"""Checks of four tasks across apps, with solutions: those that our own virtual apps support."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from pytest_mobileagent import open_app, sqlite, tap, type_text
from pytest_mobileagent.errors import DeviceError

from .checks import check, fresh
from .planning import ALARMS, DATABASE, EVENTS, ZONE, alarms, new_alarm

if TYPE_CHECKING:
    from pytest_mobileagent import Screen

CALENDAR = "com.google.android.calendar|com.android.calendar"
CHROME = "com.android.chrome"
CLOCK = "com.google.android.deskclock|com.android.deskclock"
DOUYIN = "com.ss.android.ugc.aweme"
SETTINGS = "com.android.settings"
YOUTUBE = "com.google.android.youtube"


def of(episode: Any, app: str) -> list[Screen]:
    """Return the screens of an app."""
    return [screen for screen in episode.screens if screen.package in app.split("|")]


def used_in_order(episode: Any, *apps: str) -> bool:
    """Return whether the apps were used one after another, whatever else was used between."""
    packages = iter(screen.package for screen in episode.screens)
    return all(any(package in app.split("|") for package in packages) for app in apps)


# Settings.


@dataclass(frozen=True, slots=True)
class DataSaver:
    """Whether Data Saver is on, which Android keeps in its network policy (7 and newer)."""

    script: str = "cmd netpolicy get restrict-background 2>&1"

    def parse(self, output: str) -> bool:
        """Return the state."""
        found = re.search(r"^Restrict background status: (en|dis)abled$", output, re.MULTILINE)
        if found is None:
            msg = f"the phone does not tell whether Data Saver is on: {output.strip()[:200]!r}"
            raise DeviceError(msg)
        return found[1] == "en"


SAVER = {"data_saver": DataSaver()}
SAVING = [
    open_app(SETTINGS),
    tap(text="Network & internet"),
    tap(text="Data Saver"),
    tap(text="Use Data Saver"),
]


@check(
    "General_Tool_2_ENG",
    probes={
        **SAVER,
        "alarms": sqlite(DATABASE.replace("{app}", CLOCK), ALARMS["alarms"].query),
    },
    solution=[*SAVING, open_app(CLOCK), *new_alarm(6)],
)
def saver_and_alarm(episode):
    assert episode.probe("data_saver")
    assert alarms(episode, 6)
    assert used_in_order(episode, SETTINGS, CLOCK)


@check("General_Tool_1_CHN", language="zh", probes=SAVER, solution=[*SAVING, open_app(DOUYIN)])
def saver_and_videos(episode):
    assert episode.probe("data_saver")
    assert used_in_order(episode, SETTINGS, DOUYIN)
    assert episode.screen.package == DOUYIN


# Chrome and Calendar.

OPENINGS = [date(2026, 2, 6), date(2030, 2, 1), date(2034, 2, 10)]  # of the Winter Olympics


def next_opening(today: date) -> date | None:
    return next((day for day in OPENINGS if day >= today), None)


ID = "contains(@resource-id, 'id/{}')"
HEAD, BACK, ON = (
    f"//*[{ID.format(name)}]"
    for name in (
        "mtrl_picker_header", "month_navigation_previous", "month_navigation_next",
    )
)  # fmt: skip


def on_day(day: date) -> list[Any]:
    """Return the moves that choose a day in February in the date picker of the editor.

    Each move to another month is a tap on the picker's title once February is reached.
    """
    at, early = f"//*[@text='{day:%B %Y}']", f"//*[@text='January {day.year}']"
    step = f"{HEAD}[{at}] | {ON}[{early}] | {BACK}[not({at} or {early})]"
    return [
        tap(resource_id="month_navigation_fragment_toggle"),
        tap(text=str(day.year)),
        *[tap(xpath=step)] * 10,
        tap(text=str(day.day)),
        tap(text="OK"),
    ]


@check(
    "Information_Management_1_ENG",
    probes={**EVENTS, "zone": ZONE},
    solution=[
        open_app(CHROME),
        type_text("next winter olympics", enter=True, resource_id="url_bar"),
        tap(xpath="//*[starts-with(@text, 'Winter Olympics - ')]"),
        open_app(CALENDAR),
        tap(content_desc="Create new event (and more)"),
        tap(text="Event"),
        type_text("Winter Olympics", resource_id="title"),
        tap(resource_id="start_date"),
        *on_day(next_opening(datetime.now(UTC).date()) or OPENINGS[-1]),
        tap(text="Save"),
    ],
)
def olympics(episode):
    zone = ZoneInfo(episode.probe("zone"))
    days = [
        # Days of all-day events are in UTC.
        datetime.fromtimestamp(row["dtstart"] / 1000, UTC if row["allDay"] else zone).date()
        for row in fresh(episode, "events")
    ]
    opening = next_opening(episode.started.date())
    assert opening in days
    assert used_in_order(episode, CHROME, CALENDAR)
    year = re.compile(str(opening.year))
    assert any(page.find(text=year) or page.find(content_desc=year) for page in of(episode, CHROME))


# YouTube and Clock.

WANTED = re.compile("relax|soundscape", re.IGNORECASE)
FOUND = re.compile(r"^(.+) - \d+ (?:hour|minute|second)s?\b.* - Go to channel - .* - play video$")
QUERY = {"resource_id": re.compile(":id/search_(edit_text|query)$"), "text": WANTED}
LEFT = {
    "resource_id": re.compile(":id/timer_(time_)?text$"),
    "text": re.compile(r"^(3:00:00|2:59:\d\d)$"),
}


@check(
    "Media_Entertainment_2_ENG",
    solution=[
        open_app(YOUTUBE),
        tap(content_desc="Search"),
        type_text("relaxing soundscape", enter=True, resource_id="search_edit_text"),
        open_app(CLOCK),
        tap(content_desc="Timer"),
        *(tap(resource_id=f"timer_setup_digit_{digits}") for digits in ("3", "00", "00")),
        tap(content_desc="Start"),
        open_app(YOUTUBE),
        tap(content_desc=FOUND),
    ],
)
def soundscape(episode):
    assert used_in_order(episode, YOUTUBE, CLOCK, YOUTUBE)
    assert of(episode, CLOCK)[-1].find(**LEFT)
    lists = [screen for screen in of(episode, YOUTUBE) if screen.find(**QUERY)]
    each = [element for screen in lists for element in screen.find_all(content_desc=FOUND)]
    titles = [FOUND.sub(r"\1", element.content_desc) for element in each]
    assert episode.screen.find(resource_id="watch_player")
    # Below the player, other videos are listed as in the results.
    playing = [re.compile(rf"^{re.escape(title)}(?!.* - play video$)") for title in titles]
    assert any(episode.screen.find(content_desc=title) for title in playing)
