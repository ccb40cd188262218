"""Tests of intervals, Student's t and pass@k against SciPy, statsmodels and the definitions."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
import scipy
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pytest_mobileagent.statistics import (
    Estimate,
    Z,
    mean,
    pass_all,
    pass_at,
    proportion,
    quantile,
    standard_error,
    student_cdf,
    student_quantile,
)

DEGREES = [1, 2, 3, 7, 19, 49, 107, 999]


def known(number):
    """Return a number, having asserted that it is not None."""
    assert number is not None
    return number


@pytest.mark.parametrize(
    ("part", "whole", "low", "high"),
    [  # statsmodels 0.15.0: proportion_confint(part, whole, method="wilson")
        (264, 300, 0.8383421861729838, 0.912049155696361),  # 0.88 (0.84-0.91)
        (0, 10, 0.0, 0.27753279986288926),
        (10, 10, 0.7224672001371106, 1.0),
        (40, 50, 0.6696289406777458, 0.8875624998422389),
        (13, 271, 0.028245506978306825, 0.08033148482176442),
        (1, 3, 0.06149194472039626, 0.7923403991979523),
    ],
)
def test_intervals_of_shares_are_those_of_statsmodels(part, whole, low, high):
    found = proportion(part, whole)
    assert (found.value, found.low, found.high) == pytest.approx((part / whole, low, high))


@settings(max_examples=30)
@given(st.integers(0, 2000), st.integers(0, 2000), st.integers(1, 5))
@example(0, 1, 1)
@example(1, 0, 1)
@example(1, 1, 2)
def test_the_ends_of_an_interval_are_where_wilson_put_them(part, rest, shared):
    whole, part = part + rest or 1, part / shared
    found = proportion(part, whole)
    share, low, high = map(known, (found.value, found.low, found.high))
    assert 0 <= low <= share <= high <= 1
    for end in (low, high):  # At either end, |share - p| equals z standard deviations of p.
        distance = Z * math.sqrt(end * (1 - end) / whole)
        assert abs(share - end) == pytest.approx(distance, abs=1e-9)


def test_quantiles_lie_between_numbers_in_proportion():
    assert [quantile([0, 1, 2, 3], share) for share in (0, 0.5, 0.9, 1)] == [0, 1.5, 2.7, 3]


@settings(max_examples=60)
@given(st.floats(-50, 50), st.sampled_from(DEGREES))
def test_students_t_is_that_of_scipy(t, degrees):
    expected = scipy.stats.t.cdf(t, degrees)  # SciPy's own error is 6e-12 near 0.
    assert student_cdf(t, degrees) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("degrees", DEGREES)
@pytest.mark.parametrize("share", [0.001, 0.0046, 0.015, 0.5, 0.9, 0.975, 0.985, 0.9993])
def test_quantiles_of_students_t_are_those_of_scipy(share, degrees):
    expected = scipy.stats.t.ppf(share, degrees)
    assert student_quantile(share, degrees) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_beyond_all_numbers_nothing_or_all_is_left():
    assert (student_cdf(-math.inf, 5), student_cdf(math.inf, 5)) == (0.0, 1.0)


@settings(max_examples=50)
@given(st.lists(st.floats(-1, 1), min_size=2, max_size=30), st.sampled_from([0.9, 0.95, 0.97]))
def test_the_interval_of_a_mean_is_that_of_scipy(values, level):
    found, error = mean(values, level), standard_error(values)
    assert error == pytest.approx(scipy.stats.sem(values), abs=1e-12)
    low, high = scipy.stats.t.interval(level, len(values) - 1, found.value, known(error) or 1e-300)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)


def test_one_value_has_no_interval_and_none_has_nothing():
    assert (mean([0.5]).value, mean([0.5]).low, standard_error([0.5])) == (0.5, None, None)
    assert mean([]).value is None


@pytest.mark.parametrize("successes", range(6))
@pytest.mark.parametrize("k", range(1, 6))
def test_pass_at_k_and_pass_all_k_count_every_choice_of_k_trials(k, successes):
    trials = [number < successes for number in range(5)]
    choices = list(combinations(trials, k))
    assert pass_at(k, successes, 5) == pytest.approx(sum(map(any, choices)) / len(choices))
    assert pass_all(k, successes, 5) == pytest.approx(sum(map(all, choices)) / len(choices))


def test_too_few_trials_give_no_result_for_k():
    assert pass_at(3, 2, 2) is None
    assert pass_all(3, 2, 2) is None


@pytest.mark.parametrize(
    ("estimate", "form", "words"),
    [
        (Estimate(None), "{:.2f}", "n/a"),
        (Estimate(0.5), "{:.2f}", "0.50"),
        (Estimate(0.5, 0.25, 0.75), "{:.0%}", "50% (25%-75%)"),
        (Estimate(0.0, -0.5, 0.5), "{:.2f}", "0.00 (-0.50 to 0.50)"),
    ],
)
def test_an_estimate_is_printed_with_its_interval(estimate, form, words):
    assert estimate.in_words(form) == words
