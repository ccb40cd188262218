"""A3's first release: its ten tasks in Wish."""

from pytest_mobileagent import tasks

from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "wish"
BODIES: Bodies = {}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_wish(episode, row, judge):
    decide(BODIES, episode, row, judge)
