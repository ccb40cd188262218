"""Tests of the metrics for costs, including costs that are only partly known."""

import pytest

from pytest_mobileagent.report.entry import Spent
from pytest_mobileagent.report.metrics.summary import totals


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
