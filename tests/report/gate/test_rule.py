"""Tests of the test against the baseline: when it fails and when it passes.

Also tests when a gate analyses a run, and how strict each interim analysis is.
"""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import scipy

from pytest_mobileagent.report.comparison.pairing import Difference
from pytest_mobileagent.report.gate.rule import (
    InterimAnalyses,
    at_least,
    at_most,
    interim_analyses,
    levels,
    rule,
)
from pytest_mobileagent.report.gate.spec import Bound

BOUND = Bound("success_rate", baseline=True)
ONE_LOOK = levels(interim_analyses(3, 3), 0)
# With this many episodes, unseen failures add almost nothing to the variance of the tasks.
MANY = 10**9


def found(tasks: int, value: float, error: float, pooled: float = 0.0) -> Difference:
    return Difference(tasks, value, error, error**2, pooled, MANY)


@pytest.mark.parametrize(
    ("difference", "verdict"),
    [
        (found(100, 0.0, 0.01), "PASS"),
        (found(20, -0.10, 0.02), "FAIL"),
        (found(100, -0.03, 0.02), "INCONCLUSIVE"),
        # Student's t with 19 degrees is below (D + 0.02) / s = -2.43 with a probability of 1.25 %.
        (found(20, -0.0688, 0.02), "FAIL"),
        (found(20, -0.0684, 0.02), "INCONCLUSIVE"),
        (found(20, -0.10, 0.02, pooled=0.04**2), "INCONCLUSIVE"),
        (found(8, -0.5, 0.02), "FAIL"),
        (found(7, -0.5, 0.02), "INCONCLUSIVE"),
        (found(8, 0.5, 0.02), "PASS"),
        (found(7, 0.5, 0.02), "INCONCLUSIVE"),
        (Difference(1, -1.0), "INCONCLUSIVE"),
        (Difference(0), "INCONCLUSIVE"),
    ],
)
def test_difference_has_a_verdict(difference: Difference, verdict: str) -> None:
    assert rule(difference, BOUND, ONE_LOOK) == verdict


@pytest.mark.parametrize(
    ("tasks", "epochs", "verdict"),
    [(60, 1, "INCONCLUSIVE"), (65, 1, "PASS"), (20, 3, "INCONCLUSIVE"), (20, 10, "PASS"),
     (8, 10, "INCONCLUSIVE"), (16, 10, "PASS")],
)  # fmt: skip
def test_perfect_runs_pass_with_enough_episodes(tasks: int, epochs: int, verdict: str) -> None:
    """At a true rate of 95 %, at least one of 59 episodes fails with a probability of 95 %."""
    perfect = Difference(tasks, 0.0, 0.0, 0.0, 0.0, tasks * epochs)
    assert rule(perfect, BOUND, ONE_LOOK) == verdict


@pytest.mark.parametrize("value", [-0.2, -0.03, 0.0, 0.1])
@pytest.mark.parametrize("spread", [0.0, 1e-4, 4e-3, 0.05])
@pytest.mark.parametrize(("allow", "fall"), [(0.03, 0.15), (0.05, 0.15), (0.1, 0.3), (0.5, 0.3)])
def test_lower_bound_has_the_given_level(
    value: float, spread: float, allow: float, fall: float
) -> None:
    t = scipy.stats.t.ppf(0.95, 29)

    def excess(low: float) -> float:
        drop = value - low
        return float(drop - t * math.sqrt(spread + drop * (1 / 90 + fall / 30)))

    expected = scipy.optimize.brentq(excess, value - 5, value - 1e-9)
    difference = Difference(30, value, 0.0, spread, 0.0, 90)
    assert at_least(difference, replace(BOUND, allow=allow), 0.05) == pytest.approx(expected)


def test_upper_bound_is_the_larger_of_tasks_and_epochs() -> None:
    for spread, pooled, t in (
        (4e-4, 1e-4, scipy.stats.t.ppf(0.9875, 29)),
        (1e-4, 4e-4, scipy.stats.norm.ppf(0.9875)),
    ):
        difference = Difference(30, -0.1, 0.0, spread, pooled, 90)
        assert at_most(difference, 0.0125) == pytest.approx(-0.1 + t * 0.02)


def test_bounds_share_the_false_fail_level_only() -> None:
    one, two = levels(interim_analyses(3, 10), 1), levels(interim_analyses(3, 10), 1, 2)
    assert two.fail == one.fail / 2
    assert two.passing == one.passing


def test_analyses_spend_the_chance_of_a_wrong_pass_by_epochs() -> None:
    passing = [levels(interim_analyses(3, 10), analysis).passing for analysis in range(3)]
    assert passing[0] == pytest.approx(0.05 * 0.3)
    assert passing == pytest.approx([0.0150, 0.0157, 0.0339], abs=5e-5)


@pytest.mark.parametrize(
    ("least", "most", "epochs"),
    [(3, 10, (3, 5, 10)), (1, 2, (1, 2)), (1, 3, (1, 3)), (5, 5, (5,)), (4, 9, (4, 6, 9))],
)
def test_analyses_are_at_both_ends_and_at_their_geometric_mean(
    least: int, most: int, epochs: tuple[int, ...]
) -> None:
    assert interim_analyses(least, most).epochs == epochs


def test_one_analysis_has_the_whole_level() -> None:
    assert interim_analyses(3, 3).levels(0.015) == (0.015,)


def test_levels_match_the_simulation() -> None:
    """The tolerance is that of the simulated reference values."""
    assert interim_analyses(3, 10).levels(0.015) == pytest.approx(
        (0.0063, 0.0046, 0.0073), abs=0.0002
    )


@pytest.mark.parametrize("epochs", [(3, 5, 10), (1, 3), (1, 2, 3, 4), (2, 20, 100)])
@pytest.mark.parametrize("alpha", [0.015, 0.05])
def test_all_analyses_together_have_the_level(epochs: tuple[int, ...], alpha: float) -> None:
    bounds = [scipy.stats.norm.isf(level) for level in InterimAnalyses(epochs).levels(alpha)]
    correlation = [[(min(a, b) / max(a, b)) ** 0.5 for a in epochs] for b in epochs]
    within = scipy.stats.multivariate_normal(cov=correlation, seed=1).cdf(bounds)
    assert 1 - within == pytest.approx(alpha, abs=2e-5)


@pytest.mark.parametrize("epochs", [(), (0, 3), (3, 3), (5, 3)])
def test_interim_analyses_need_increasing_epochs(epochs: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="increasing numbers of epochs from 1"):
        InterimAnalyses(epochs)
