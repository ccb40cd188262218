"""When a task was first done: the question asked of each prefix of its episode."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import Finish, Tap
from pytest_mobileagent.check.prefixes import first_success

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent import Action, Episode

TAPS = [Tap(1, 1), Tap(2, 2), Tap(3, 3)]


@pytest.mark.parametrize(
    ("actions", "sought", "after"),
    [
        ([*TAPS, Finish()], "0", 0),
        ([*TAPS, Finish()], "2", 2),
        ([*TAPS, Finish()], "3", 3),
        (TAPS, "3", 3),
        ([*TAPS, Finish()], "9", None),
        ([], "0", 0),
    ],
)
def test_the_first_success_counts_the_steps_before_the_screen_that_shows_it(
    make_episode: Callable[..., Episode], actions: list[Action], sought: str, after: int | None
) -> None:
    def holds(episode: Episode) -> bool:
        return bool(episode.screen.find(text=sought))

    episode = make_episode(*actions)
    assert first_success(holds, episode, whole=holds(episode)) == after


def test_an_answer_is_what_makes_it_hold_but_no_step(make_episode: Callable[..., Episode]) -> None:
    def holds(episode: Episode) -> bool:
        return episode.answers("42")

    assert first_success(holds, make_episode(*TAPS, Finish("42")), whole=True) == 3
    assert first_success(holds, make_episode(Finish("42")), whole=True) == 0


def test_a_success_counts_even_if_it_is_undone(make_episode: Callable[..., Episode]) -> None:
    def holds(episode: Episode) -> bool:
        return len(episode.steps) == 1

    assert first_success(holds, make_episode(*TAPS), whole=False) == 1


def test_each_prefix_is_asked_once_and_the_whole_not_again(
    make_episode: Callable[..., Episode],
) -> None:
    asked: list[int] = []

    def holds(episode: Episode) -> bool:
        asked.append(len(episode.steps))
        return False

    assert first_success(holds, make_episode(*TAPS, Finish()), whole=True) == 3
    assert asked == [0, 1, 2, 3]
