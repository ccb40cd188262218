"""SPA-Bench's ten open-ended tasks, which only judges can decide (appendix G)."""

from pytest_mobileagent import rows, tasks

from .table import SOURCE, opened

ROWS = rows("open_ended.csv")


@tasks(
    ROWS,
    kind="open-ended",
    step_limit=20,
    source=SOURCE,
    prepare=opened,
    success_after_error=True,
)
def test_open_ended(episode, row, judge):
    assert judge(episode), row.goal
