"""A3's first release: its eight tasks in Google Maps."""

from pytest_mobileagent import tasks

from .asks import both, button, shows, touches, word
from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "google_maps"
ID = "com.google.android.apps.maps:id/"
SEARCH = f"{ID}search_omnibox_text_box"


def navigated(episode):
    assert episode.saw(content_desc=word("BBQ"))
    touches(button("@text='Directions'"), button("@text='Start'"))(episode)


BODIES: Bodies = {
    "google_maps_1": shows(resource_id=f"{ID}title", text="Notifications"),
    "google_maps_2": shows(content_desc="Satellite", checked=True),
    "google_maps_3": touches({"content_desc": "Gas"}),
    "google_maps_4": shows(resource_id=SEARCH, content_desc=word("BBQ")),
    "google_maps_5": both(
        touches({"text": "Relevance"}, {"text": "Distance"}), shows(text="Distance")
    ),
    "google_maps_6": navigated,
}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_maps(episode, row, judge):
    decide(BODIES, episode, row, judge)
