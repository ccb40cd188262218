"""A3's first release: its eight tasks in Google Play."""

from pytest_mobileagent import tasks

from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "google_play"
BODIES: Bodies = {}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_play(episode, row, judge):
    decide(BODIES, episode, row, judge)
