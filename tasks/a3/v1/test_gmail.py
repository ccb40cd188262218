"""A3's first release: its nine tasks in Gmail."""

from pytest_mobileagent import tasks

from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "Gmail"
BODIES: Bodies = {}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_gmail(episode, row, judge):
    decide(BODIES, episode, row, judge)
