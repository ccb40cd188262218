"""Tests of the rows in the page's list."""

from dataclasses import replace

import pytest

from pytest_mobileagent.report.entry import Spent
from pytest_mobileagent.report.html.index import row
from tests.report.conftest import make

COMPARED = "AssertionError: assert 3 == 2"


def test_a_suspect_is_reported_with_what_it_broke(tmp_path):
    attempt = {"place": "virtual", "worker": "main", "started": 1.0, "ended": 2.0, "began": True}
    attempt |= {"end": "worker died", "alone": True, "together": False, "run": "one"}
    task = make(suspect=True, attempts=[attempt])
    assert row(tmp_path, task, {})["suspect"] == "broke its worker in 1 of 1 attempt: the agent?"
    assert row(tmp_path, replace(task, suspect=False), {})["suspect"] == ""


def test_the_price_of_judges_is_that_of_their_role(tmp_path):
    task = make(roles={"actor": Spent(cost_usd=0.5), "judge": Spent(calls=2, cost_usd=0.25)})
    assert row(tmp_path, task, {})["judge_cost_usd"] == 0.25
    assert row(tmp_path, make(roles=None), {})["judge_cost_usd"] is None


@pytest.mark.parametrize(
    ("fields", "closest"),
    [
        ({"success": False, "reason": COMPARED}, "3 == 2"),
        ({"success": False, "closest": ["12 items", "13 items"]}, "12 items"),
        ({"success": True, "closest": ["12 items"]}, ""),
        ({"success": None, "reason": "adb broke"}, ""),
        ({"success": False, "termination": "agent error", "reason": f"it raised; {COMPARED}"},
         "3 == 2"),
        ({"success": False, "termination": "agent error", "reason": "it raised"}, ""),
        ({"success": False, "reason": f"AssertionError: assert {'x' * 999}"}, "x" * 199 + "…"),
    ],
)  # fmt: skip
def test_closest_is_reported_as_in_the_terminal(tmp_path, fields, closest):
    evidence = {"closest": fields.pop("closest", None)}
    verdict = {"passed": None, "scorer": "check", "reason": "", "evidence": evidence}
    task = make(**{"verdict": verdict, **fields})
    assert row(tmp_path, task, {})["closest"] == closest
