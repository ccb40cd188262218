from __future__ import annotations

from typing import Any

from pytest_mobileagent.report.metrics import summarise
from pytest_mobileagent.report.result import Result
from pytest_mobileagent.report.terminal import remarks, table


def result(suite: str, success: bool | None, **fields: Any) -> dict[str, Any]:
    outcome = {True: "passed", False: "failed", None: "error"}[success]
    fields = {"outcome": outcome, "success": success, "suite": suite, **fields}
    return Result("t", "t", **fields).to_wire()


DONE = {
    "steps": 3,
    "step_ratio": 1.5,
    "seconds": 4.5,
    "termination": "self-reported",
    "premature": False,
    "overdue": False,
}


def test_one_suite_is_one_row() -> None:
    mended = result("clock", True, infrastructure=("broke off", "broke off"), **DONE)
    assert table(summarise([mended, result("clock", None)])) == [
        "suite  tasks  success rate  ratio  premature  overdue  steps  s/step  errors  infra  skips",  # noqa: E501
        "clock      2  100.0% (1/1)   1.50   0.0% (0)  n/a (0)    3.0    1.50       1      2      0",  # noqa: E501
    ]


def test_rows_of_environments_fit_100_columns() -> None:
    results = [result("coursera", False, environment="105", **DONE) for _ in range(99)]
    rows = table(summarise([*results, result("coursera", True, environment="105", **DONE)]))
    assert max(map(len, rows)) <= 100


def test_several_suites_have_a_row_for_all() -> None:
    rows = table(
        summarise([result("clock", True, **DONE), result("", False, **DONE), result("map", None)])
    )
    assert [row.split()[0] for row in rows] == ["suite", "(no", "clock", "map", "all"]
    assert "50.0% (1/2)" in rows[-1]
    assert {len(row) for row in rows} == {len(rows[0])}


def test_what_is_unknown_is_not_shown_as_zero() -> None:
    (_, row) = table(summarise([result("clock", None)]))
    assert row.split() == (
        [
            "clock",
            "1",
            "n/a",
            "(0/0)",
            "n/a",
            "n/a",
            "(0)",
            "n/a",
            "(0)",
            "n/a",
            "n/a",
            "1",
            "0",
            "0",
        ]
    )


def test_tasks_that_began_without_a_snapshot_are_told_with_the_reasons() -> None:
    resets = ["snapshot a", None, "no snapshots: cleared a", "no snapshots: cleared b, c"]
    results = [result("clock", True, reset=reset, **DONE) for reset in resets]
    assert summarise(results)["without_snapshot"] == 2
    kept = "only their own apps were cleared, all else stayed as it was"
    assert remarks(results) == [f"2 tasks began without a snapshot (no snapshots): {kept}"]
    assert remarks(results[:2]) == []
