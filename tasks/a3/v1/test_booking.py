"""A3's first release: its 13 tasks in Booking.com."""

import re
from datetime import timedelta

from pytest_mobileagent import tasks

from .asks import part, shows, word
from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "booking"
ID = "com.booking:id/"
TAB = f"{ID}navigation_bar_item_large_label_view"
CAMPUS = "University of Washington"


def later(episode, days):
    """Return the date that is `days` days after the episode's, by the phone's clock."""
    return episode.started + timedelta(days=days)


def written(date):
    """Return a pattern for a month and a day, such as Jan 5 or Jan 05."""
    return rf"{date:%b} 0?{date.day}"


def flights(episode):
    screen = episode.screen
    route = screen.get(resource_id=f"{ID}flights_search_results_summary_routes")
    screen.get(
        text=part("Beijing"),
        inside=route,
        after=screen.find(text=part("Hong Kong"), inside=route),
    )
    options = screen.get(resource_id=f"{ID}flights_search_results_summary_search_options").text
    for wanted in (rf"{written(later(episode, 2))}\b", "1 adult", "economy"):
        assert re.search(wanted, options, re.IGNORECASE), f"{wanted} is not in {options!r}"


def hotels(episode):
    nights = f"{written(later(episode, 2))} . {written(later(episode, 3))}"
    episode.screen.get(resource_id=f"{ID}searchbox_destination", text=part("Beijing"))
    episode.screen.get(resource_id=f"{ID}searchbox_dates", text=re.compile(rf"(?i)\b{nights}\b"))


def cars(episode):
    picked_up, dropped_off = (f"{later(episode, days):%Y-%m-%d}" for days in (2, 4))
    said = rf"Pick-up {CAMPUS} (on )?{picked_up}, drop-off {CAMPUS} (on )?{dropped_off}"
    episode.screen.get(class_name="Button", content_desc=re.compile(rf"(?i)^{said}\b"))


def taxi(episode):
    episode.screen.get(resource_id=f"{ID}search_results_title", text="Choose your ride")
    day = later(episode, 2)
    trip = (
        r"from The Chinese University of Hong Kong to University of Hong Kong \(HKU\)\. "
        rf"Pick-up is on {day:%a} {written(day)} at 0?1:26 PM"
    )
    episode.screen.get(content_desc=re.compile(f"(?i){trip}"))


BODIES: Bodies = {
    "booking_0": shows(resource_id=TAB),
    "booking_1": shows(resource_id=TAB, text=word("Saved")),
    "booking_2": flights,
    "booking_3": hotels,
    "booking_5": shows(xpath=f"//*[@resource-id='{ID}action_bar']/*[@text='Your Notifications']"),
    "booking_6": cars,
    "booking_9": taxi,
}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_booking(episode, row, judge):
    decide(BODIES, episode, row, judge)
