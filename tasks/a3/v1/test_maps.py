"""A3's first release: its eight tasks in Google Maps."""

from pytest_mobileagent import tasks

from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "google_maps"
BODIES: Bodies = {}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_maps(episode, row, judge):
    decide(BODIES, episode, row, judge)
