"""mobile_judge_runs: how often each judge is asked; the majority decides."""

from __future__ import annotations

import pytest

from tests.options import judging

YES, NO = "Result: 1", "Result: 0"


@pytest.mark.parametrize(
    ("replies", "outcome"),
    [([YES, NO, YES], "passed"), ([NO, NO, YES], "failed"), ([YES, NO], "review")],
)
def test_the_majority_counts(asking, replies, outcome):
    judging.write(asking)
    judges = ["--llm-judge=single", f"--mobile-judges={asking.script(*replies)}"]
    judging.run(asking, *judges, f"-omobile_judge_runs={len(replies)}")
    task = judging.task(asking)
    assert task["outcome"] == outcome
    (judge,) = task["verdict"]["evidence"]["judges"]
    assert sorted(judge["details"]["votes"]) == sorted(reply == YES for reply in replies)
    assert task["roles"]["judge"]["calls"] == len(replies)
