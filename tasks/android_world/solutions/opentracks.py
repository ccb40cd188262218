"""OpenTracks: six tasks. The library describes only the tracks that the questions are about."""

from pytest_mobileagent import open_app, press, tap, type_text

from ._moves import dismiss, tell
from ._registry import solves

MILE, FOOT = 1609.34, 0.3048  # metres
START = [
    open_app("de.dennisguse.opentracks"),
    dismiss(resource_id="next_button"),
    dismiss(text="While using the app"),
    dismiss(text="Allow"),
    tap(resource_id="track_list_search"),
    type_text("."),  # ends each description
]
LENGTH = "track_list_item_time_distance"


def lengths(screens):
    """Return the minutes and metres of the tracks in the list."""
    found = []
    for row in screens[-1].find_all(resource_id=LENGTH):
        time, number, unit = row.text.replace("(", "").replace(")", "").split()
        *hours, minutes, _ = map(int, time.split(":"))
        metres = float(number.replace(",", "")) * {"mi": MILE, "ft": FOOT}[unit]
        found.append((60 * sum(hours) + minutes, metres))
    return found


@solves("SportsTrackerActivitiesCountForWeek")
def count(params):
    return [*START, tell(lambda screens: str(len(lengths(screens))))]


@solves("SportsTrackerActivityDuration", "SportsTrackerTotalDurationForCategoryThisWeek")
def total_minutes(params):
    return [*START, tell(lambda screens: str(sum(minutes for minutes, _ in lengths(screens))))]


@solves("SportsTrackerLongestDistanceActivity", "SportsTrackerTotalDistanceForCategoryOverInterval")
def total_metres(params):
    return [*START, tell(lambda screens: str(round(sum(far for _, far in lengths(screens)))))]


@solves("SportsTrackerActivitiesOnDate")
def name_types(params):
    """Look at the type of both tracks, which only the page for changes has in words."""
    looks = [
        [tap(resource_id=LENGTH, nth=nth), tap(content_desc="More options"), tap(text="Edit")]
        for nth in range(2)
    ]

    def types(screens):
        found = [screen.find(resource_id="track_edit_activity_type") for screen in screens]
        return ", ".join(dict.fromkeys(each.text for each in found if each))

    return [*START, *looks[0], press("back"), press("back"), *looks[1], tell(types)]
