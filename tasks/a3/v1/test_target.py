"""A3's first release: its nine tasks in Target."""

from pytest_mobileagent import tasks

from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "target"
BODIES: Bodies = {}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_target(episode, row, judge):
    decide(BODIES, episode, row, judge)
