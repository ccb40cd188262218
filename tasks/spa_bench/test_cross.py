"""SPA-Bench's 40 tasks across apps, judged subtask by subtask (appendix E)."""

from functools import partial

from pytest_mobileagent import rows, tasks

from .release import official
from .table import SOURCE, crossing, decide, playable

ROWS = rows("cross.toml", wording=partial(official, "cross"))
PARTS = crossing(ROWS)  # now, so that an invalid row is reported before a device starts
EACH = {row.id: playable(row) for row in ROWS}


@tasks(ROWS, each=EACH, kind="cross-app", source=SOURCE, success_after_error=True)
def test_cross(episode, row, judge):
    decide(episode, row, judge, subtasks=PARTS[row.id])
