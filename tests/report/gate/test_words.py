"""The verdict of a gate in words."""

from __future__ import annotations

from pytest_mobileagent.report.gate.decide import decide, decision_lines, decision_markdown
from pytest_mobileagent.report.gate.interim import Looks
from pytest_mobileagent.report.gate.spec import Bound, Gate
from tests.report.gate.entries import entries

GATE = Gate((Bound("success_rate", min=0.5), Bound("tasks", max=1)))
DECISION = decide(GATE, entries({"a|b": "PP"}), None, Looks((2,)), 0).to_wire()


def test_a_terminal_shows_the_verdict_and_each_bound() -> None:
    assert decision_lines(DECISION) == [
        "gate FAIL: tasks 2 (at most 1)",
        "  PASS         success_rate 1 (at least 0.5)",
        "  FAIL         tasks 2 (at most 1)",
    ]


def test_one_bound_is_said_once() -> None:
    one = decide(Gate(GATE.bounds[:1]), entries({"a": "P"}), None, Looks((1,)), 0)
    assert decision_lines(one.to_wire()) == ["gate PASS: success_rate 1 (at least 0.5)"]


def test_markdown_has_the_verdict_first() -> None:
    lines = decision_markdown(DECISION)
    assert lines[0] == "## ❌ Gate: FAIL"
    assert "| ✅ PASS | success_rate 1 (at least 0.5) |" in lines


def test_markdown_shows_hostile_names_as_they_are() -> None:
    gate = Gate((), ("a|<b>",))
    lines = decision_markdown(decide(gate, entries({"a|<b>": "F"}), None, Looks((1,)), 0).to_wire())
    assert r"FAIL: must pass: a\|\<b\> passed 0 of 1 epoch" in lines
