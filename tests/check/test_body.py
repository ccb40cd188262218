"""Tests of a body as a predicate over an episode, without pytest, and of its sub-goals."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_mobileagent import Finish, Tap
from pytest_mobileagent.check.body import Held, SubGoalError, SubGoals, collect_subgoals, evaluate
from pytest_mobileagent.episode import Termination
from pytest_mobileagent.errors import TaskError, UndecidedError
from pytest_mobileagent.screen.explain import collect_misses


def milk(episode, word):
    with episode.subgoal("tapped"):
        assert episode.tapped(text="Milk")
    with episode.subgoal("answered", weight=3):
        assert episode.answer == word, f"not {word}"


def returns(episode):
    return bool(episode.steps)


def breaks(episode):
    assert episode.screen.find(text="nothing like this").text


def answers(episode):
    assert episode.answers("Acme")


@pytest.fixture
def episode(make_episode):
    return make_episode(Tap(1, 1), Finish("42"))


def test_a_body_that_holds_has_no_reason(episode):
    assert evaluate(lambda episode: None, {}, episode) == Held(held=True)


def test_a_body_that_does_not_hold_says_why_and_what_share_was_done(episode):
    found = evaluate(milk, {"word": "42"}, episode)
    assert (found.held, found.credit) == (False, 0.75)
    assert "tapped" in found.reason


@pytest.mark.parametrize(("after_error", "held"), [(False, False), (True, True)])
def test_the_agent_s_error_fails_an_episode_unless_the_task_says_otherwise(
    episode, after_error, held
):
    episode = replace(episode, termination=Termination.AGENT_ERROR, error="it crashed")
    found = evaluate(lambda episode: None, {}, episode, after_error=after_error)
    assert found.held is held
    assert found.reason == ("" if held else "it crashed")


@pytest.mark.parametrize(
    ("body", "why"),
    [(returns, "a body must use assert"), (breaks, "its body raised AttributeError: 'NoneType'")],
)
def test_a_body_that_cannot_decide_is_the_task_s_fault(episode, body, why):
    with pytest.raises(TaskError, match=why):
        evaluate(body, {}, episode)


def test_an_unclear_answer_is_undecided(make_episode):
    said = "It's Acme Ltd. I also saw Tidewater in the list."
    with pytest.raises(UndecidedError):
        evaluate(answers, {}, make_episode(Finish(said), goal="Which company made the lamp?"))


def body(episode, *, first: str, second: str) -> None:
    with episode.subgoal("one", weight=2):
        assert episode.screen.find(text=first)
    with episode.subgoal("two"):
        assert episode.screen.find(text=second), f"no {second}"


@pytest.mark.parametrize(
    ("first", "second", "held", "credit"),
    [
        ("0", "0", [True, True], 1),
        ("0", "1", [True, False], 2 / 3),
        ("1", "0", [False, True], 1 / 3),
        ("1", "1", [False, False], 0),
    ],
)
def test_all_sub_goals_are_evaluated_and_weighted(make_episode, first, second, held, credit):
    with collect_subgoals() as subgoals:
        body(make_episode(), first=first, second=second)
    assert [each.held for each in subgoals.asked] == held
    assert subgoals.partial_credit == pytest.approx(credit)


def test_failed_sub_goals_fail_the_body_at_its_end(make_episode):
    with collect_subgoals() as subgoals:
        body(make_episode(), first="0", second="1")
    with pytest.raises(SubGoalError, match="1 of 2 sub-goals did not hold: two: no 1") as raised:
        subgoals.settle()
    assert raised.value.__cause__ is subgoals.error


def test_sub_goals_that_held_do_not_fail_the_body(make_episode):
    with collect_subgoals() as subgoals:
        body(make_episode(), first="0", second="0")
    subgoals.settle()
    assert subgoals.complete


def test_without_a_collector_the_first_failed_sub_goal_ends_the_body(make_episode):
    body(make_episode(), first="0", second="0")
    with pytest.raises(AssertionError, match="no 1"):
        body(make_episode(), first="0", second="1")


def test_without_sub_goals_there_is_no_credit():
    assert SubGoals().partial_credit is None
    SubGoals().settle()


@pytest.mark.parametrize("weight", [0, -1, float("inf"), float("nan"), True, "2", None])
def test_weight_must_be_a_positive_number(make_episode, weight):
    asked = make_episode().subgoal("one", weight=weight)
    with pytest.raises(TaskError, match="must be a number above 0"), asked:
        pass


@pytest.mark.parametrize("name", ["", " ", None, 3])
def test_name_must_be_text(make_episode, name):
    with pytest.raises(TaskError, match="needs a name in words"), make_episode().subgoal(name):
        pass


def test_two_sub_goals_with_one_name_are_an_error(make_episode):
    with collect_subgoals():
        with make_episode().subgoal("one"):
            pass
        again = make_episode().subgoal("one")
        with pytest.raises(TaskError, match="two sub-goals are named 'one'"), again:
            pass


def test_nested_sub_goals_are_an_error(make_episode):
    inner, outer = make_episode().subgoal("in"), make_episode().subgoal("out")
    refused = pytest.raises(TaskError, match="'in' is inside 'out'")
    with collect_subgoals(), outer, refused, inner:
        pass


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt(), pytest.fail.Exception()])
def test_any_error_except_an_assertion_ends_the_body(make_episode, error):
    asked = make_episode().subgoal("one")
    with collect_subgoals() as subgoals, pytest.raises(type(error)), asked:
        raise error
    assert [(each.held, each.reason) for each in subgoals.asked] == [
        (False, "it was not evaluated completely")
    ]
    assert not subgoals.complete


def test_nested_collectors_stay_separate(make_episode):
    one, again = make_episode().subgoal("one"), make_episode().subgoal("one")
    with collect_subgoals() as outer, one, collect_subgoals() as inner, again:
        pass
    assert [len(outer.asked), len(inner.asked)] == [1, 1]


def test_only_misses_of_failed_sub_goals_are_kept(make_episode):
    with collect_subgoals(), collect_misses() as misses:
        with make_episode().subgoal("held"):
            assert make_episode().screen.find(text="1") is None
        assert not misses
        with make_episode().subgoal("failed"):
            assert make_episode().screen.find(text="1")
    assert len(misses) == 1


def test_reason_is_one_line_of_limited_length(make_episode):
    with collect_subgoals() as subgoals:
        with make_episode().subgoal("one"):
            raise AssertionError("a\n b" + 1000 * "c")
        with make_episode().subgoal("two"):
            raise AssertionError
    one, two = subgoals.asked
    assert one.reason.startswith("a bccc")
    assert len(one.reason) == 300
    assert two.reason == "it does not hold"
