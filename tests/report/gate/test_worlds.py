"""The gate on simulated agents of which the truth is known: false alarms, and what it sees."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_mobileagent.report.gate.looks import Looks, looks
from tests.report.gate.worlds import MIDDLING, World, simulate

LOOKS = looks(3, 10)


def test_an_unchanged_agent_hardly_ever_fails() -> None:
    found = simulate(World(40), LOOKS, runs=300)
    assert found.fail <= 0.02
    assert found.passing >= 0.5


def test_an_agent_that_is_ten_points_worse_fails_soon() -> None:
    found = simulate(World(100, drop=0.1), LOOKS, runs=60, margin=0.0)
    assert found.fail >= 0.9
    assert found.epochs < 6


@pytest.mark.slow
@pytest.mark.parametrize("margin", [0.0, 0.02])
@pytest.mark.parametrize(
    "world",
    [
        World(8), World(20), World(100), World(20, shape=MIDDLING), World(100, shape=MIDDLING),
        World(100, drift=1.0),
    ],
    ids=str,
)  # fmt: skip
def test_false_fails_are_at_most_two_percent(world: World, margin: float) -> None:
    """All looks together, with the margin and without; 0.5 points are three standard errors."""
    found = simulate(world, LOOKS, runs=2000, margin=margin)
    assert found.fail <= (0.02 if margin else 0.02 + 0.005)


@pytest.mark.slow
def test_a_drop_of_the_margin_is_no_fail() -> None:
    assert simulate(World(100, drop=0.02), LOOKS, runs=2000).fail <= 0.02


@pytest.mark.slow
def test_a_drop_that_is_not_allowed_hardly_ever_passes() -> None:
    found = simulate(World(100, drop=0.05), LOOKS, runs=2000)
    assert found.passing <= 0.05 + 0.015


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tasks", "epochs", "five", "ten"),
    [(20, 10, 0.19, 0.67), (50, 5, 0.27, 0.79), (100, 3, 0.32, 0.88), (100, 10, 0.82, 1.0)],
)
def test_power_is_what_it_was_chosen_for(tasks: int, epochs: int, five: float, ten: float) -> None:
    """The facts' table of one look without a margin, to three standard errors of both."""
    for drop, power in ((0.05, five), (0.10, ten)):
        world = replace(World(tasks), drop=drop)
        found = simulate(world, Looks((epochs,)), runs=1000, margin=0.0)
        assert found.fail == pytest.approx(power, abs=0.06)
