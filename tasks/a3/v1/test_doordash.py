"""A3's first release: its eleven tasks in DoorDash."""

from pytest_mobileagent import tasks

from .asks import both, part, shows, touches, word
from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "doordash"
ID = "com.dd.doordash:id/"
TITLE = f"{ID}textView_navBar_backdropTitle"


def searched(episode):
    assert episode.saw(resource_id=f"{ID}edit_text", text=word("hot dog"))


BODIES: Bodies = {
    "doordash_1": shows(resource_id=f"{ID}edit_text", text=word("Pizza")),
    "doordash_2": both(searched, shows(text="Over 4.8")),
    "doordash_3": shows(resource_id=TITLE, text="Alcohol"),
    "doordash_4": shows(resource_id=f"{ID}cartItemNameTextView", text=part("Hash Brown")),
    "doordash_5": touches({"resource_id": f"{ID}store_delete_icon"}, {"text": "Yes, delete"}),
    "doordash_6": shows(
        {"resource_id": TITLE, "text": "Sports"},
        {"resource_id": f"{ID}browse", "selected": True},
    ),
}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_doordash(episode, row, judge):
    decide(BODIES, episode, row, judge)
