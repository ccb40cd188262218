"""A3's first release: its ten tasks in Google Play Books."""

from pytest_mobileagent import tasks

from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "GooglePlayBooks"
BODIES: Bodies = {}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_books(episode, row, judge):
    decide(BODIES, episode, row, judge)
