"""Tests of bounds on the run alone, also on costs that are partly known, and of required tasks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.report.entry import Spent
from pytest_mobileagent.report.gate.decide import decide
from pytest_mobileagent.report.gate.rule import InterimAnalyses
from pytest_mobileagent.report.gate.spec import Bound, Gate
from tests.report.gate.entries import decided, entries, entry, many

if TYPE_CHECKING:
    from pytest_mobileagent.report.entry import Entry

ONCE = InterimAnalyses((1,))
PLAYED: dict[str, Any] = {
    "steps": 4, "actions": 4, "calls": 4, "cost_usd": 0.5, "unpriced_calls": 0,
    "uncounted_calls": 0, "input_tokens": 900, "output_tokens": 100, "cached_tokens": 0,
    "metered": None, "roles": {}, "crashes": 0,
}  # fmt: skip


def tasks(*changes: dict[str, Any]) -> list[Entry]:
    return [entry(f"t{n}", 0, "P", **PLAYED | each) for n, each in enumerate(changes)]


def said(bound: Bound, *changes: dict[str, Any]) -> str:
    return decide(Gate((bound,)), tasks(*changes), None, ONCE, 0).line


UNPRICED = {"cost_usd": None, "unpriced_calls": 600}
PARTLY = {"cost_usd": 0.25, "unpriced_calls": 1}
UNSEEN = {
    "calls": 0, "cost_usd": None, "input_tokens": None, "output_tokens": None, "metered": False,
}  # fmt: skip
UNCOUNTED = {"input_tokens": None, "output_tokens": None, "uncounted_calls": 4}
UNREAD = {"crashes": None}
OLDER = UNCOUNTED | {"uncounted_calls": None}


SET_PRICE = "(-o mobile_prices=FILE sets it)"
SEE = "(docs/programs.md says when)"


@pytest.mark.parametrize(
    ("bound", "changes", "line"),
    [
        (Bound("cost_usd", max=2), [{}, {}], "PASS: cost_usd 1 (at most 2)"),
        (
            Bound("cost_usd", max=2),
            [{}, UNPRICED, UNPRICED],
            (
                "INCONCLUSIVE: cost_usd 0.5 (at most 2), and more: it leaves out 1200 calls "
                "without a price"
            ),
        ),
        (
            Bound("cost_usd", max=2),
            [{}, PARTLY, UNSEEN],
            (
                "INCONCLUSIVE: cost_usd 0.75 (at most 2), and more: it leaves out 1 call without a "
                "price and 1 episode whose calls were not observed"
            ),
        ),
        (
            Bound("cost_usd", max=0.4),
            [{}, UNPRICED],
            "FAIL: cost_usd 0.5 (at most 0.4), and more: it leaves out 600 calls without a price",
        ),
        (
            Bound("cost_usd", min=0.5),
            [{}, UNPRICED],
            "PASS: cost_usd 0.5 (at least 0.5), and more: it leaves out 600 calls without a price",
        ),
        (
            Bound("cost_usd", min=0.6),
            [{}, UNPRICED],
            (
                "INCONCLUSIVE: cost_usd 0.5 (at least 0.6), and more: it leaves out 600 calls "
                "without a price"
            ),
        ),
        (
            Bound("mean_cost_usd", max=0.4),
            [{}, PARTLY],
            (
                "INCONCLUSIVE: mean_cost_usd 0.375 (at most 0.4), and more: it leaves out 1 call "
                "without a price"
            ),
        ),
        (
            Bound("mean_cost_usd", max=0.3),
            [{}, PARTLY],
            (
                "FAIL: mean_cost_usd 0.375 (at most 0.3), and more: it leaves out 1 call without a "
                "price"
            ),
        ),
        (Bound("input_tokens", max=2000), [{}, UNPRICED], "PASS: input_tokens 1800 (at most 2000)"),
        (
            Bound("input_tokens", max=2000),
            [{}, UNCOUNTED],
            (
                "INCONCLUSIVE: input_tokens 900 (at most 2000), and more: it leaves out 4 calls "
                "without tokens"
            ),
        ),
        (
            Bound("mean_tokens", max=400),
            [{}, OLDER],
            "FAIL: mean_tokens 500 (at most 400), and more: it leaves out 4 calls without tokens",
        ),
        (
            Bound("calls", max=9),
            [{}, UNSEEN],
            (
                "INCONCLUSIVE: calls 4 (at most 9), and more: it leaves out 1 episode whose calls "
                "were not observed"
            ),
        ),
        (Bound("crashes", max=0), [{}, {}], "PASS: crashes 0 (at most 0)"),
        (Bound("crashes", max=0), [{}, {"crashes": 2}], "FAIL: crashes 2 (at most 0)"),
        (
            Bound("crashes", max=0),
            [{}, UNREAD],
            (
                "INCONCLUSIVE: crashes 0 (at most 0), and more: it leaves out 1 episode whose log "
                "was not read"
            ),
        ),
        (Bound("crashes", max=0), [UNREAD], "INCONCLUSIVE: crashes is not known (at most 0)"),
        (
            Bound("crashes", max=1),
            [{"crashes": 2}, UNREAD, UNREAD],
            (
                "FAIL: crashes 2 (at most 1), and more: it leaves out 2 episodes whose log was not "
                "read"
            ),
        ),
        (Bound("mean_steps", max=9), [{}, UNSEEN | UNPRICED], "PASS: mean_steps 4 (at most 9)"),
    ],
    ids=str,
)
def test_the_known_part_is_a_lower_bound(bound, changes, line):
    line = re.sub("(without a price)", rf"\1 {SET_PRICE}", line)
    assert said(bound, *changes) == re.sub("(were not observed)", rf"\1 {SEE}", line)


def test_an_agent_that_asks_no_model_has_cost_nothing():
    free = {"calls": 0, "cost_usd": None, "input_tokens": None, "output_tokens": None}
    assert said(Bound("cost_usd", max=20.0), free, free) == "PASS: cost_usd 0 (at most 20)"
    assert said(Bound("mean_tokens", max=9), free) == "PASS: mean_tokens 0 (at most 9)"
    assert said(Bound("cost_usd", max=20.0), free, UNSEEN).startswith("INCONCLUSIVE: cost_usd 0 ")


def test_price_of_a_role_is_bounded_by_its_own_calls():
    judge = Spent(calls=3, cost_usd=0.1, unpriced_calls=2, uncounted_calls=0)
    actor = Spent(calls=3, cost_usd=0.1, unpriced_calls=0, uncounted_calls=0)
    change = {"roles": {"judge": judge, "actor": actor}}
    assert said(Bound("roles.actor.cost_usd", max=1), change).startswith("PASS: roles.actor")
    assert said(Bound("roles.judge.cost_usd", max=1), change) == (
        "INCONCLUSIVE: roles.judge.cost_usd 0.1 (at most 1), and more: it leaves out 2 calls "
        f"without a price {SET_PRICE}"
    )


def test_an_exceeded_maximum_fails_however_much_is_missing():
    run = [*tasks({}), *(entry(f"n{n}", 0, "n") for n in range(9))]
    gate = Gate((Bound("cost_usd", max=0.4),))
    decision = decide(gate, run, None, ONCE, 0)
    assert decision.line == "FAIL: cost_usd 0.5 (at most 0.4)"


@pytest.mark.parametrize(
    ("tasks", "line"),
    [
        ({"a": "PPPPPPPPPE"}, "PASS: success_rate 1 (at least 0.85)"),
        ({"a": "PPPPPPPFPE"}, "INCONCLUSIVE: success_rate 0.8889 (at least 0.85), from 0.8 to 0.9"),
        ({"a": "PPFFFPPFPE"}, "FAIL: success_rate 0.5556 (at least 0.85)"),
        ({"a": "FFFPPEEEEE"}, "FAIL: success_rate 0.4 (at least 0.85)"),
        ({"a": "PPPPPEEEEE"}, "INCONCLUSIVE: 50 % of the episodes are missing: "),
    ],
)
def test_rate_has_a_verdict_that_missing_episodes_cannot_change(tasks, line):
    assert decided(Bound("success_rate", min=0.85), tasks).line.startswith(line)


@pytest.mark.parametrize(
    ("bound", "line"),
    [
        (Bound("success_rate", min=0.5), "PASS: success_rate 0.6667 (at least 0.5)"),
        (Bound("success_rate", min=0.7), "FAIL: success_rate 0.6667 (at least 0.7)"),
        (Bound("errors", max=0), "PASS: errors 0 (at most 0)"),
        (Bound("episodes", min=3, max=4), "FAIL: episodes 6 (at least 3 and at most 4)"),
        (Bound("cost_usd", max=2), "INCONCLUSIVE: cost_usd is not known (at most 2)"),
        (Bound("terminations.step limit", max=2), "PASS: terminations.step limit 0 (at most 2)"),
        (
            Bound("success_rate", min=0.5, suite="clock", tag="slow"),
            "PASS: success_rate of suite clock, tag slow 1 (at least 0.5)",
        ),
    ],
    ids=str,
)
def test_absolute_bound_applies_to_the_number_of_the_summary(bound, line):
    tasks = entries({"a": "PPP"}, tags=["slow"]) + entries({"b": "PFF"})
    assert decide(Gate((bound,)), tasks, None, ONCE, 0).line == line


def test_counts_of_missing_episodes_are_always_known():
    assert decided(Bound("errors", max=2), {"a": "EEE"}).status == 1
    assert decided(Bound("errors", max=3), {"a": "EEE"}).status == 9  # Nothing else is known.


@pytest.mark.parametrize(
    ("epochs", "line", "status"),
    [
        ("PPF", "PASS: 1 of 1 tasks that must pass did", 0),
        ("PFF", "FAIL: must pass: tasks/a passed 1 of 3 epochs", 1),
        ("PF", "INCONCLUSIVE: must pass: tasks/a passed 1 of 2 epochs", 8),
        ("PPE", "PASS: 1 of 1 tasks that must pass did", 0),
        ("FFE", "FAIL: must pass: tasks/a passed 0 of 2 epochs, and 1 is missing", 1),
        ("FEE", "INCONCLUSIVE: must pass: tasks/a passed 0 of 1 epoch, and 2 are missing", 8),
        ("PEE", "INCONCLUSIVE: must pass: tasks/a passed 1 of 1 epoch, and 2 are missing", 8),
        ("s", "INCONCLUSIVE: must pass: tasks/a was not decided", 8),
    ],
)
def test_a_task_that_must_pass_must_pass_in_most_epochs(epochs, line, status):
    run = many(20, "PPP") | {"tasks/a": epochs}
    decision = decided(Gate((), ("tasks/a",)), run)
    assert (decision.line, decision.status) == (line, status)


def test_required_task_must_pass_in_each_environment():
    gate = Gate((), ("tasks/a",))
    decision = decided(gate, {"tasks/a@100": "P", "tasks/a@101": "F"})
    assert decision.line == "FAIL: must pass: tasks/a[env101] passed 0 of 1 epoch"


def test_failed_required_task_counts_even_if_others_broke():
    run = {"tasks/a": "FFF"} | many(5, "EEE")
    assert decided(Gate((), ("tasks/a",)), run).status == 1
