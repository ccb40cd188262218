"""The date picker: a month at a time, below the chosen date."""

from __future__ import annotations

import calendar
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.ui import MATCH, Column, Dialog, Grid, ImageButton, Row, Text, View

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.sdk.app import Activity

CELL = 40.0  # dp, height of a day
WHOLE = 420.0  # dp of a screen with room for the whole picker


def fresh(day: date) -> dict[str, Any]:
    """Return the state of a picker opened at a day."""
    return {"day": day.isoformat(), "year": day.year, "month": day.month}


def dialog(
    activity: Activity, name: str, *, done: Callable[[date], object], close: Callable[[], object]
) -> Dialog:
    """Build the dialog, whose state is in `activity.state[name]`; `done` gets the chosen day."""
    picker = activity.state[name]

    def change(**parts: Any) -> None:
        activity.set(**{name: picker | parts})

    locale, day = activity.locale, date.fromisoformat(picker["day"])
    year, month = picker["year"], picker["month"]

    def turn(by: int) -> None:
        years, rest = divmod(month - 1 + by, 12)
        change(year=year + years, month=rest + 1)

    above = Text(str(day.year), id="android:id/date_picker_header_year", color="on_primary")
    below = Text(locale.date(day, "EEE, MMM d"), size=28, color="on_primary")
    below.id = "android:id/date_picker_header_date"
    header = Column([above, below], padding=(16, 12), background="primary", corner=8)
    title = Text(locale.date(date(year, month, 1), "MMMM yyyy"), bold=True, gravity="center")
    title.weight = 1
    arrows = [
        ImageButton(f"chevron_{side}", id=f"android:id/{id}", desc=desc, on_click=partial(turn, by))
        for side, id, desc, by in (  # noqa: A001 - Android's word
            ("left", "prev", "Previous month", -1),
            ("right", "next", "Next month", 1),
        )
    ]
    bar = Row([arrows[0], title, arrows[1]])
    weeks = calendar.Calendar(locale.first_weekday).monthdatescalendar(year, month)
    days = [_heading(locale.date(each, "EEEEE")) for each in weeks[0]]
    days += [_day(each, month, day, activity, change) for week in weeks for each in week]
    parts: list[View] = [bar, Grid(days, columns=7, id="android:id/month_view")]
    metrics = activity.phone.display.metrics
    if metrics.height_px / metrics.density > WHOLE:
        parts.insert(0, header)
    buttons: list[tuple[str, Callable[[], object]]]
    buttons = [("OK", partial(done, day)), ("Cancel", close)]
    return Dialog(content=Column(parts), buttons=buttons, on_cancel=close)


def _heading(letter: str) -> View:
    return Text(letter, size=12, color="on_surface_variant", gravity="center", width=MATCH)


def _day(
    each: date, month: int, picked: date, activity: Activity, change: Callable[..., object]
) -> View:
    """Build a day, or an empty cell for one of another month."""
    if each.month != month:
        return View(width=MATCH, height=CELL)
    ink = "on_primary" if each == picked else "on_surface"
    cell = Text(activity.locale.number(each.day), gravity="center", color=ink, size=14)
    cell.desc, cell.class_name = activity.locale.date(each, "dd MMMM yyyy"), "android.view.View"
    cell.width, cell.height, cell.corner = MATCH, CELL, CELL / 2
    cell.background = "primary" if each == picked else ""
    cell.selected, cell.touch_padding = each == picked, 0
    cell.key, cell.on_click = f"day:{each}", partial(change, day=each.isoformat())
    return cell
