"""Tests of metrics over epochs: intervals, standard errors, pass@k, and classes of tasks."""

from __future__ import annotations

from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Any

import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.report.metrics import summarise, totals
from pytest_mobileagent.report.metrics.epochs import classify, repeated
from pytest_mobileagent.report.text import table
from tests.report.conftest import make

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.report.entry import Entry


def run(tasks: Mapping[str, Sequence[bool | None]], **fields: Any) -> list[Entry]:
    """Return the entries of tasks, each with the outcomes of its epochs."""
    return [
        make(success, id=name, epoch=epoch, **fields)
        for name, epochs in tasks.items()
        for epoch, success in enumerate(epochs)
    ]


TRIALS = st.lists(st.sampled_from([True, False]), min_size=3, max_size=3)


@given(st.lists(TRIALS, min_size=2, max_size=6))
def test_uncertainty_over_tasks_matches_scipy(tasks):
    numbers = totals(run({f"t{number}": trials for number, trials in enumerate(tasks)}))
    rates = [fmean(trials) for trials in tasks]
    error = scipy.stats.sem(rates)
    assert numbers["standard_error"] == pytest.approx(error)
    low, high = numbers["interval"]
    if error:
        expected = scipy.stats.t.interval(0.95, len(rates) - 1, fmean(rates), error)
        assert low == pytest.approx(max(0.0, expected[0]), abs=1e-9)
        assert high == pytest.approx(min(1.0, expected[1]), abs=1e-9)
    else:
        assert low < high


@pytest.mark.parametrize(
    ("tasks", "passed"),
    [({name: [True] * 3 for name in "abcd"}, 4), ({name: [name in "ab"] for name in "abcde"}, 2)],
    ids=["unanimous tasks are no certainty", "without epochs"],
)
def test_some_intervals_are_wilsons(tasks, passed):
    wilson = scipy.stats.binomtest(passed, len(tasks)).proportion_ci(method="wilson")
    assert totals(run(tasks))["interval"] == pytest.approx([wilson.low, wilson.high])


@pytest.mark.parametrize(
    ("trials", "tasks", "low", "high"),
    [  # statsmodels 0.14.6: proportion_confint(tasks * share, tasks, method="wilson")
        ([True, False], 3, 0.1253344719102632, 0.8746655280897369),
        ([True, False], 21, 0.303379159977352, 0.696620840022648),
        ([True, False, False], 4, 0.0750831396700039, 0.7548804724815285),
    ],
)
def test_equal_rates_have_an_interval_around_them(trials, tasks, low, high):
    numbers = totals(run({f"t{number}": trials for number in range(tasks)}))
    assert numbers["interval"] == pytest.approx([low, high])


def test_more_epochs_say_nothing_about_other_tasks():
    assert totals(run({"a": [True] * 5}))["interval"] is None
    assert totals(run({"a": [True, False]}))["interval"] is None
    few, many = ({"a": [True] * n, "b": [False] * n} for n in (2, 20))
    assert totals(run(few))["interval"] == totals(run(many))["interval"]


def test_epochs_have_means_and_both_standard_errors():
    numbers = totals(run({"a": [True, False, None], "b": [True, True, False]}))["epochs"]
    rates = [1.0, 0.5, 0.0]
    assert numbers["number"] == 3
    assert numbers["success_rates"] == {"0": 1.0, "1": 0.5, "2": 0.0}
    assert numbers["standard_error"] == pytest.approx(scipy.stats.sem(rates))
    assert numbers["standard_error_ddof_0"] == pytest.approx(pstdev(rates) / 3**0.5)


def test_pass_at_k_uses_tasks_with_equal_numbers_of_trials():
    numbers = totals(run({"a": [True, False], "b": [True, True], "c": [True, None]}))
    assert numbers["pass_at"] == {"1": pytest.approx(2.5 / 3), "2": 1.0}
    assert numbers["pass_all"] == {"1": pytest.approx(2.5 / 3), "2": 0.5}
    assert numbers["pass_tasks"] == {"1": 3, "2": 2}
    assert numbers["flip_rate"] == 0.5


def test_groups_use_the_epochs_of_the_run():
    results = run({"a": [True] * 3}, suite="clock") + run({"b": [False] * 2}, suite="map")
    summary = summarise(results)
    assert list(summary["pass_at"]) == list(summary["suites"]["clock"]["pass_at"]) == ["1", "2"]


def test_task_in_two_environments_counts_twice():
    results = run({"a": [True] * 2}, environment="100") + run({"a": [False] * 2}, environment="101")
    numbers = totals(results)
    assert (numbers["stable_passes"], numbers["flaky"], numbers["stable_fails"]) == (1, 0, 1)
    assert numbers["flip_rate"] == 0.0


def test_each_repeated_task_has_a_class_and_an_interval():
    tasks: dict[str, list[bool | None]] = {"fails": [False] * 3, "flaky": [True, False, True]}
    tasks |= {"once": [True], "broken": [True, None, None]}
    entries = repeated(run(tasks, suite="clock"))
    assert [(entry["id"], entry["class"]) for entry in entries] == [
        ("flaky", "flaky"), ("broken", None), ("fails", "stable fail"),
    ]  # fmt: skip
    wilson = scipy.stats.binomtest(2, 3).proportion_ci(method="wilson")
    assert entries[0] == {
        "id": "flaky", "environment": None, "suite": "clock", "epochs": 3, "decided": 3,
        "successes": 2, "success_rate": 2 / 3, "flip_rate": 2 / 3, "class": "flaky",
        "interval": pytest.approx([wilson.low, wilson.high]),
    }  # fmt: skip
    assert (entries[1]["decided"], entries[1]["epochs"]) == (1, 3)


@pytest.mark.parametrize(
    ("trials", "word"),
    [
        ([], None),
        ([True], None),
        ([True, True], "stable pass"),
        ([True, False], "flaky"),
        ([False, False], "stable fail"),
    ],
)
def test_classes_need_two_epochs(trials, word):
    assert classify(trials) == word


def test_terminal_shows_epoch_metrics_after_the_success_rate():
    done = {"steps": 3, "suite": "clock"}
    title, row, *_ = table(summarise(run({"a": [True] * 3, "b": [True, False, False]}, **done)))
    assert " ".join(title.split()) == (
        "suite tasks episodes success rate ± pass@3 pass^3 ratio premature overdue steps s/step"
    )
    assert row.split()[:8] == ["clock", "2", "6", "66.7%", "(4/6)", "33.3", "100.0%", "50.0%"]


def test_terminal_shows_only_known_epoch_metrics():
    title = table(summarise(run({"a": [True], "b": [False]})))[0]
    assert "±" not in title
    assert "pass@" not in title
    title, row, *_ = table(summarise(run({"a": [True, False]}, suite="clock")))
    assert title.split()[5:7] == ["pass@2", "pass^2"]
    assert row.split()[5:7] == ["100.0%", "0.0%"]
