"""Tests of episodes as trajectories, and of actions in dialects that lack some action types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent import Finish, Key, LongPress, Open, Scroll, Swipe, Tap, Type
from pytest_mobileagent.action import Raw
from pytest_mobileagent.dataset import LeftOutError, spoken, trajectory_of
from pytest_mobileagent.dialect import (
    Aitz,
    AndroidControl,
    BMoca,
    Decision,
    DialectError,
    Frame,
    Qwen,
)
from tests.dataset.conftest import CLOCK, HOME, LIST, SIZE

if TYPE_CHECKING:
    from pytest_mobileagent import Action


def actions(dialect: Any, action: Action, screen: Any = LIST) -> list[Action]:
    return [each for each, _ in spoken(dialect, action, screen)]


def test_an_action_in_the_dialect_is_printed_unchanged():
    assert actions(Qwen(), Tap(5, 6)) == [Tap(5, 6)]
    assert actions(Qwen(), Open(CLOCK), HOME) == [Open(CLOCK)]


def test_a_field_is_tapped_before_it_is_typed_into():
    mobile_use = AndroidControl("mobile_use")
    typed = [Tap(9, 8), Type("Oslo"), Key("enter")]
    assert actions(mobile_use, Type("Oslo", at=(9, 8), enter=True)) == typed
    whole = Type("Oslo", at=(9, 8), enter=True)
    assert actions(AndroidControl(), whole) == [whole]


def test_replacing_text_is_not_printed_as_appending():
    with pytest.raises(DialectError):
        spoken(AndroidControl("mobile_use"), Type("Oslo", at=(9, 8), clear=True), LIST)


def test_scrolling_is_a_swipe_where_there_is_no_scrolling_and_the_other_way_round():
    assert actions(Qwen(), Scroll("up")) == [Swipe(540, 1800, 540, 600)]
    assert actions(Aitz(), Swipe(500, 1800, 560, 600)) == [Scroll("up")]
    with pytest.raises(DialectError):
        spoken(Aitz(), Swipe(100, 100, 900, 900), LIST)


def test_an_app_is_opened_by_its_icon_where_there_is_one():
    assert actions(BMoca(), Open(CLOCK), HOME) == [Tap(140, 2100)]
    with pytest.raises(DialectError):
        spoken(BMoca(), Open(CLOCK), LIST)


def test_inexpressible_answers_are_left_out():
    assert actions(Aitz(), Finish("6:30")) == [Finish()]
    assert actions(Qwen(), Finish("6:30")) == [Finish("6:30")]


@given(x=st.integers(0, SIZE[0] - 1), y=st.integers(0, SIZE[1] - 1), long=st.booleans())
def test_printed_actions_parse_to_the_same_actions(x, y, long):
    action = LongPress(x, y) if long else Tap(x, y)
    for dialect in (AndroidControl("mobile_use"), AndroidControl()):
        ((said, words),) = spoken(dialect, action, LIST)
        assert dialect.parse(words, Frame.of(LIST)) == Decision((said,))


def test_a_step_without_a_performed_action_is_dropped(make_episode):
    episode = make_episode(Tap(1, 2), [], Finish())
    whole = trajectory_of(episode, True, {"task": "t"})
    assert [each.action for each in whole.steps] == [Tap(1, 2), Finish()]


@pytest.mark.parametrize(
    ("decisions", "why"),
    [
        ([[Tap(1, 2), Tap(3, 4)]], "several actions"),
        ([Raw("am start")], "no canonical action"),
        ([[]], "nothing was done"),
    ],
)
def test_unsupported_steps_are_left_out_with_the_reason(make_episode, decisions, why):
    with pytest.raises(LeftOutError, match=why):
        trajectory_of(make_episode(*decisions), True, {})
