"""A3's first release: its six tasks in CNN."""

from pytest_mobileagent import tasks

from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "CNN"
BODIES: Bodies = {}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_cnn(episode, row, judge):
    decide(BODIES, episode, row, judge)
