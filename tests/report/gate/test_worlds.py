"""Tests of the gate on simulated agents with known success rates: false alarms and power.

`benchmarks/gate.py` simulates 4,000 runs of many more worlds; see docs/gate-errors.md.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pytest_mobileagent.report.comparison.pairing import Key, Tally, difference
from pytest_mobileagent.report.gate.rule import InterimAnalyses, interim_analyses
from pytest_mobileagent.report.gate.spec import TASKS_LIKE_THESE
from tests.report.gate.worlds import World, differences, simulate

ANALYSES = interim_analyses(3, 10)


def test_the_simulation_has_the_gates_input():
    random = np.random.default_rng(1)
    before, after = random.integers(0, 5, (20, 9)), random.integers(0, 3, (20, 9))
    for number, found in enumerate(differences(before, 4, after, 2)):
        runs: list[dict[Key, Tally]] = [
            {
                (str(task), None): Tally(int(passed), epochs)
                for task, passed in enumerate(run[number])
            }
            for run, epochs in ((before, 4), (after, 2))
        ]
        expected = difference(*runs)
        assert found.value == pytest.approx(expected.value)
        assert found.spread == pytest.approx(expected.spread)
        assert found.pooled == pytest.approx(expected.pooled)
        assert (found.tasks, found.episodes) == (expected.tasks, expected.episodes)
        assert found.within == pytest.approx(expected.within)
        assert found.between == pytest.approx(expected.between)


def test_unchanged_agent_rarely_fails():
    found = simulate(World(100), ANALYSES, runs=100)
    assert found.fail <= 0.02
    assert found.passing >= 0.5


@pytest.mark.parametrize("shape", ["all at 1", "all at 0.95"])
@pytest.mark.parametrize("equal", [0.5, 1.0])
def test_equal_epochs_do_not_pass_an_agent_that_loses_tasks(shape, equal):
    """One draw for each task, repeated ten times, is worth one observation."""
    world = World(20, drop=0.05, shape=shape, equal=equal)
    found = simulate(world, InterimAnalyses((10,)), 500, scope=TASKS_LIKE_THESE)
    assert found.passing <= 0.06
    same = replace(world, drop=0.0)
    assert simulate(same, InterimAnalyses((10,)), 500, 0.0, scope=TASKS_LIKE_THESE).fail <= 0.02


def test_agent_ten_points_worse_fails_soon():
    found = simulate(World(100, drop=0.1), ANALYSES, runs=60, margin=0.0)
    assert found.fail >= 0.9
    assert found.epochs < 6


@pytest.mark.parametrize(
    ("tasks", "epochs"), [(8, 10), (10, 3), (20, 3), (30, 1), (60, 1), (65, 1), (13, 5)]
)
def test_previously_perfect_agent_five_points_worse_rarely_passes(tasks, epochs):
    """In 16 to 23 % of the runs, few failures or none are seen, which is not enough to pass."""
    world = World(tasks, drop=0.05, shape="all at 1")
    assert simulate(world, InterimAnalyses((epochs,)), runs=1000).passing <= 0.06


def test_analyses_before_a_long_baseline_fail_no_unchanged_agent():
    """A first epoch without a pass proves nothing if the baseline passes 10 % of ten epochs."""
    found = simulate(
        World(20, shape="all at 0.1"), InterimAnalyses((1, 3, 10)), runs=1000, margin=0.0
    )
    assert found.fail <= 0.02


@pytest.mark.slow
@pytest.mark.parametrize("margin", [0.0, 0.02])
@pytest.mark.parametrize(
    "world",
    [
        World(8), World(20), World(100), World(20, shape="middling"), World(100, shape="middling"),
        World(100, drift=1.0), World(200, shape="all at 0.9"),
    ],
    ids=str,
)  # fmt: skip
def test_false_failures_are_at_most_two_percent(world, margin):
    """Of tasks that drift, the drawn ones may have changed, which is no false FAIL about them."""
    assert simulate(world, ANALYSES, runs=1000, margin=margin, drawn=True).fail <= 0.02
    like_these = simulate(world, ANALYSES, runs=1000, margin=margin, scope=TASKS_LIKE_THESE)
    assert like_these.fail <= 0.02


@pytest.mark.slow
def test_a_drop_of_the_margin_is_not_a_fail():
    assert simulate(World(100, drop=0.02), ANALYSES, runs=1000).fail <= 0.02


TASKS = (8, 20, 100)
SHAPES = ("u-shaped", "good", "all at 0.98", "70 % at 0.99, 30 % at 0.02", "all at 0.1")
RULES = (ANALYSES, InterimAnalyses((1,)), InterimAnalyses((10,)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tasks", "shape", "analyses"),
    # Any two of the three meet; `benchmarks/gate.py` simulates many more worlds.
    [
        (tasks, shape, RULES[(row + column) % 3])
        for row, shape in enumerate(SHAPES)
        for column, tasks in enumerate(TASKS)
    ],
    ids=str,
)
def test_drop_beyond_the_allowed_rarely_passes(tasks, shape, analyses):
    assert simulate(World(tasks, drop=0.05, shape=shape), analyses, runs=1000).passing <= 0.06


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tasks", "epochs", "five", "ten"),
    [(20, 10, 0.16, 0.62), (50, 5, 0.24, 0.79), (100, 3, 0.30, 0.88), (100, 10, 0.81, 1.0)],
)
def test_power_is_as_designed(tasks, epochs, five, ten):
    """One analysis without a margin; 0.06 is three standard errors of both numbers.

    The default scope detects at least as much as that of tasks like these.
    """
    for drop, power in ((0.05, five), (0.10, ten)):
        world, once = World(tasks, drop=drop), InterimAnalyses((epochs,))
        found = simulate(world, once, runs=1000, margin=0.0, scope=TASKS_LIKE_THESE)
        assert found.fail == pytest.approx(power, abs=0.06)
        assert simulate(world, once, runs=500, margin=0.0).fail >= power - 0.06
