"""A3's first release: its ten tasks in Google Calendar."""

from pytest_mobileagent import tasks

from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "google_calendar"
BODIES: Bodies = {}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_calendar(episode, row, judge):
    decide(BODIES, episode, row, judge)
