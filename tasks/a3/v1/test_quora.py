"""A3's first release: its nine tasks in Quora."""

from pytest_mobileagent import tasks

from .asks import part, shows, word
from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "quora"
ID = "com.quora.android:id/"
TITLE, BACK = f"{ID}titleView", f"{ID}backButton"


def posted(episode):
    back = episode.screen.get(resource_id=BACK)
    episode.screen.get(text=part("Good morning"), after=back)


def topics_only(episode):
    episode.screen.get(text=word("Clear Filters"))
    assert episode.tapped(text=word("Topics"))


def followed_topic(episode):
    topic = episode.screen.get(text=word("Artificial Intelligence"))
    episode.screen.get(class_name="ToggleButton", text=part("Following"), after=topic)


def followed_person(episode):
    episode.screen.get(xpath=f"//*[@resource-id='{ID}navbar_start']/*[@text=\"Adam D'Angelo\"]")
    episode.screen.get(class_name="ToggleButton", text=part("Following"))


BODIES: Bodies = {
    "quora_0": shows(text=word("Results for what is panda")),
    "quora_1": shows(resource_id=TITLE, text="Notifications"),
    "quora_2": posted,
    "quora_3": shows(text="Edit profile"),
    "quora_4": shows(resource_id=TITLE, text="Spaces"),
    "quora_6": topics_only,
    "quora_7": followed_topic,
    "quora_8": followed_person,
}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_quora(episode, row, judge):
    decide(BODIES, episode, row, judge)
