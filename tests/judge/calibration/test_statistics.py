"""Statistics, compared with scikit-learn, statsmodels and SciPy and with the papers' numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.judge.calibration.figures import Confusion, bootstrapped
from pytest_mobileagent.statistics import proportion


def known(number):
    """Return a number that must not be None."""
    assert number is not None
    return number


@pytest.mark.parametrize(
    ("cells", "f1", "kappa", "accuracy"),
    [  # scikit-learn 1.9.1: f1_score, cohen_kappa_score, accuracy_score
        ((22, 2, 2, 44), 0.9166666666666666, 0.8731884057971014, 0.9428571428571428),
        ((20, 5, 10, 15), 0.7272727272727273, 0.4, 0.7),
        ((1, 2, 3, 4), 0.2857142857142857, -0.0869565217391306, 0.5),
        ((0, 3, 4, 5), 0.0, -0.3999999999999999, 0.4166666666666667),
        ((40, 5, 3, 2), 0.9090909090909091, 0.24528301886792447, 0.84),
    ],
)
def test_f1_and_kappa_match_scikit_learn(cells, f1, kappa, accuracy):
    found = Confusion(*cells)
    assert (found.f1, found.kappa) == pytest.approx((f1, kappa))
    assert found.right / found.total == pytest.approx(accuracy)


@pytest.mark.parametrize(
    ("cells", "statistic", "low", "high"),
    [  # SciPy 1.17.1: bootstrap(…, paired=True, method="percentile", n_resamples=2000)
        ((22, 2, 2, 44), "f1", 0.818, 0.982),
        ((22, 2, 2, 44), "kappa", 0.734, 0.970),
        ((120, 15, 20, 145), "f1", 0.827, 0.911),
        ((120, 15, 20, 145), "kappa", 0.689, 0.833),
    ],
)
def test_bootstrapped_intervals_are_close_to_scipy(cells, statistic, low, high):
    found = bootstrapped(Confusion(*cells), lambda counts: getattr(counts, statistic))
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.015)
    assert found == bootstrapped(Confusion(*cells), lambda counts: getattr(counts, statistic))


def test_open_ended_tasks_of_spa_bench_have_its_f1():
    # Appendix G: 22 true positives, 2 false positives, 2 false negatives, 44 true negatives.
    assert round(known(Confusion(22, 2, 2, 44).f1), 3) == 0.917


def test_cross_app_f1_of_spa_bench_is_the_mean_of_both_languages():
    # Table 10 and section 5.2: 0.833 in English, 0.857 in Chinese, 0.845 overall. Few tasks were
    # done: 5 true positives with 2 errors, and 6 with 2 errors, give these values.
    english, chinese = (known(c.f1) for c in (Confusion(5, 1, 1, 73), Confusion(6, 1, 1, 72)))
    assert (round(english, 3), round(chinese, 3)) == (0.833, 0.857)
    assert round((english + chinese) / 2, 3) == 0.845


def test_statistics_of_nothing_are_none():
    nothing = Confusion()
    assert nothing.f1 is nothing.kappa is nothing.precision is nothing.recall is None
    assert proportion(0, 0).value is bootstrapped(nothing, lambda counts: counts.f1).value is None
    assert Confusion(5, 0, 0, 0).kappa is None  # agreement by chance is always 1
    assert Confusion(0, 0, 0, 5).f1 is None
    rare = bootstrapped(Confusion(0, 0, 1, 30), lambda counts: counts.precision)
    assert (rare.value, rare.low) == (None, None)


def test_statistic_defined_in_few_resamples_has_no_interval():
    found = bootstrapped(Confusion(1, 0, 0, 60), lambda c: c.f1 if c.f1 and c.total % 2 else None)
    assert found.value == 1
    few = bootstrapped(Confusion(1, 0, 0, 9), lambda c: 1.0 if c.true_positives == 1 else None)
    assert (few.value, few.low) == (1.0, None)


@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
def test_confusion_counts_add_up(both, wrongly, missed, neither):
    cells = (both, wrongly, missed, neither)
    kinds = [(True, True), (False, True), (True, False), (False, False)]
    pairs = [kind for kind, count in zip(kinds, cells, strict=True) for _ in range(count)]
    found = Confusion.of(pairs)
    assert (found.cells, found.total) == (cells, len(pairs))
    assert found.right == sum(truth == said for truth, said in pairs)
    if found.f1 is not None and found.precision and found.recall:
        mean = 2 * found.precision * found.recall / (found.precision + found.recall)
        assert found.f1 == pytest.approx(mean)
