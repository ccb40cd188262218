from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from pytest_mobileagent import Finish, Tap
from pytest_mobileagent.check.prefixes import first_success, holds

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent import Action, Episode


def throw(error: BaseException) -> Callable[[Any], NoReturn]:
    def body(episode: Any) -> NoReturn:
        raise error

    return body


@pytest.mark.parametrize(
    "error",
    [
        AssertionError(),
        IndexError(),
        KeyError("probe"),
        SystemExit(0),
        pytest.fail.Exception("no"),
        pytest.skip.Exception("not here"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_body_that_raises_does_not_hold(
    make_episode: Callable[..., Episode], error: BaseException
) -> None:
    assert not holds(throw(error), make_episode())
    assert first_success(throw(error), make_episode(Tap(1, 1))) is None


@pytest.mark.parametrize("value", [None, True, False, 0])
def test_a_body_that_returns_holds_whatever_it_returns(
    make_episode: Callable[..., Episode], value: object
) -> None:
    assert holds(lambda _: value, make_episode())


def test_ctrl_c_is_no_opinion(make_episode: Callable[..., Episode]) -> None:
    with pytest.raises(KeyboardInterrupt):
        holds(throw(KeyboardInterrupt()), make_episode())


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
    def body(episode: Episode) -> None:
        assert episode.screen.find(text=sought)

    assert first_success(body, make_episode(*actions)) == after


def test_an_answer_is_what_makes_a_body_hold_but_no_step(
    make_episode: Callable[..., Episode],
) -> None:
    def body(episode: Episode) -> None:
        assert episode.answers("42")

    assert first_success(body, make_episode(*TAPS, Finish("42"))) == 3
    assert first_success(body, make_episode(Finish("42"))) == 0


def test_a_success_counts_even_if_it_is_undone(make_episode: Callable[..., Episode]) -> None:
    def body(episode: Episode) -> None:
        assert len(episode.steps) == 1

    episode = make_episode(*TAPS)
    assert first_success(body, episode) == 1
    assert not holds(body, episode)
