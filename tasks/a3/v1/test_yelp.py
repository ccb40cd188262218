"""A3's first release: its eight tasks in Yelp."""

from pytest_mobileagent import tasks

from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "yelp"
BODIES: Bodies = {}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_yelp(episode, row, judge):
    decide(BODIES, episode, row, judge)
