"""Tests of the summary of a run, and of what its models cost."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.report.entry import Spent
from pytest_mobileagent.report.metrics import summarise, totals
from pytest_mobileagent.report.text import table
from tests.report.conftest import make

COUNTS = (
    "episodes", "decided", "successes", "errors", "skipped", "review", "not_run", "check_errors",
)  # fmt: skip
REPORTED, LIMITED = {"termination": "self-reported"}, {"termination": "step limit"}


def matched(step: int, *, exact: bool = True, counts: bool = True) -> dict[str, Any]:
    return {"step": step, "type": True, "exact": exact, "counts": counts}


def test_a_rate_over_nothing_is_unknown_and_never_zero_percent():
    numbers = totals([])
    counts = {
        *COUNTS, "premature", "overdue", "infrastructure", "without_snapshot", "calls",
        "unpriced_calls", "uncounted_calls", "tasks", "retries", "estimated", "programs",
        "unmetered", "latched", "latched_successes", "early_stops", "late_stops", "stable_passes",
        "flaky", "stable_fails", "suspects", "met_at_start", "unclear", "matched", "matched_steps",
        "exact_steps",
    }  # fmt: skip
    by_name = {
        "terminations", "termination_rates", "roles", "pass_at", "pass_all", "pass_tasks", "noise",
        "matched_beside",
    }  # fmt: skip
    assert {name for name, value in numbers.items() if value == 0} == counts
    assert {name for name, value in numbers.items() if value == {}} == by_name
    assert numbers.pop("scorers") == []
    assert all(numbers[n] is None for n in set(numbers) - counts - by_name - {"epochs"})
    assert numbers["epochs"] == {
        "number": 0, "success_rates": {}, "standard_error": None, "standard_error_ddof_0": None,
    }  # fmt: skip


def test_check_errors_are_counted_separately_from_other_errors(result):
    raised = result(None, fault="task", steps=3)
    unplayed, judge = result(None, fault="task"), result(None, fault="judge", steps=3)
    numbers = totals([raised, unplayed, judge, result(False, steps=1)])
    assert (numbers["check_errors"], numbers["errors"], numbers["decided"]) == (1, 3, 1)


BESIDE = {"mobile_bench:code": {"steps": 2, "exact": 1, "type": 2}}


def test_every_number_has_its_documented_denominator(result):
    spent = {"seconds": 10.0, "thinking_seconds": 4.0, "acting_seconds": 5.0}
    spent |= {"cost_usd": 0.5, "input_tokens": 100, "output_tokens": 10, "unpriced_calls": 0}
    cleared = {"kind": "cleared", "snapshot": None, "cleared": ["a"], "reason": "no snapshots"}
    effects = {"no_effect_steps": 1, "repeated_steps": 2, "unfocused_steps": 3}
    effects |= {"invalid_actions": 0}
    path = [matched(1), matched(2, exact=False), matched(3, exact=False, counts=False)]
    results = [
            result(
                True, steps=4, actions=6, step_ratio=2.0, premature=False, overdue=False,
                first_success_step=2, partial_credit=1.0, progress=1.0, golden_steps=2, **effects,
                **REPORTED, **spent,
            ),
            result(
                True, steps=6, actions=6, step_ratio=1.0, premature=False, overdue=True,
                matches=path, matched_by="aitz:coat", matched_beside=BESIDE, first_success_step=6,
                crashes=2, **LIMITED, **spent,
            ),
            result(
                True, steps=0, actions=0, premature=False, overdue=False, calls=4, retries=1,
                estimated_input_tokens=500, estimated=True, **REPORTED,
            ),
            result(
                False, steps=2, actions=2, premature=True, overdue=False, partial_credit=0.25,
                progress=0.5, **REPORTED, **spent,
            ),
            result(False, steps=8, actions=8, premature=False, overdue=False, **LIMITED),
            result(
                False, steps=5, actions=5, premature=False, overdue=False, termination="gave up",
                matches=[matched(1), matched(2)], matched_by="graph",
            ),
            result(
                None, cost_usd=0.25, cached_tokens=7, unpriced_calls=3, reset=cleared, crashes=1
            ),
            result(None, outcome="skipped", infrastructure=["the device broke off"]),
            result(None, outcome="review", **REPORTED),
            result(None, outcome="not run"),
    ]  # fmt: skip
    results = [replace(each, id=f"t{number}") for number, each in enumerate(results)]
    numbers = totals(results)
    rates = {"gave up": 1 / 6, "self-reported": 3 / 6, "step limit": 2 / 6}
    rates |= dict.fromkeys(["agent error", "stopped on success", "time limit"], 0.0)
    assert numbers.pop("termination_rates") == rates
    assert numbers.pop("epochs")["success_rates"] == {"0": 0.5}
    wilson = scipy.stats.binomtest(3, 6).proportion_ci(method="wilson")
    assert numbers.pop("interval") == pytest.approx([wilson.low, wilson.high])
    assert numbers == {
        "tasks": 10, "episodes": 10, "decided": 6, "successes": 3, "success_rate": 3 / 6,
        "success_rate_of_all": 3 / 10, "standard_error": pytest.approx(math.sqrt(0.3 / 6)),
        "errors": 1, "check_errors": 0, "skipped": 1, "review": 1, "not_run": 1,
        "infrastructure": 1, "without_snapshot": 1,
        "suspects": 0, "success_rate_with_suspects": 0.5,
        "unclear": 0, "success_rate_lower": 0.5, "success_rate_upper": 0.5,
        "pass_at": {"1": 0.5}, "pass_all": {"1": 0.5}, "pass_tasks": {"1": 6}, "flip_rate": None,
        "stable_passes": 0, "flaky": 0, "stable_fails": 0,
        "latched": 5,  # excludes the success whose first step is unknown
        "latched_successes": 2, "latched_success_rate": 2 / 5, "step_efficiency": 1.0,
        "met_at_start": 0, "mean_step_ratio": 1.5, "early_stops": 1, "late_stops": 1,
        "no_effect_steps": 1, "no_effect_rate": 1 / 4, "repeated_steps": 2, "repeated_rate": 1 / 2,
        "unfocused_steps": 3, "unfocused_rate": 3 / 4, "invalid_actions": 0, "invalid_rate": 0.0,
        "premature": 1,
        "premature_rate": 1 / 3,  # of the episodes reported as done
        "false_finish_rate": 1 / 3,  # of all failures, including those where the agent gave up
        "overdue": 1, "overdue_rate": 1 / 2,
        "over_execution_rate": 1 / 2,  # of the successes whose first step is known
        "terminations": {"gave up": 1, "self-reported": 4, "step limit": 2},
        "mean_steps": 25 / 6, "mean_actions": 27 / 6, "mean_calls": 4.0,
        "seconds": 30.0, "mean_seconds": 10.0,
        "seconds_per_step": 30 / 12,  # of the episodes whose duration is known
        "latency": 27 / 14, "thinking_seconds": 12.0, "acting_seconds": 15.0,
        "input_tokens": 300, "output_tokens": 30, "cached_tokens": 7, "cost_usd": 1.75,
        "estimated_input_tokens": 500, "estimated_output_tokens": None,
        "calls": 4, "unpriced_calls": 3, "uncounted_calls": 0, "retries": 1, "estimated": 1,
        "mean_cost_usd": 0.5,
        "mean_cost_usd_of_all": 0.5,  # excludes the episode in which three calls have no price
        "cost_per_step": 1.5 / 12, "mean_tokens": 110.0, "mean_tokens_of_all": 110.0,
        "tokens_per_action": 330 / 14, "mean_estimated_tokens": None,
        "held_at_start": None, "reported_rate": None, "partial_credit": 0.625, "progress": 0.75,
        "matched": 2, "matched_steps": 4, "exact_steps": 3, "step_accuracy": 0.75,
        "type_accuracy": 1.0, "path_success_rate": 0.5, "scorers": ["aitz:coat", "graph"],
        "matched_beside": {"mobile_bench:code": {"step_accuracy": 0.5, "type_accuracy": 1}},
        "crashes": 3, "noisy_steps": None, "noises": None, "noise_handled": None,
        "noisy_step_accuracy": None, "noise": {}, "injected_steps": None, "obeyed": None,
        "side_effects": None, "side_effect_rate": None, "side_effect_interval": None,
        "questions": None, "answered": None, "useful": None, "needless": None,
        "programs": 0, "unmetered": 0, "sees": None, "roles": {},
    }  # fmt: skip


def test_unmetered_programs_are_never_free(result):
    seen = result(True, metered=True, steps=4, actions=6, calls=3, cost_usd=0.5)
    unseen = result(False, metered=False, steps=8, actions=8, calls=0)
    numbers = totals([seen, unseen, result(True, steps=2, actions=2)])
    assert (numbers["programs"], numbers["unmetered"], numbers["cost_usd"]) == (2, 1, 0.5)
    header, row = table(summarise([seen, unseen]))[:2]
    assert dict(zip(header.split()[-3:], row.split()[-3:], strict=True)) == {
        "actions": "7.0",
        "calls": "1.5",
        "price": "$0.50",
    }
    assert "actions" not in table(summarise([result(True, steps=2, actions=2)]))[0]


def test_unknown_values_are_left_out_of_sums_and_not_zero(result):
    unknown = result(True, cost_usd=None, unpriced_calls=12, input_tokens=None)
    known = result(True, cost_usd=0.31, unpriced_calls=0, input_tokens=9)
    assert totals([unknown])["cost_usd"] is None
    numbers = totals([unknown, known])
    assert (numbers["cost_usd"], numbers["unpriced_calls"]) == (0.31, 12)
    assert (numbers["input_tokens"], numbers["output_tokens"]) == (9, None)


def test_summary_groups_by_every_task_field(result):
    results = [
        result(True, id="a", suite="clock", app="com.clock", level=2, tags=["smoke", "time"]),
        result(False, id="b", suite="clock", tags=["smoke"], kind="cross-app"),
    ]
    summary = summarise(results)
    shown = {
        name: {group: numbers["tasks"] for group, numbers in summary[name].items()}
        for name in ("suites", "apps", "levels", "kinds", "languages", "tags", "environments")
    }
    assert shown == {
        "suites": {"clock": 2},
        "apps": {"com.clock": 1},
        "levels": {"2": 1},
        "kinds": {"cross-app": 1, "operation": 1},
        "languages": {"en": 2},
        "tags": {"smoke": 2, "time": 1},
        "environments": {},
    }


def test_seconds_need_steps_and_step_ratios_are_not_clamped(result):
    assert totals([result(False, steps=0, seconds=3.0)])["seconds_per_step"] is None
    ratios = [result(True, step_ratio=0.5), result(True, step_ratio=4.0)]
    assert totals(ratios)["mean_step_ratio"] == pytest.approx(2.25)


AMOUNTS = st.none() | st.floats(0, allow_nan=False) | st.integers(0, 10**400)
RESULTS = st.lists(
    st.builds(
        make,
        st.sampled_from([True, False, None]),
        suite=st.sampled_from(["a", "b", ""]),
        steps=st.integers(0, 9),
        first_success_step=st.none() | st.integers(0, 9),
        seconds=st.none() | st.floats(0, 9),
        premature=st.none() | st.booleans(),
        overdue=st.none() | st.booleans(),
        termination=st.sampled_from(["self-reported", "step limit", None]),
    ),
    max_size=8,
)


@given(RESULTS)
def test_suites_sum_to_the_run_in_any_order(results):
    summary = summarise(results)
    suites = summary["suites"].values()
    for count in (*COUNTS, "premature", "overdue"):
        assert summary[count] == sum(suite[count] for suite in suites)
    rates = [name for name in summary if name.endswith(("_rate", "_rate_of_all"))]
    assert all(summary[rate] is None or 0 <= summary[rate] <= 1 for rate in rates)
    assert summary["episodes"] == summary["decided"] + sum(summary[n] for n in COUNTS[3:])
    assert list(summary["suites"]) == sorted({str(row.suite) for row in results})
    backwards = summarise(results[::-1])
    for name, value in totals(results).items():
        assert backwards[name] == (value if isinstance(value, dict) else pytest.approx(value))


@given(st.lists(st.tuples(AMOUNTS, AMOUNTS, AMOUNTS), max_size=4))
def test_huge_numbers_do_not_break_the_report(amounts):
    results = [
        make(True, step_ratio=ratio, seconds=seconds, steps=2, cost_usd=price, unpriced_calls=0)
        for ratio, seconds, price in amounts
    ]
    summary = summarise(results)
    assert "Infinity" not in json.dumps(summary)
    assert table(summary)


def test_the_page_on_metrics_describes_every_field():
    page = (Path(__file__).parents[3] / "docs" / "metrics.md").read_text("utf-8")
    assert not [name for name in summarise([]) if f"`{name}`" not in page]


def test_means_over_decided_and_over_all_tasks_are_reported(result):
    decided = result(True, cost_usd=0.25, input_tokens=90, output_tokens=10, steps=5, actions=4)
    broken = result(None, cost_usd=0.75, input_tokens=290, output_tokens=10, steps=9, actions=9)
    numbers = totals([decided, broken, result(None, outcome="not run")])
    assert (numbers["mean_cost_usd"], numbers["mean_cost_usd_of_all"]) == (0.25, 0.5)
    assert (numbers["mean_tokens"], numbers["mean_tokens_of_all"]) == (100, 200)
    assert (numbers["cost_per_step"], numbers["tokens_per_action"]) == (0.05, 25.0)


def test_a_task_without_calls_costs_nothing_unless_unmetered(result):
    paid = result(True, cost_usd=0.5, calls=2)
    free = result(True, calls=0)
    unseen = result(True, calls=0, metered=False)
    assert totals([paid, free, unseen])["mean_cost_usd"] == 0.25
    # No model was used, so the cost is unknown rather than $0.00.
    assert totals([free])["mean_cost_usd"] is None


def test_task_with_unpriced_call_is_excluded_from_means(result):
    partly = result(True, cost_usd=0.5, unpriced_calls=1, steps=100)
    known = result(True, cost_usd=0.25, unpriced_calls=0, steps=5)
    numbers = totals([partly, known])
    assert (numbers["cost_usd"], numbers["mean_cost_usd"]) == (0.75, 0.25)
    assert numbers["cost_per_step"] == pytest.approx(0.05)


def test_roles_have_costs_per_task_and_step(result):
    actor = Spent(calls=2, cost_usd=0.5, unpriced_calls=0)
    judge = Spent(calls=1, cost_usd=0.25, unpriced_calls=0)
    results = [
        result(True, steps=4, roles={"actor": actor, "judge": judge}),
        result(False, steps=6, roles={"actor": actor}),
        result(None, outcome="error", steps=1, roles={"actor": actor}),
        result(None, outcome="not run"),
    ]
    roles = totals(results)["roles"]
    assert roles["actor"]["cost_per_step"] == 0.1
    assert roles["judge"]["mean_cost_usd"] == 0.125
    assert roles["judge"]["mean_cost_usd_of_all"] == pytest.approx(0.25 / 3)
    assert roles["judge"]["calls"] == 1
    planner = Spent(calls=1, input_tokens=5, unpriced_calls=1)
    more = totals([result(True, roles={"planner": planner, "actor": actor})] * 2)["roles"]
    assert list(more) == ["actor", "planner"]
    assert more["planner"]["input_tokens"] == 10
    assert (more["planner"]["cost_usd"], more["planner"]["unpriced_calls"]) == (None, 2)
