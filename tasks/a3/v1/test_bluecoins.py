"""A3's first release: its twelve tasks in Bluecoins."""

from pytest_mobileagent import tasks

from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "bluecoins"
BODIES: Bodies = {}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_bluecoins(episode, row, judge):
    decide(BODIES, episode, row, judge)
