"""A3's first release: its eleven tasks in DoorDash."""

from pytest_mobileagent import tasks

from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "doordash"
BODIES: Bodies = {}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_doordash(episode, row, judge):
    decide(BODIES, episode, row, judge)
