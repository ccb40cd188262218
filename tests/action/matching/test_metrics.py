"""Tests of the offline data sets' metrics, on numbers small enough to count by hand."""

import pytest

from pytest_mobileagent import Wait
from pytest_mobileagent.action.matching import LEFT_OUT, NO_MATCH, Match, metrics

RIGHT = Match(type=True, exact=True)
NEAR = Match(type=True, exact=False)
EPISODES = [[RIGHT, RIGHT], [RIGHT, NEAR, RIGHT, NO_MATCH], [NO_MATCH, RIGHT]]


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        (metrics.step_accuracy, 5 / 8),
        (metrics.type_accuracy, 6 / 8),
        (metrics.success_rate, 1 / 3),
        (metrics.partial_match, (1 + 2 / 4 + 1 / 2) / 3),
        (metrics.goal_progress, (1 + 1 / 4 + 0) / 3),
        (metrics.ams_over_steps, 62.5),
    ],
)
def test_metrics_over_episodes(metric, value):
    assert metric(EPISODES) == pytest.approx(value)
    assert metric([]) is None
    assert metric([[]]) is None


def test_steps_that_are_left_out_count_nowhere():
    episodes = [[LEFT_OUT, *EPISODES[0]], [*EPISODES[1], LEFT_OUT], EPISODES[2], [LEFT_OUT]]
    for name in ("step_accuracy", "type_accuracy", "success_rate", "goal_progress"):
        metric = getattr(metrics, name)
        assert metric(episodes) == metric(EPISODES)


def test_the_two_averages_of_odyssey_differ():
    categories = {"shopping": [[RIGHT] * 3], "tools": [[NO_MATCH]], "none": []}
    assert metrics.ams_over_categories(categories) == 50.0
    assert metrics.ams_over_steps([steps for each in categories.values() for steps in each]) == 75.0
    thirds = {"a": [[RIGHT, RIGHT, NEAR]], "b": [[RIGHT]]}
    assert metrics.ams_over_categories(thirds) == pytest.approx(83.33, abs=0.011)
    assert metrics.ams_over_categories({}) is None
    assert metrics.sr_over_categories(categories) == 50.0
    assert metrics.sr_over_categories({"a": EPISODES, "b": [[RIGHT]]}) == pytest.approx(
        66.66, abs=0.011
    )


def test_an_unreadable_prediction_is_not_a_hit():
    assert metrics.hit_rate([Wait(), None, Wait(), Wait()]) == 0.75
    assert metrics.hit_rate([]) is None


def test_grounding_asks_only_taps_of_the_right_type():
    assert metrics.grounding_accuracy([RIGHT, NEAR, NO_MATCH, LEFT_OUT]) == 0.5
    assert metrics.grounding_accuracy([NO_MATCH]) is None


def test_step_efficiency_is_above_1_if_steps_were_wasted():
    assert metrics.step_efficiency([(4, 4), (6, 3)]) == 1.5
    assert metrics.step_efficiency([]) is None
