"""A3's first release: its twelve tasks in Fitbit."""

from pytest_mobileagent import tasks

from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "fitbit"
BODIES: Bodies = {}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_fitbit(episode, row, judge):
    decide(BODIES, episode, row, judge)
