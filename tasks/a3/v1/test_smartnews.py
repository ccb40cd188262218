"""A3's first release: its nine tasks in SmartNews."""

from pytest_mobileagent import tasks

from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "smart_news"
BODIES: Bodies = {}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_smartnews(episode, row, judge):
    decide(BODIES, episode, row, judge)
