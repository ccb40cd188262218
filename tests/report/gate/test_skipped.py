"""Tasks that a gate should have seen and has not."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_mobileagent.report.gate.decide import decide
from pytest_mobileagent.report.gate.looks import Looks
from pytest_mobileagent.report.gate.spec import Bound, Gate
from tests.report.gate.entries import entries, many

GATE = Gate((Bound("success_rate", min=0.5),))
ONCE = Looks((2,))


def skipped(name: str, app: str | None, why: str | None = "app") -> list[dict[str, Any]]:
    return [each | {"skipped_for": why} for each in entries({name: "ss"}, app=app)]


def test_tasks_without_their_app_leave_a_gate_open() -> None:
    run = [
        *entries(many(4, "PP")),
        *skipped("maps", "com.example.maps"),
        *skipped("route", "com.example.maps"),
        *skipped("mail", None),
    ]
    decision = decide(GATE, run, None, ONCE, 0)
    assert decision.status == 8
    assert decision.line == (
        "INCONCLUSIVE: 3 tasks were skipped for want of apps: com.example.maps (maps, route), an "
        "app (mail); install them, or say allow_skipped = true in the gate's file"
    )


def test_a_gate_may_allow_them() -> None:
    run = entries(many(4, "PP")) + skipped("maps", "com.example.maps")
    assert decide(Gate(GATE.bounds, allow_skipped=True), run, None, ONCE, 0).status == 0


@pytest.mark.parametrize("why", ["solution", "listener", None])
def test_what_was_skipped_for_another_reason_is_left_out(why: str | None) -> None:
    run = entries(many(4, "PP")) + skipped("maps", "com.example.maps", why)
    assert decide(GATE, run, None, ONCE, 0).status == 0
    assert decide(GATE, entries(many(4, "PP") | {"old": "s"}), None, ONCE, 0).status == 0


def test_a_broken_bound_fails_all_the_same() -> None:
    run = entries(many(4, "FF")) + skipped("maps", "com.example.maps")
    assert decide(GATE, run, None, ONCE, 0).status == 1


def test_a_long_list_is_cut() -> None:
    run = entries(many(4, "PP"))
    run += [each for n in range(8) for each in skipped(f"m{n}", "com.example.maps")]
    line = decide(GATE, run, None, ONCE, 0).line
    assert (
        "8 tasks were skipped for want of an app: com.example.maps (m0, m1, m2, m3, m4, and" in line
    )
    assert "and 3 more)" in line
