from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.report.metrics.summary import step_efficiency, totals

if TYPE_CHECKING:
    from collections.abc import Callable

    Make = Callable[..., dict[str, Any]]

CHECK, JUDGE = {"scorer": "check"}, {"scorer": "single: gpt-4o"}
PERSON = {"scorer": "person"}
REPORTED, LIMITED = {"termination": "self-reported"}, {"termination": "step limit"}


def test_a_success_latches_whatever_the_agent_does_then(result: Make) -> None:
    undone = result(
        False, steps=5, first_success_step=3, verdict=CHECK, golden_steps=2, premature=True,
        **REPORTED,
    )  # fmt: skip
    kept = result(True, steps=4, first_success_step=4, verdict=CHECK, golden_steps=4, **REPORTED)
    numbers = totals([undone, kept])
    assert (numbers["success_rate"], numbers["latched_success_rate"]) == (0.5, 1.0)
    assert (numbers["late_stops"], numbers["over_execution_rate"]) == (1, 0.5)
    assert (numbers["early_stops"], numbers["false_finish_rate"]) == (0, None)
    assert numbers["step_efficiency"] == 1.25
    assert numbers["premature_rate"] == 1.0  # SPA-Bench's does not latch


def test_early_stops_are_failures_that_were_reported_as_done(result: Make) -> None:
    gave_up = result(False, steps=1, termination="gave up")
    failed = result(False, steps=1, verdict=CHECK, **REPORTED)
    numbers = totals([gave_up, failed, result(False, steps=9, **LIMITED)])
    assert numbers["false_finish_rate"] == pytest.approx(1 / 3)
    assert numbers["over_execution_rate"] is None


@pytest.mark.parametrize("success", [True, False])
def test_tasks_that_judges_or_people_decide_are_in_none_of_these_rates(
    result: Make, success: bool
) -> None:
    fields = {"steps": 3, "golden_steps": 2, **REPORTED}
    judged = result(success, verdict=JUDGE, **fields)
    person = result(success, verdict=PERSON, first_success_step=2, **fields)
    numbers = totals([judged, person])
    assert numbers["latched"] == 0
    for name in ("latched_success_rate", "step_efficiency"):
        assert numbers[name] is None
    assert numbers["false_finish_rate"] is numbers["over_execution_rate"] is None


def test_failures_of_a_check_that_was_asked_of_the_end_only_are_in_none_of_them(
    result: Make,
) -> None:
    asked = {**CHECK, "evidence": {"held": [False, False]}}
    unasked = {**CHECK, "evidence": {"held": []}}
    failures = [result(False, verdict=each, **REPORTED) for each in (asked, unasked)]
    numbers = totals([*failures, result(True, verdict=unasked, steps=2, **REPORTED)])
    assert (numbers["latched"], numbers["early_stops"]) == (1, 1)
    assert numbers["false_finish_rate"] == 1.0


@pytest.mark.parametrize(
    ("first", "golden", "efficiency"), [(3, 2, 1.5), (0, 2, 0.0), (None, 2, None), (3, None, None)]
)
def test_efficiency_is_of_tasks_with_golden_steps(
    first: int | None, golden: int | None, efficiency: float | None
) -> None:
    assert step_efficiency({"first_success_step": first, "golden_steps": golden}) == efficiency


def test_reasons_are_over_all_decided_tasks(result: Make) -> None:
    endings = ["self-reported", "gave up", "step limit", "time limit", "agent error"]
    results = [result(False, termination=ending) for ending in endings]
    results.append(result(None, termination="interrupted"))
    numbers = totals(results)
    rates = dict.fromkeys(endings, 0.2) | {"stopped on success": 0.0}
    assert numbers["termination_rates"] == rates
    assert numbers["terminations"]["interrupted"] == 1
