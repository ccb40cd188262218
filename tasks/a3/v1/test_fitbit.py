"""A3's first release: its twelve tasks in Fitbit."""

from pytest_mobileagent import tasks

from .asks import shows
from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "fitbit"
APP = "com.fitbit.FitbitMobile"
BADGES = ("Daily steps", "Lifetime distance", "Weight goal")


def asks_for(name):
    """Return a body that requires the number of an element as the answer."""

    def body(episode):
        assert episode.answers(episode.screen.get(resource_id=name).text)

    return body


BODIES: Bodies = {
    "fitbit_1": shows(resource_id=f"{APP}:id/action_bar_root"),
    "fitbit_2": shows(text="Yesterday", package=APP),
    "fitbit_3": shows(text="Notifications", class_name="TextView", package=APP),
    "fitbit_4": shows(xpath=f"//*[@clickable='false']/*[@text='Week' and @package='{APP}']"),
    "fitbit_5": shows(text="Customize Today", package=APP),
    "fitbit_7": shows(text="Connected to Fitbit", package=APP),
    "fitbit_8": shows(*({"text": badge, "package": APP} for badge in BADGES)),
    "fitbit_9": shows(text="Personal", package=APP),
    "fitbit_10": shows({"content_desc": "Pause", "package": APP}, {"content_desc": "Walk"}),
    "fitbit_11": asks_for("secondary-focus-metric-2-calories"),
    "fitbit_12": asks_for("secondary-focus-metric-1-distance"),
}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_fitbit(episode, row, judge):
    decide(BODIES, episode, row, judge)
