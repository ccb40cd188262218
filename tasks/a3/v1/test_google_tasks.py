"""A3's first release: its ten tasks in Google Tasks."""

from pytest_mobileagent import tasks

from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "GoogleTasks"
BODIES: Bodies = {}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_google_tasks(episode, row, judge):
    decide(BODIES, episode, row, judge)
