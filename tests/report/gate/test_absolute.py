"""Tests of bounds on the run alone, also on costs that are partly known, and of required tasks."""

from __future__ import annotations

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
UNPRICED_CALLS = f"{{}} without a price {SET_PRICE}"
NO_PRICE, ONE_PRICE = map(UNPRICED_CALLS.format, ("600 calls", "1 call"))
UNREAD_LOG = " whose log was not read"
NOT_SEEN = "1 episode whose calls were not observed (docs/programs.md says when)"


@pytest.mark.parametrize(
    ("metric", "limit", "changes", "numbers", "left_out"),
    [
        ("cost_usd", {"max": 2}, [{}, {}], ("PASS", 1), ""),
        ("cost_usd", {"max": 2}, [{}, UNPRICED], ("INCONCLUSIVE", 0.5), NO_PRICE),
        ("cost_usd", {"max": 2}, [{}, PARTLY, UNSEEN], ("INCONCLUSIVE", 0.75),
         f"{ONE_PRICE} and {NOT_SEEN}"),
        ("cost_usd", {"max": 0.4}, [{}, UNPRICED], ("FAIL", 0.5), NO_PRICE),
        ("cost_usd", {"min": 0.5}, [{}, UNPRICED], ("PASS", 0.5), NO_PRICE),
        ("cost_usd", {"min": 0.6}, [{}, UNPRICED], ("INCONCLUSIVE", 0.5), NO_PRICE),
        ("mean_cost_usd", {"max": 0.4}, [{}, PARTLY], ("INCONCLUSIVE", 0.375), ONE_PRICE),
        ("mean_cost_usd", {"max": 0.3}, [{}, PARTLY], ("FAIL", 0.375), ONE_PRICE),
        ("input_tokens", {"max": 2000}, [{}, UNPRICED], ("PASS", 1800), ""),
        ("input_tokens", {"max": 2000}, [{}, UNCOUNTED], ("INCONCLUSIVE", 900),
         "4 calls without tokens"),
        ("mean_tokens", {"max": 400}, [{}, OLDER], ("FAIL", 500), "4 calls without tokens"),
        ("calls", {"max": 9}, [{}, UNSEEN], ("INCONCLUSIVE", 4), NOT_SEEN),
        ("crashes", {"max": 0}, [{}, {}], ("PASS", 0), ""),
        ("crashes", {"max": 0}, [{}, {"crashes": 2}], ("FAIL", 2), ""),
        ("crashes", {"max": 0}, [{}, UNREAD], ("INCONCLUSIVE", 0), "1 episode" + UNREAD_LOG),
        ("crashes", {"max": 1}, [{"crashes": 2}, UNREAD, UNREAD], ("FAIL", 2),
         "2 episodes" + UNREAD_LOG),
        ("mean_steps", {"max": 9}, [{}, UNSEEN | UNPRICED], ("PASS", 4), ""),
    ],
)  # fmt: skip
def test_the_known_part_is_a_lower_bound(metric, limit, changes, numbers, left_out):
    verdict, value = numbers
    ((side, number),) = limit.items()
    asked = f"at {'most' if side == 'max' else 'least'} {number}"
    more = f", and more: it leaves out {left_out}" if left_out else ""
    line = f"{verdict}: {metric} {value} ({asked}){more}"
    assert said(Bound(metric, **limit), *changes) == line


def test_a_number_of_which_nothing_is_known_is_inconclusive():
    line = said(Bound("crashes", max=0), UNREAD)
    assert line == "INCONCLUSIVE: crashes is not known (at most 0)"


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


def test_a_required_task_must_pass_in_each_environment_even_if_others_broke():
    gate = Gate((), ("tasks/a",))
    decision = decided(gate, {"tasks/a@100": "P", "tasks/a@101": "F"})
    assert decision.line == "FAIL: must pass: tasks/a[env101] passed 0 of 1 epoch"
    assert decided(gate, {"tasks/a": "FFF"} | many(5, "EEE")).status == 1
