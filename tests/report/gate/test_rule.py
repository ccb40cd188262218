"""Tests of the test against the baseline: when it fails and when it passes.

Also tests when a gate analyses a run, and how strict each interim analysis is.
"""

from __future__ import annotations

import math
from dataclasses import replace
from math import ceil
from statistics import NormalDist

import numpy as np
import pytest
import scipy

from pytest_mobileagent.report.comparison.pairing import Difference, Tally
from pytest_mobileagent.report.gate.rule import (
    InterimAnalyses,
    at_least,
    at_most,
    epochs_to_decide,
    interim_analyses,
    levels,
    may_decide,
    rule,
    tasks_to_decide,
)
from pytest_mobileagent.report.gate.spec import Bound
from pytest_mobileagent.report.gate.these_tasks import (
    Strata,
    Stratum,
    chance,
    chance_of_loss,
    highest,
)

BOUND = Bound("success_rate", baseline=True)
LIKE_THESE = replace(BOUND, scope="tasks like these")
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
def test_difference_has_a_verdict(difference, verdict):
    assert rule(difference, LIKE_THESE, ONE_LOOK, ()) == verdict


@pytest.mark.parametrize(
    ("tasks", "epochs", "verdict"),
    [(55, 1, "INCONCLUSIVE"), (57, 1, "PASS"), (20, 10, "INCONCLUSIVE"), (57, 10, "PASS")],
)  # fmt: skip
def test_perfect_runs_pass_with_enough_episodes(tasks, epochs, verdict):
    """At a true rate of 95 %, at least one of 59 tasks fails with a probability of 95 %.

    Equal epochs may come from a deterministic agent, so they count once.
    """
    perfect = Difference(tasks, 0.0, 0.0, 0.0, 0.0, tasks * epochs)
    assert rule(perfect, BOUND, ONE_LOOK, ()) == verdict


@pytest.mark.parametrize(("value", "spread"), [(-0.2, 0.05), (-0.03, 1e-4), (0.1, 0.0)])
@pytest.mark.parametrize(
    ("within", "between", "correlation"),
    [(0.0, 0.0, 1.0), (0.1, 0.1, 0.2), (0.05, 0.2, 7 / 9), (0.2, 0.1, 0.15)],
)
def test_lower_bound_has_the_given_level(value, spread, within, between, correlation):
    t = scipy.stats.t.ppf(0.95, 29)

    def excess(low: float) -> float:
        drop = value - low
        own = (1 - correlation) / 90 + correlation / 30
        return float(drop - t * math.sqrt(spread + drop * own))

    expected = scipy.optimize.brentq(excess, value - 5, value - 1e-9)
    difference = Difference(30, value, 0.0, spread, 0.0, 90, within, between)
    assert at_least(difference, BOUND, 0.05) == pytest.approx(expected)


def test_upper_bound_is_the_larger_of_tasks_and_epochs():
    for spread, pooled, t in (
        (4e-4, 1e-4, scipy.stats.t.ppf(0.9875, 29)),
        (1e-4, 4e-4, scipy.stats.norm.ppf(0.9875)),
    ):
        difference = Difference(30, -0.1, 0.0, spread, pooled, 90)
        assert at_most(difference, 0.0125) == pytest.approx(-0.1 + t * 0.02)


def test_bounds_share_the_false_fail_level_only():
    one, two = levels(interim_analyses(3, 10), 1), levels(interim_analyses(3, 10), 1, 2)
    assert two.fail == one.fail / 2
    assert two.passing == one.passing


def test_analyses_spend_the_chance_of_a_wrong_pass_by_epochs():
    passing = [levels(interim_analyses(3, 10), analysis).passing for analysis in range(3)]
    assert passing[0] == pytest.approx(0.05 * 0.3)
    assert passing == pytest.approx([0.0150, 0.0157, 0.0339], abs=5e-5)


@pytest.mark.parametrize(
    ("least", "most", "epochs"),
    [(3, 10, (3, 5, 10)), (1, 2, (1, 2)), (1, 3, (1, 3)), (5, 5, (5,)), (4, 9, (4, 6, 9))],
)
def test_analyses_are_at_both_ends_and_at_their_geometric_mean(least, most, epochs):
    assert interim_analyses(least, most).epochs == epochs


def test_levels_match_the_simulation():
    """The tolerance is that of the simulated reference values; one analysis has the whole level."""
    assert interim_analyses(3, 3).levels(0.015) == (0.015,)
    assert interim_analyses(3, 10).levels(0.015) == pytest.approx(
        (0.0063, 0.0046, 0.0073), abs=0.0002
    )


@pytest.mark.parametrize("epochs", [(3, 5, 10), (1, 3), (1, 2, 3, 4), (2, 20, 100)])
@pytest.mark.parametrize("alpha", [0.015, 0.05])
def test_all_analyses_together_have_the_level(epochs, alpha):
    bounds = [scipy.stats.norm.isf(level) for level in InterimAnalyses(epochs).levels(alpha)]
    correlation = [[(min(a, b) / max(a, b)) ** 0.5 for a in epochs] for b in epochs]
    within = scipy.stats.multivariate_normal(cov=correlation, seed=1).cdf(bounds)
    assert 1 - within == pytest.approx(alpha, abs=2e-5)


@pytest.mark.parametrize("epochs", [(), (0, 3), (3, 3), (5, 3)])
def test_interim_analyses_need_increasing_epochs(epochs):
    with pytest.raises(ValueError, match="increasing numbers of epochs from 1"):
        InterimAnalyses(epochs)


def run_of(*tasks: tuple[int, int, int, int, int]) -> Strata:
    count = sum(each[-1] for each in tasks)
    return tuple((Stratum(x, m, y, n, 1 / count), number) for x, m, y, n, number in tasks)


@pytest.mark.parametrize(
    ("epochs", "baseline", "passed"),
    [(10, 10, (10, 10, 9)), (3, 10, (2, 3, 1)), (1, 1, (0, 0, 1)), (5, 3, (5, 0, 3))],
)
def test_chance_without_a_margin_is_that_of_shuffled_epochs(epochs, baseline, passed):
    """A sum of hypergeometric counts, computed by scipy."""
    tasks = run_of(*((baseline, baseline, each, epochs, 3) for each in passed))
    exact = np.ones(1)
    for each in passed:
        counts = np.arange(epochs + 1)
        law = scipy.stats.hypergeom(epochs + baseline, baseline + each, epochs)
        for _ in range(3):
            exact = np.convolve(exact, law.pmf(counts))
    expected = exact[: 3 * sum(passed) + 1].sum()
    assert chance(tasks, 0.0) == pytest.approx(expected, rel=0.06)


def test_certain_loss_of_single_tasks_is_a_fail_about_these_tasks_only():
    tasks = run_of((10, 10, 10, 10, 18), (10, 10, 0, 10, 2))
    difference = Difference(20, -0.1, 0.07, 0.0047, 0.0, 200)
    assert rule(difference, BOUND, ONE_LOOK, tasks) == "FAIL"
    assert rule(difference, LIKE_THESE, ONE_LOOK, tasks) == "INCONCLUSIVE"
    assert chance(tasks, 0.0) == pytest.approx(1 / math.comb(20, 10) ** 2)
    assert chance(tasks, 0.09) > chance(tasks, 0.02) > chance(tasks, 0.0)
    assert chance(tasks, highest(tasks, 0.01) * -1) == pytest.approx(0.01, rel=0.05)


@pytest.mark.parametrize(("passed", "expected"), [(0, 5.41e-6), (4, 0.0054), (10, 1.0)])
def test_lost_task_is_tested_by_fisher(passed, expected):
    table = [[passed, 10 - passed], [10, 0]]
    exact = scipy.stats.fisher_exact(table, alternative="less").pvalue
    found = chance_of_loss(Tally(10, 10), Tally(passed, 10))
    assert found == pytest.approx(exact) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (Difference(20, 0.0, 0.0, 0.0, 0.0, 60), False),  # equal epochs stay one observation
        (Difference(200, 0.0, 0.01, 0.0004, 0.0, 600, 0.12, 0.12), True),
        (Difference(20, -0.1, 0.05, 0.002, 0.0, 60, 0.12, 0.12), True),
    ],
)
def test_more_epochs_are_run_only_if_they_may_decide(found, expected):
    last = levels(interim_analyses(3, 10), 2)
    assert may_decide(found, BOUND, last, found.within, (10, 3, 10)) is expected


NOISE = 0.12


def after(tasks: int, epochs: int, value: float, rest: float = 0.0) -> Difference:
    """Return a difference with only chance variance, plus a part that epochs do not reduce."""
    spread = rest + 2 * NOISE / (tasks * epochs)
    return Difference(
        tasks, value, spread**0.5, spread, 0.0, tasks * epochs, within=NOISE, between=NOISE
    )


@pytest.mark.parametrize("value", [0.0, -0.01, -0.06, -0.07])
def test_the_planned_epochs_decide_if_the_difference_stays(value):
    found = after(100, 3, value)
    assert rule(found, LIKE_THESE, ONE_LOOK, ()) == "INCONCLUSIVE"
    number = epochs_to_decide(found, LIKE_THESE, ONE_LOOK, NOISE, 3)
    assert number is not None
    assert rule(after(100, number, value), LIKE_THESE, ONE_LOOK, ()) != "INCONCLUSIVE"
    assert rule(after(100, number - 1, value), LIKE_THESE, ONE_LOOK, ()) == "INCONCLUSIVE"


def test_epochs_must_separate_the_margin_from_the_allowed_drop():
    number = epochs_to_decide(after(100, 3, -0.035), LIKE_THESE, ONE_LOOK, NOISE, 3)
    z = NormalDist().inv_cdf(0.9875) + NormalDist().inv_cdf(0.8)  # a level and a power
    assert number == ceil(z**2 * 2 * NOISE / (100 * 0.03**2)) == 26
    few = epochs_to_decide(after(8, 3, -0.035), LIKE_THESE, ONE_LOOK, NOISE, 3)
    assert few is None, "impractical numbers are not suggested"


def test_no_number_of_epochs_decides_if_tasks_are_lost():
    """One of twenty tasks is lost: its difference is -1 however many epochs are run."""
    lost = Difference(20, -0.05, 0.05, 0.0025, 0.0, 60)
    for epochs in (3, 10, 1000):
        assert epochs_to_decide(lost, LIKE_THESE, ONE_LOOK, 0.0, epochs) is None
    tasks = tasks_to_decide(lost, LIKE_THESE, ONE_LOOK)
    assert tasks is not None
    assert tasks == 329
    of_them = Difference(tasks, -0.05, 0.0, 0.05 / tasks, 0.0, 3 * tasks)
    assert rule(of_them, LIKE_THESE, ONE_LOOK, ()) == "FAIL"


@pytest.mark.parametrize("value", [0.0, -0.01, -0.06])
def test_the_planned_tasks_decide_if_the_difference_stays(value):
    found = after(30, 3, value, rest=0.001)
    tasks = tasks_to_decide(found, LIKE_THESE, ONE_LOOK)
    assert tasks is not None
    spread = (found.spread or 0) * 30 / tasks
    planned = replace(found, tasks=tasks, spread=spread, episodes=3 * tasks)
    assert rule(planned, LIKE_THESE, ONE_LOOK, ()) != "INCONCLUSIVE"
