"""A3's first release: its six tasks in CNN."""

import re

from pytest_mobileagent import tasks

from .asks import named, shows, word
from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "CNN"
TITLE = "com.cnn.mobile.android.phone:id/toolbar_title"
FOUND = {"text": re.compile(r"(?i)results for\W+panda\b")}
BODIES: Bodies = {
    "CNN_0": shows(resource_id=TITLE, text=word("Watch")),
    "CNN_1": shows({"resource_id": TITLE, "text": word("Search")}, FOUND),
    "CNN_2": shows(named("@text='World'")),
}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_cnn(episode, row, judge):
    decide(BODIES, episode, row, judge)
