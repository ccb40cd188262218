"""Tests of an episode's properties that are derived from its steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import Finish, Impossible, Key, ModelCall, Step, Tap, Termination

if TYPE_CHECKING:
    from pytest_mobileagent import Action


@pytest.mark.parametrize(
    ("decisions", "steps", "actions", "answer"),
    [
        ([], 0, 0, ""),
        ([Finish("a")], 0, 0, "a"),
        ([Tap(1, 1), Key("back"), Finish("a")], 2, 2, "a"),
        ([Tap(1, 1), Impossible("why")], 1, 1, ""),
        ([Tap(1, 1)], 1, 1, ""),
        ([[], [Tap(1, 1), Tap(2, 2)]], 2, 2, ""),
        ([[Tap(1, 1), Finish("a")]], 1, 1, "a"),
    ],
)
def test_every_decision_except_a_report_is_a_step(make_episode, decisions, steps, actions, answer):
    episode = make_episode(*decisions)
    assert (episode.step_count, len(episode.actions)) == (steps, actions)
    assert episode.answer == answer


def test_rejected_report_is_a_step_without_answer(make_episode, make_screen):
    screens = (make_screen("a"), make_screen("b"))
    step = Step(screens[0], (Tap(1, 1), Tap(-1, 1), Finish("a")), notice="no", undone=2)
    episode = make_episode(screens=screens, steps=(step,))
    assert (episode.step_count, episode.actions) == (1, (Tap(1, 1),))
    assert (episode.answer, episode.report) == ("", None)
    assert not Step(screens[0], (Finish("\0"),), notice="no", undone=1).is_report


def test_screens_are_those_before_each_step_and_the_last(make_episode, tmp_path):
    episode = make_episode(Tap(1, 1), Tap(2, 2))
    assert [screen.texts for screen in episode.screens] == [("0",), ("1",), ("2",)]
    assert episode.screen is episode.screens[-1]
    assert make_episode(Tap(1, 1), Tap(2, 2), folder=tmp_path) == episode
    assert make_episode(Tap(1, 1), Tap(2, 1)) != episode


def test_prefix_is_the_episode_up_to_a_step(make_episode):
    actions: list[Action] = [Tap(1, 1), Tap(2, 2), Finish("done")]
    unused = (ModelCall("gpt"),)
    episode = make_episode(
        *actions, termination=Termination.SELF_REPORTED, error="none", unused=unused
    )
    for length in range(3):
        prefix = episode.prefix(length)
        assert [step.action for step in prefix.steps] == actions[:length]
        assert prefix.screen.texts == (str(length),)
        assert (prefix.termination, prefix.error) == (Termination.INTERRUPTED, "")
        assert (prefix.case, prefix.answer, prefix.calls) == (episode.case, "", ())
    assert episode.prefix(3) is episode
    assert episode.prefix(9) is episode


def test_calls_include_those_beyond_the_step_limit(make_episode, make_screen):
    screen = make_screen()
    calls = [ModelCall(str(n), input_tokens=n, price_usd=n / 4) for n in range(4)]
    steps = tuple(Step(screen, (Tap(1, 1),), calls=(call,)) for call in calls[:3])
    episode = make_episode(screens=(screen,), steps=steps, unused=(calls[3],))
    assert episode.calls == tuple(calls)
    assert (episode.totals.input_tokens, episode.totals.price_usd) == (6, 1.5)
    assert make_episode().totals.price_usd is None


def test_probes_are_read_after_the_last_step(make_episode, make_screen):
    screen = make_screen()
    steps = tuple(Step(screen, (Tap(1, 1),), probes={"n": n}) for n in (1, 2))
    episode = make_episode(screens=(screen,), steps=steps, initial_probes={"n": 0})
    assert [episode.prefix(n).probe("n") for n in range(3)] == [0, 1, 2]
    assert episode.initial_probe("n") == 0
    with pytest.raises(KeyError, match=r"no probe 'm' \(it has: n\)"):
        episode.probe("m")
    with pytest.raises(KeyError, match=r"it has: none"):
        make_episode().probe("m")
