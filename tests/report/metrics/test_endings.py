"""Tests of the metrics of how episodes ended, and of MobileAgentBench's, where success latches."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_mobileagent.report.metrics.behaviour import step_efficiency
from pytest_mobileagent.report.metrics.summary import totals

CHECK: dict[str, Any] = {"scorer": "check", "evidence": {}}
JUDGE = {**CHECK, "scorer": "single: gpt-4o"}
PERSON = {**CHECK, "scorer": "person"}
STOPPED, CUT = {"termination": "self-reported"}, {"termination": "step limit"}


def test_a_goal_that_was_met_at_the_start_says_nothing_about_steps(result):
    early = {**CHECK, "evidence": {"held": [True, True]}}
    met = result(True, steps=1, first_success_step=0, verdict=early, step_ratio=0.5, golden_steps=2)
    late = {**CHECK, "evidence": {"held": [False, True]}}
    done = result(True, steps=1, first_success_step=1, verdict=late, step_ratio=1.0, golden_steps=1)
    undone = result(False, steps=1, first_success_step=0, verdict=early, golden_steps=2)
    numbers = totals([met, done, undone])
    assert (numbers["met_at_start"], numbers["successes"]) == (2, 2)
    assert (numbers["mean_step_ratio"], numbers["step_efficiency"]) == (1.0, 1.0)


def test_latched_success_ignores_later_actions(result):
    undone = result(
        False, steps=5, first_success_step=3, verdict=CHECK, golden_steps=2, premature=True,
        **STOPPED,
    )  # fmt: skip
    kept = result(True, steps=4, first_success_step=4, verdict=CHECK, golden_steps=4, **STOPPED)
    numbers = totals([undone, kept])
    assert (numbers["success_rate"], numbers["latched_success_rate"]) == (0.5, 1.0)
    assert (numbers["late_stops"], numbers["over_execution_rate"]) == (1, 0.5)
    assert (numbers["early_stops"], numbers["false_finish_rate"]) == (0, None)
    assert numbers["step_efficiency"] == 1.25
    assert numbers["premature_rate"] == 1.0  # SPA-Bench's metric does not latch.


def test_early_stops_are_failures_reported_as_done(result):
    gave_up = result(False, steps=1, termination="gave up")
    failed = result(False, steps=1, verdict=CHECK, **STOPPED)
    numbers = totals([gave_up, failed, result(False, steps=9, **CUT)])
    assert numbers["false_finish_rate"] == pytest.approx(1 / 3)
    assert numbers["over_execution_rate"] is None


@pytest.mark.parametrize("success", [True, False])
def test_tasks_decided_by_judges_or_people_are_excluded_from_latched_rates(result, success):
    fields = {"steps": 3, "golden_steps": 2, **STOPPED}
    judged = result(success, verdict=JUDGE, **fields)
    person = result(success, verdict=PERSON, first_success_step=2, **fields)
    numbers = totals([judged, person])
    assert numbers["latched"] == 0
    for name in ("latched_success_rate", "step_efficiency"):
        assert numbers[name] is None
    assert numbers["false_finish_rate"] is numbers["over_execution_rate"] is None


def test_checks_run_only_at_the_end_are_excluded_from_latched_rates(result):
    asked = {**CHECK, "evidence": {"held": [False, False]}}
    unasked = {**CHECK, "evidence": {"held": []}}
    failures = [result(False, verdict=each, **STOPPED) for each in (asked, unasked)]
    numbers = totals([*failures, result(True, verdict=unasked, steps=2, **STOPPED)])
    assert (numbers["latched"], numbers["early_stops"]) == (1, 1)
    assert numbers["false_finish_rate"] == 1.0


@pytest.mark.parametrize(
    ("first", "golden", "efficiency"), [(3, 2, 1.5), (0, 2, 0.0), (None, 2, None), (3, None, None)]
)
def test_efficiency_needs_golden_steps(result, first, golden, efficiency):
    task = result(True, first_success_step=first, golden_steps=golden)
    assert step_efficiency(task) == efficiency


def test_termination_rates_are_over_all_decided_tasks(result):
    endings = ["self-reported", "gave up", "step limit", "time limit", "agent error"]
    results = [result(False, termination=ending) for ending in endings]
    results.append(result(None, termination="interrupted"))
    numbers = totals(results)
    rates = dict.fromkeys(endings, 0.2) | {"stopped on success": 0.0}
    assert numbers["termination_rates"] == rates
    assert numbers["terminations"]["interrupted"] == 1
