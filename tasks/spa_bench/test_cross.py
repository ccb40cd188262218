"""SPA-Bench's 40 tasks across apps, judged subtask by subtask (appendix E)."""

from functools import partial

from pytest_mobileagent import rows, tasks

from .release import official
from .table import SOURCE, crossing

ROWS = rows("cross.toml", wording=partial(official, "cross"))
PARTS = crossing(ROWS)  # now, so that an invalid row is reported before a device starts


@tasks(ROWS, kind="cross-app", source=SOURCE, success_after_error=True)
def test_cross(episode, row, judge):
    assert judge(episode, subtasks=PARTS[row.id])
