"""Tests of comparing two runs task by task."""

from __future__ import annotations

import random

import pytest
import scipy

from pytest_mobileagent._task.case import without_variant
from pytest_mobileagent.report.comparison.pairing import (
    Tally,
    across_variants,
    common,
    difference,
    noise,
    tallies,
)
from tests.report.conftest import make
from tests.report.gate.entries import entries, many


def test_undecided_epochs_are_missing_and_skipped_ones_are_omitted() -> None:
    found = tallies(entries({"a": "PFE", "b@100": "RnP", "c": "ss", "d": "sP"}))
    assert found == {
        ("a", None): Tally(passed=1, decided=2, missing=1, broken=1),
        ("b", "100"): Tally(passed=1, decided=1, missing=2, broken=1),
        ("d", None): Tally(passed=1, decided=1),
    }


def test_only_tasks_decided_in_both_runs_are_paired() -> None:
    before = tallies(entries({"a": "P", "b": "E", "c": "P", "d@1": "P"}))
    after = tallies(entries({"c": "F", "b": "P", "a": "E", "d@2": "P"}))
    assert common(before, after) == [("c", None)]
    found = difference(tallies(entries({"a": "P"})), tallies(entries({"a": "F"})))
    assert (found.value, found.error, found.interval(0.95), found.p_value) == (-1, None, None, None)
    assert difference({}, {}).value is None


def test_p_value_is_that_of_the_paired_t_test() -> None:
    draw = random.Random(1)
    runs = [
        {f"t{n}": "".join(draw.choices("PF", k=epochs)) for n in range(20)} for epochs in (4, 5)
    ]
    found = difference(*(tallies(entries(run)) for run in runs))
    shares = [[each.count("P") / len(each) for each in run.values()] for run in runs]
    expected = scipy.stats.ttest_rel(shares[1], shares[0])
    assert found.p_value == pytest.approx(expected.pvalue)
    interval = expected.confidence_interval(0.97)
    assert found.interval(0.97) == pytest.approx((interval.low, interval.high))


def test_equal_runs_still_have_an_error() -> None:
    run = tallies(entries(many(10, "PPP")))
    found = difference(run, run)
    assert (found.tasks, found.value) == (10, 0)
    assert found.error == pytest.approx(2**0.5 / (2 * 10 * 3))
    longer = tallies(entries(many(10, "P" * 12)))
    assert difference(run, longer).error == pytest.approx(((1 / 60) ** 2 + (1 / 240) ** 2) ** 0.5)


def test_environments_of_a_task_are_averaged() -> None:
    before = tallies(entries({"a@1": "PP", "a@2": "PP", "b@1": "PP", "b@3": "P"}))
    after = tallies(entries({"a@1": "FF", "a@2": "PF", "b@1": "PP", "b@4": "F"}))
    found = difference(before, after)
    assert (found.tasks, found.value) == (2, pytest.approx((-0.75 + 0) / 2))


def test_noise_is_the_unbiased_variance_of_one_episode() -> None:
    runs = [tallies(entries({"a": "PF", "b": "P"})), tallies(entries({"a": "PP", "b": "F"}))]
    assert noise(runs, [("a", None), ("b", None)]) == (0.5 + 0) / 2
    assert noise(runs, [("b", None)]) is None


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("a/mug[vague]", "a/mug"),
        ("a/mug[Bread-vague]", "a/mug[Bread]"),
        ("a/mug[x-vague-1]", "a/mug[x-1]"),
        ("a/vague[vague]", "a/vague"),
        ("a/mug", "a/mug"),
    ],
)
def test_variant_is_removed_from_the_task_id(id: str, name: str) -> None:
    assert without_variant(id, "vague") == name
    assert without_variant(id, "") == id


def test_variants_are_paired_only_if_unique_in_each_run() -> None:
    full = [make(True, id=f"{name}[full]", variant="full") for name in "abc"]
    vague = [make(False, id=f"{name}[vague]", variant="vague") for name in "abd"]
    plain = make(True, id="e")
    before, after = across_variants([*full, plain], [*vague, plain])
    assert [each.id for each in before] == ["a", "b", "c[full]", "e"]
    assert [each.id for each in after] == ["a", "b", "d[vague]", "e"]
    both = [*full, *vague]
    assert across_variants(both, both) == (both, both)
    assert across_variants(full, both) == (full, both)
