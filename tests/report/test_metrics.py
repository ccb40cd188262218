from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.report.metrics import summarise, totals
from pytest_mobileagent.report.result import Result


def result(success: bool | None = None, **fields: Any) -> dict[str, Any]:
    outcome = {True: "passed", False: "failed", None: "error"}[success]
    return Result("t", "t", **{"outcome": outcome, "success": success, **fields}).to_wire()


def test_nothing_comes_to_nothing_and_never_to_zero_percent() -> None:
    numbers = totals([])
    counts = {"tasks", "decided", "successes", "errors", "skipped", "premature", "overdue"}
    counts |= {"infrastructure", "without_snapshot"}
    assert {name for name, value in numbers.items() if value == 0} == counts
    assert {name for name, value in numbers.items() if value is None} == set(numbers) - counts


def test_every_number_is_over_what_it_says() -> None:
    reported, limited = {"termination": "self-reported"}, {"termination": "step limit"}
    seconds = {"seconds": 10.0, "cost_usd": 0.5, "input_tokens": 100, "output_tokens": 10}
    numbers = totals(
        [
            result(
                True, steps=4, step_ratio=2.0, premature=False, overdue=False, **reported, **seconds
            ),
            result(
                True, steps=6, step_ratio=1.0, premature=False, overdue=True, **limited, **seconds
            ),
            result(True, steps=0, step_ratio=None, premature=False, overdue=False, **reported),
            result(False, steps=2, premature=True, overdue=False, **reported, **seconds),
            result(False, steps=8, premature=False, overdue=False, **limited),
            result(False, steps=5, premature=False, overdue=False, termination="agent error"),
            result(None, cost_usd=0.25, reset="no snapshots: cleared com.example"),
            result(None, outcome="skipped", infrastructure=("the device broke off",)),
        ]
    )
    assert numbers == {
        "tasks": 8,
        "decided": 6,
        "successes": 3,
        "errors": 1,
        "skipped": 1,
        "infrastructure": 1,
        "without_snapshot": 1,
        "success_rate": 3 / 6,
        "mean_step_ratio": 1.5,
        "premature": 1,
        "premature_rate": 1 / 3,
        "overdue": 1,
        "overdue_rate": 1 / 2,
        "mean_steps": 25 / 6,
        "seconds": 30.0,
        "seconds_per_step": 30 / 25,
        "input_tokens": 300,
        "output_tokens": 30,
        "cost_usd": 1.75,
    }


def test_seconds_per_step_are_none_without_a_step() -> None:
    assert totals([result(False, steps=0, seconds=3.0)])["seconds_per_step"] is None


def test_a_step_ratio_is_never_clamped() -> None:
    assert totals([result(True, step_ratio=0.5), result(True, step_ratio=4.0)])[
        "mean_step_ratio"
    ] == pytest.approx(2.25)


RESULTS = st.lists(
    st.builds(
        result,
        st.sampled_from([True, False, None]),
        suite=st.sampled_from(["a", "b", ""]),
        steps=st.integers(0, 9),
        seconds=st.none() | st.floats(0, 9),
        premature=st.none() | st.booleans(),
        overdue=st.none() | st.booleans(),
        termination=st.sampled_from(["self-reported", "step limit", None]),
    ),
    max_size=8,
)


@given(RESULTS)
def test_suites_add_up_to_the_run_and_order_does_not_matter(results: list[dict[str, Any]]) -> None:
    summary = summarise(results)
    suites = summary["suites"].values()
    for count in ("tasks", "decided", "successes", "errors", "skipped", "premature", "overdue"):
        assert summary[count] == sum(suite[count] for suite in suites)
    for rate in ("success_rate", "premature_rate", "overdue_rate"):
        assert summary[rate] is None or 0 <= summary[rate] <= 1
    assert summary["tasks"] == summary["decided"] + summary["errors"] + summary["skipped"]
    assert list(summary["suites"]) == sorted({row["suite"] for row in results})
    backwards = summarise(results[::-1])
    for name in set(summary) - {"suites"}:
        assert backwards[name] == pytest.approx(summary[name])
