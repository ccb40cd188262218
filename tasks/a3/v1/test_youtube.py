"""A3's first release: its ten tasks in YouTube."""

from pytest_mobileagent import tasks

from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "youtube"
BODIES: Bodies = {}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_youtube(episode, row, judge):
    decide(BODIES, episode, row, judge)
