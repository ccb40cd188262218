from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent import Ask, Finish, Step, Tap, Wait
from pytest_mobileagent.report.metrics.effects import invalid, no_effect, repeated
from pytest_mobileagent.report.result import measures, progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent import Episode, Screen

    MakeEpisode = Callable[..., Episode]
    MakeScreen = Callable[..., Screen]

A, B = Tap(1, 1), Tap(2, 2)


def test_a_step_without_effect_leaves_tree_and_picture_as_they_were(
    make_episode: MakeEpisode, make_screen: MakeScreen
) -> None:
    one, other = make_screen("one"), make_screen("other")
    episode = make_episode(A, A, B, screens=(one, one, other, one))
    assert no_effect(episode) == [True, False, False]


def test_waiting_asking_and_reporting_are_no_acts_that_could_have_one(
    make_episode: MakeEpisode, make_screen: MakeScreen
) -> None:
    same = make_screen("same")
    episode = make_episode(Wait(1), Ask("?"), [A, Finish()], screens=(same,) * 4)
    assert no_effect(episode) == [False, False, False]  # after a report nothing is seen
    assert repeated(make_episode(Wait(1), Wait(1), screens=(same,) * 3)) == [False, False]


def test_a_repeated_step_does_the_same_on_the_same_screen_however_long_ago(
    make_episode: MakeEpisode, make_screen: MakeScreen
) -> None:
    one, other = make_screen("one"), make_screen("other")
    episode = make_episode(A, A, [A, B], A, screens=(one, other, one, one, other))
    assert repeated(episode) == [False, False, False, True]


def test_what_could_not_be_done_is_invalid_and_neither_of_the_others(
    make_episode: MakeEpisode, make_screen: MakeScreen
) -> None:
    same = make_screen("same")
    beyond = Step(same, (Tap(9999, 1),), notice="beyond the screen", undone=1)
    mute = Step(same, notice="no action could be made out of what you said")
    episode = make_episode(screens=(same,), steps=(beyond, beyond, mute))
    assert invalid(episode) == 3
    assert no_effect(episode) == repeated(episode) == [False] * 3
    measured = measures(episode, False, None)
    assert measured["invalid_actions"] == 3


def test_latency_is_what_the_agent_and_the_phone_take_for_an_action(
    make_episode: MakeEpisode, make_screen: MakeScreen
) -> None:
    step = Step(make_screen("a"), (A, B), seconds_thinking=3.0, seconds_acting=1.0)
    episode = make_episode(screens=(make_screen("a"),), steps=(step, step), seconds=60.0)
    assert measures(episode, True, None)["latency"] == 2.0  # not our own 52 seconds
    assert measures(make_episode(Finish()), True, None)["latency"] is None


def test_progress_counts_what_held_on_the_way() -> None:
    def subgoal(weight: float, held: bool, first: int | None) -> dict[str, object]:
        return {"name": "a", "weight": weight, "held": held, "first_step": first}

    lost, never, kept = subgoal(2, False, 3), subgoal(1, False, None), subgoal(1, True, None)
    assert progress([lost, never, kept]) == 0.75
    assert progress([]) is progress(None) is None
