"""Tests of estimating how many epochs or tasks would decide an inconclusive gate."""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from statistics import NormalDist

import pytest

from pytest_mobileagent.report.comparison.pairing import Difference
from pytest_mobileagent.report.gate.rule import (
    epochs_to_decide,
    interim_analyses,
    levels,
    rule,
    tasks_to_decide,
)
from pytest_mobileagent.report.gate.spec import Bound

BOUND = Bound("success_rate", baseline=True, scope="tasks like these")
ONE_LOOK = levels(interim_analyses(3, 3), 0)
NOISE = 0.12


def after(tasks: int, epochs: int, value: float, rest: float = 0.0) -> Difference:
    """Return a difference with only chance variance, plus a part that epochs do not reduce."""
    spread = rest + 2 * NOISE / (tasks * epochs)
    return Difference(
        tasks, value, spread**0.5, spread, 0.0, tasks * epochs, within=NOISE, between=NOISE
    )


@pytest.mark.parametrize("value", [0.0, -0.01, -0.06, -0.07])
def test_the_planned_epochs_decide_if_the_difference_stays(value: float) -> None:
    found = after(100, 3, value)
    assert rule(found, BOUND, ONE_LOOK, ()) == "INCONCLUSIVE"
    number = epochs_to_decide(found, BOUND, ONE_LOOK, NOISE, 3)
    assert number is not None
    assert rule(after(100, number, value), BOUND, ONE_LOOK, ()) != "INCONCLUSIVE"
    assert rule(after(100, number - 1, value), BOUND, ONE_LOOK, ()) == "INCONCLUSIVE"


def test_epochs_must_separate_the_margin_from_the_allowed_drop() -> None:
    number = epochs_to_decide(after(100, 3, -0.035), BOUND, ONE_LOOK, NOISE, 3)
    z = NormalDist().inv_cdf(0.9875) + NormalDist().inv_cdf(0.8)  # a level and a power
    assert number == ceil(z**2 * 2 * NOISE / (100 * 0.03**2)) == 26


def test_no_number_of_epochs_decides_if_tasks_are_lost() -> None:
    """One of twenty tasks is lost: its difference is -1 however many epochs are run."""
    lost = Difference(20, -0.05, 0.05, 0.0025, 0.0, 60)
    for epochs in (3, 10, 1000):
        assert epochs_to_decide(lost, BOUND, ONE_LOOK, 0.0, epochs) is None
    tasks = tasks_to_decide(lost, BOUND, ONE_LOOK)
    assert tasks is not None
    assert tasks == 329
    of_them = Difference(tasks, -0.05, 0.0, 0.05 / tasks, 0.0, 3 * tasks)
    assert rule(of_them, BOUND, ONE_LOOK, ()) == "FAIL"


def test_impractical_numbers_are_not_suggested() -> None:
    assert epochs_to_decide(after(8, 3, -0.035), BOUND, ONE_LOOK, NOISE, 3) is None


@pytest.mark.parametrize("value", [0.0, -0.01, -0.06])
def test_the_planned_tasks_decide_if_the_difference_stays(value: float) -> None:
    found = after(30, 3, value, rest=0.001)
    tasks = tasks_to_decide(found, BOUND, ONE_LOOK)
    assert tasks is not None
    spread = (found.spread or 0) * 30 / tasks
    planned = replace(found, tasks=tasks, spread=spread, episodes=3 * tasks)
    assert rule(planned, BOUND, ONE_LOOK, ()) != "INCONCLUSIVE"
