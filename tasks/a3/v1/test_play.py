"""A3's first release: its eight tasks in Google Play."""

import re

from pytest_mobileagent import tasks

from .asks import part, shows, word
from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "google_play"
APP = "com.android.vending"
TABS = ("Games", "Apps", "Books", "Search")
REVIEWS = re.compile(r"(?is)WhatsApp Messenger.*Ratings and Reviews|Ratings and Reviews.*WhatsApp")
BODIES: Bodies = {
    "google_play_1": shows(*({"text": word(tab), "package": APP} for tab in TABS)),
    "google_play_2": shows(
        {"text": part("Notifications"), "package": APP}, {"text": part("Offers")}
    ),
    "google_play_3": shows(text=word("WhatsApp"), class_name="TextView", package=APP),
    "google_play_4": shows(content_desc=REVIEWS, package=APP),
    "google_play_5": shows(content_desc=word("Watch apps"), package=APP),
}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_play(episode, row, judge):
    decide(BODIES, episode, row, judge)
