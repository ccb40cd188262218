"""Tests of a body as a predicate over an episode, without pytest."""

from dataclasses import replace

import pytest

from pytest_mobileagent import Finish, Tap
from pytest_mobileagent.check.body import Held, evaluate
from pytest_mobileagent.episode import Termination
from pytest_mobileagent.errors import TaskError, UndecidedError


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
