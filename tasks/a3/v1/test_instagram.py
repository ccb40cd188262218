"""A3's first release: its nine tasks in Instagram."""

from pytest_mobileagent import tasks

from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "instagram"
BODIES: Bodies = {}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_instagram(episode, row, judge):
    decide(BODIES, episode, row, judge)
