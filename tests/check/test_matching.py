"""Tests of matching an episode's actions with golden ones, and of the result for a test body."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_mobileagent import Bounds, Finish, Swipe, Tap, Type, check
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.screen.explain import collect_misses


@pytest.fixture
def form(make_screen):
    return make_screen(
        {"text": "Name", "resource-id": "s:id/name", "bounds": "[0,0][100,50]"},
        {"text": "Save", "resource-id": "s:id/save", "bounds": "[0,150][100,200]"},
        package="com.shop",
    )


def test_each_action_is_compared_with_the_golden_action_of_its_step(make_episode, form):
    episode = make_episode(
        [Tap(99, 1), Type("Oslo")], Tap(0, 199), Finish(), screens=(form, form, form, form)
    )
    golden: list[Any] = [
        lambda screen: screen.get(text="Name"),
        Type("Oslo"),
        lambda screen: check.Golden.tap(screen.get(resource_id="save"), screen.size),
        Finish(),
    ]
    found = check.matches(check.androidcontrol, episode, golden)
    assert found == [check.Match(type=True, exact=True)] * 4
    # Later actions are not compared.
    assert check.matches(check.odyssey, episode, golden[:1]) == found[:1]
    strict = check.matches(check.androidcontrol, episode, golden, scorer="os-atlas")
    assert [match.exact for match in strict] == [False, True, False, True]


def test_missing_actions_and_missing_elements_match_nothing(make_episode, form):
    episode = make_episode(Tap(1, 1), Tap(1, 1), screens=(form, form, form))
    nothing = check.Match(type=False, exact=False)
    golden: list[Any] = [
        lambda screen: screen.get(text="Cancel"),
        lambda screen: screen.find(text="Cancel"),
        Tap(1, 1),
    ]
    with collect_misses() as misses:
        assert check.matches(check.aitw, episode, golden) == [nothing] * 3
    assert misses[-1]() == "golden action 3: the episode has only 2"


def test_mismatch_shows_what_was_compared():
    boxes = tuple(Bounds(n, n, n + 1, n + 1) for n in range(5))
    golden = check.Golden(Tap(50, 50), (100, 200), boxes)
    with collect_misses() as misses:
        check.aitw(Tap(99, 199), golden)
        check.aitw(Type("a"), golden)
    assert misses[0]().splitlines() == [
        "AITW: Tap(x=99, y=199) is of the same type, but different from Tap(x=50, y=50)",
        "  on a screen of 100x200",
        "  box: (0, 0, 1, 1)",
        "  box: (1, 1, 2, 2)",
        "  box: (2, 2, 3, 3)",
        "  and 2 more boxes",
    ]
    assert "is of a different type from" in misses[1]()


def test_golden_action_needs_the_size_of_its_screen():
    with pytest.raises(TaskError, match="needs the size of its screen"):
        check.aitw(Tap(1, 1), Swipe(1, 1, 2, 2))
    with pytest.raises(TaskError, match="is not a golden action"):
        check.aitw(Tap(1, 1), (1, 1), size=(10, 10))  # type: ignore[arg-type]
