"""A3's first release: its 13 tasks in Coursera."""

from pytest_mobileagent import tasks

from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "coursera"
BODIES: Bodies = {}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_coursera(episode, row, judge):
    decide(BODIES, episode, row, judge)
