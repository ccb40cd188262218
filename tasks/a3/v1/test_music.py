"""A3's first release: its 15 tasks in YouTube Music."""

from pytest_mobileagent import tasks

from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "YTmusic"
BODIES: Bodies = {}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_music(episode, row, judge):
    decide(BODIES, episode, row, judge)
