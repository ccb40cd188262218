"""When a gate looks, and how strict each look is."""

from __future__ import annotations

import pytest
from scipy import stats

from pytest_mobileagent.report.gate.interim import Looks, looks


@pytest.mark.parametrize(
    ("least", "most", "epochs"),
    [(3, 10, (3, 5, 10)), (1, 2, (1, 2)), (1, 3, (1, 3)), (5, 5, (5,)), (4, 9, (4, 6, 9))],
)
def test_looks_are_at_both_ends_and_at_their_geometric_mean(
    least: int, most: int, epochs: tuple[int, ...]
) -> None:
    assert looks(least, most).epochs == epochs


def test_one_look_has_the_whole_level() -> None:
    assert looks(3, 3).levels(0.015) == (0.015,)


def test_levels_are_those_that_simulation_gave() -> None:
    """To the precision of the facts, whose figures were drawn and not integrated."""
    assert looks(3, 10).levels(0.015) == pytest.approx((0.0063, 0.0046, 0.0073), abs=0.0002)


@pytest.mark.parametrize("epochs", [(3, 5, 10), (1, 3), (1, 2, 3, 4), (2, 20, 100)])
@pytest.mark.parametrize("alpha", [0.015, 0.05])
def test_all_looks_together_have_the_level(epochs: tuple[int, ...], alpha: float) -> None:
    bounds = [stats.norm.isf(level) for level in Looks(epochs).levels(alpha)]
    correlation = [[(min(a, b) / max(a, b)) ** 0.5 for a in epochs] for b in epochs]
    within = stats.multivariate_normal(cov=correlation, seed=1).cdf(bounds)
    assert 1 - within == pytest.approx(alpha, abs=2e-5)


@pytest.mark.parametrize("epochs", [(), (0, 3), (3, 3), (5, 3)])
def test_looks_are_at_growing_numbers_of_epochs(epochs: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="growing numbers of epochs from 1"):
        Looks(epochs)
