"""A3's first release: its eight tasks in Yelp."""

import re

from pytest_mobileagent import tasks

from .asks import both, shows, word
from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "yelp"
ID = "com.yelp.android:id/"
SEARCH = f"{ID}pablo_toolbar_search_text"
CLOSEST = shows(text=word("Sort: Distance"))


def nearby(what):
    return shows(resource_id=SEARCH, text=word(f"{what} Current Location"))


BODIES: Bodies = {
    "yelp_0": nearby("pizza"),
    "yelp_1": shows(
        resource_id=SEARCH, text=re.compile(r"(?i)^\s*pizza hong ?kong university\s*$")
    ),
    "yelp_2": both(nearby("pizza"), CLOSEST),
    "yelp_3": both(nearby("pizza"), CLOSEST, shows(text=re.compile("(?i)open (at|now)"))),
    "yelp_4": both(nearby("burger"), CLOSEST, shows(text=word("Open at 11:00 pm"))),
    "yelp_5": both(nearby("burger"), shows(text=word("Good for Kids"))),
    "yelp_7": shows(resource_id=f"{ID}lighthouse_fourth_tab", selected=True),
}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_yelp(episode, row, judge):
    decide(BODIES, episode, row, judge)
