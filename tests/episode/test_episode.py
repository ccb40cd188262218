from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import (
    DoubleTap,
    Finish,
    Impossible,
    Key,
    LongPress,
    Open,
    Step,
    Swipe,
    Tap,
    Termination,
    Type,
    Usage,
)
from pytest_mobileagent.screen.explain import collect_misses

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent import Action, Episode, Screen


@pytest.fixture
def shop(make_screen: Callable[..., Screen]) -> Screen:
    return make_screen(
        {"text": "Lamp", "resource-id": "s:id/product", "bounds": "[0,0][100,50]"},
        {"text": "Torch", "resource-id": "s:id/product", "bounds": "[0,50][100,100]"},
        {"text": "", "bounds": "[0,100][100,100]"},
        package="com.shop",
    )


def told(misses: list[Any]) -> str:
    return "\n".join(explain() for explain in misses)


@pytest.mark.parametrize(
    ("actions", "count", "answer"),
    [
        ([], 0, ""),
        ([Finish("a")], 0, "a"),
        ([Tap(1, 1), Key("back"), Finish("a")], 2, "a"),
        ([Tap(1, 1), Impossible("why")], 1, ""),
        ([Tap(1, 1)], 1, ""),
    ],
)
def test_steps_are_actions_and_a_report_is_none(
    make_episode: Callable[..., Episode], actions: list[Action], count: int, answer: str
) -> None:
    episode = make_episode(*actions)
    assert episode.step_count == count
    assert episode.answer == answer


def test_screens_are_those_before_each_step_and_the_last(
    make_episode: Callable[..., Episode],
) -> None:
    episode = make_episode(Tap(1, 1), Tap(2, 2))
    assert [screen.texts for screen in episode.screens] == [("0",), ("1",), ("2",)]
    assert episode.screen is episode.screens[-1]


def test_a_prefix_is_the_episode_as_it_was_then(make_episode: Callable[..., Episode]) -> None:
    actions = [Tap(1, 1), Tap(2, 2), Finish("done")]
    episode = make_episode(*actions, termination=Termination.SELF_REPORTED, error="none")
    for length in range(3):
        prefix = episode.prefix(length)
        assert [step.action for step in prefix.steps] == actions[:length]
        assert prefix.screen.texts == (str(length),)
        assert (prefix.termination, prefix.error) == (Termination.INTERRUPTED, "")
        assert (prefix.task, prefix.answer) == (episode.task, "")
    assert episode.prefix(3) is episode
    assert episode.prefix(9) is episode


def test_usage_is_that_of_all_steps(make_episode: Callable[..., Episode], shop: Screen) -> None:
    steps = tuple(Step(shop, Tap(1, 1), usage=Usage(n, 10 * n, n / 4)) for n in range(4))
    assert make_episode(screens=(shop,), steps=steps).usage == Usage(6, 60, 1.5)
    assert make_episode().usage == Usage()


@pytest.mark.parametrize(
    "values", [(None,), (-1,), (1.5,), (1, "2"), (1, 2, float("nan")), (1, 2, float("inf"))]
)
def test_usage_that_cannot_be_added_up_is_refused(values: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match=r"Usage\(input_tokens=.*whole numbers from 0"):
        Usage(*values)


def test_probes_are_read_after_the_last_step(
    make_episode: Callable[..., Episode], shop: Screen
) -> None:
    steps = tuple(Step(shop, Tap(1, 1), probes={"n": n}) for n in (1, 2))
    episode = make_episode(screens=(shop,), steps=steps, initial_probes={"n": 0})
    assert [episode.prefix(n).probe("n") for n in range(3)] == [0, 1, 2]
    assert episode.initial_probe("n") == 0
    with pytest.raises(KeyError, match=r"no probe 'm' \(it has: n\)"):
        episode.probe("m")
    with pytest.raises(KeyError, match=r"it has: none"):
        make_episode().probe("m")


@pytest.mark.parametrize(
    ("action", "criteria", "hit"),
    [
        (Tap(50, 60), {"text": "Torch"}, True),
        (LongPress(0, 50), {"text": "Torch"}, True),
        (DoubleTap(99, 99), {"text": "Torch"}, True),
        (Tap(50, 100), {"text": "Torch"}, False),
        (Tap(50, 49), {"text": "Torch"}, False),
        (Tap(50, 10), {"resource_id": "product"}, True),
        (Tap(50, 100), {"text": ""}, False),
        (Swipe(50, 60, 50, 61), {"text": "Torch"}, False),
        (Type("a", at=(50, 60)), {"text": "Torch"}, False),
        (Tap(50, 10), {"text": "Fan"}, False),
    ],
)
def test_a_tap_hits_what_it_is_inside_of(
    make_episode: Callable[..., Episode],
    shop: Screen,
    action: Action,
    criteria: dict[str, Any],
    hit: bool,
) -> None:
    assert make_episode(action, screens=(shop, shop)).tapped(**criteria) is hit


def test_a_tap_hits_what_a_function_finds_on_the_screen_that_the_agent_saw(
    make_episode: Callable[..., Episode], make_screen: Callable[..., Screen], shop: Screen
) -> None:
    episode = make_episode(Key("back"), Tap(50, 60), screens=(make_screen(), shop, make_screen()))
    assert episode.tapped(lambda screen: screen.find_all(resource_id="product")[1])
    assert not episode.tapped(lambda screen: screen.find_all(resource_id="product")[0])
    assert not episode.tapped(lambda screen: screen.find_all(resource_id="none")[0])
    assert not episode.tapped(lambda screen: screen.find(resource_id="none"))
    assert not episode.tapped(lambda screen: screen.get(text="none").children[0])


def test_what_was_tapped_instead_is_told(
    make_episode: Callable[..., Episode], shop: Screen
) -> None:
    episode = make_episode(Tap(50, 60), Tap(50, 150), screens=(shop, shop, shop))
    with collect_misses() as misses:
        episode.tapped(text="Lam")
    assert told(misses).splitlines() == [
        "no tap hit text='Lam' in 2 steps",
        f"  instead: step 1, (50, 60), on {shop.find(text='Torch').describe()}",
        "  instead: step 2, (50, 150), on nothing",
        "  at last, nothing on the screen of com.shop has text='Lam'",
        "  closest: <element text='Lamp' resource_id='s:id/product' at [0,0][100,50]>",
    ]


def test_asking_for_a_tap_on_nothing_is_an_error_even_without_taps(
    make_episode: Callable[..., Episode],
) -> None:
    with pytest.raises(TypeError, match="nothing to look for"):
        make_episode().tapped()


def test_what_was_typed_is_compared_with_plain_spaces(
    make_episode: Callable[..., Episode],
) -> None:
    episode = make_episode(Type("at\u00a09 "), Type("bread"))
    assert episode.typed("at 9")
    with collect_misses() as misses:
        assert not episode.typed("brea")
    assert told(misses) == (
        "'brea' was not typed in 2 steps\n  instead: 'at\\xa09 '\n  instead: 'bread'"
    )


def test_an_app_was_opened_if_it_was_shown(
    make_episode: Callable[..., Episode], make_screen: Callable[..., Screen], shop: Screen
) -> None:
    home = make_screen(package="com.home")
    episode = make_episode(Open("com.gone"), Tap(1, 1), screens=(home, home, shop))
    assert episode.opened("com.shop")
    with collect_misses() as misses:
        assert not episode.opened("com.gone")
    assert told(misses).splitlines()[1:] == [
        "  instead: com.home",
        "  instead: com.shop",
    ]


def test_what_was_seen_on_any_screen_was_seen(
    make_episode: Callable[..., Episode], make_screen: Callable[..., Screen], shop: Screen
) -> None:
    episode = make_episode(Tap(1, 1), Tap(1, 1), screens=(make_screen(), shop, make_screen("Tor")))
    with collect_misses() as misses:
        assert episode.saw(text="Torch")
        assert not misses
        assert not episode.saw(text="Torches")
    assert told(misses).splitlines() == [
        "no screen had text='Torches' in 2 steps",
        "  at last, nothing on the screen of ? has text='Torches'",
        "  closest: <element text='Tor' at [0,0][0,0]>",
    ]


def test_episodes_are_equal_wherever_they_are_recorded(
    make_episode: Callable[..., Episode], tmp_path: Any
) -> None:
    assert make_episode(Tap(1, 1), folder=tmp_path) == make_episode(Tap(1, 1))
    assert make_episode(Tap(1, 1)) != make_episode(Tap(1, 2))
