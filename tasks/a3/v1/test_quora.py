"""A3's first release: its nine tasks in Quora."""

from pytest_mobileagent import tasks

from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "quora"
BODIES: Bodies = {}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_quora(episode, row, judge):
    decide(BODIES, episode, row, judge)
