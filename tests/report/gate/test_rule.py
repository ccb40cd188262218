"""The test against the baseline: when it fails and passes, and what it would take."""

from __future__ import annotations

import pytest

from pytest_mobileagent.report.comparison.pairing import Difference
from pytest_mobileagent.report.gate.looks import looks
from pytest_mobileagent.report.gate.rule import epochs_to_decide, levels, planned_epochs, rule
from pytest_mobileagent.report.gate.spec import Bound

BOUND = Bound("success_rate", baseline=True)
ONE_LOOK = levels(looks(3, 3), 0)


@pytest.mark.parametrize(
    ("tasks", "value", "error", "verdict"),
    [
        (20, 0.0, 0.01, "PASS"),
        (20, -0.10, 0.02, "FAIL"),
        (20, -0.02, 0.0001, "PASS"),
        (20, -0.03, 0.02, "INCONCLUSIVE"),
        # (D + 0.02) / s = -2.34 is what t with 19 degrees falls below with a chance of 1.5 %.
        (20, -0.0670, 0.02, "FAIL"),
        (20, -0.0667, 0.02, "INCONCLUSIVE"),
        (8, -0.5, 0.02, "FAIL"),
        (7, -0.5, 0.02, "INCONCLUSIVE"),
        (7, 0.5, 0.02, "PASS"),
        (1, -1.0, None, "INCONCLUSIVE"),
        (0, None, None, "INCONCLUSIVE"),
    ],
)
def test_a_difference_has_a_verdict(
    tasks: int, value: float | None, error: float | None, verdict: str
) -> None:
    assert rule(Difference(tasks, value, error), BOUND, ONE_LOOK) == verdict


def test_several_bounds_share_the_chance_of_a_false_fail_but_not_that_of_a_pass() -> None:
    one, two = levels(looks(3, 10), 1), levels(looks(3, 10), 1, 2)
    assert two.fail == one.fail / 2
    assert two.passing == one.passing == pytest.approx(0.05 / 3)


def test_planning_says_what_the_facts_say() -> None:
    # 5 points with a power of 80 % take about 1,000 episodes of each run, 10 points 250.
    assert 100 * planned_epochs(100, 0.05) == pytest.approx(1000, rel=0.15)
    assert 100 * planned_epochs(100, 0.10) == pytest.approx(250, rel=0.25)
    assert planned_epochs(200, 0.5) == 1


def test_what_is_open_needs_what_tells_the_margin_from_what_is_allowed() -> None:
    found = Difference(108, -0.029, 0.0177)
    assert epochs_to_decide(found, BOUND, ONE_LOOK, 0.128, 10) == 24


def test_what_is_open_for_long_needs_what_decides_it_as_it_is() -> None:
    found = Difference(108, -0.035, 0.0120)  # between both: 1.5 points on either side
    more = epochs_to_decide(found, BOUND, ONE_LOOK, 0.128, 30)
    error = found.error * (30 / more) ** 0.5  # type: ignore[operator]
    assert rule(Difference(108, -0.035, error), BOUND, ONE_LOOK) != "INCONCLUSIVE"
    fewer = found.error * (30 / (more - 2)) ** 0.5  # type: ignore[operator]
    assert rule(Difference(108, -0.035, fewer), BOUND, ONE_LOOK) == "INCONCLUSIVE"
