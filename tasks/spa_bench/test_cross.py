"""SPA-Bench's 40 tasks across apps, judged subtask by subtask (appendix E)."""

from functools import partial

from pytest_mobileagent import rows, tasks

from .release import official
from .table import LABELS, SOURCE, subtasks

ROWS = rows("cross.toml", wording=partial(official, "cross"))


@tasks(ROWS, kind="cross-app", source=SOURCE, success_after_error=True)
def test_cross(episode, row, judge):
    assert judge(episode, subtasks=subtasks(row, LABELS))
