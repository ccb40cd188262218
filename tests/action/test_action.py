"""Tests of actions as data: their JSON, their text, and which of them end an episode."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action import (
    ACTIONS,
    Action,
    Ask,
    Finish,
    Impossible,
    Key,
    KeyName,
    Open,
    Raw,
    Type,
    Wait,
    ends_episode,
    from_json,
    to_json,
)
from pytest_mobileagent.action.gestures import Direction, DoubleTap, LongPress, Scroll, Swipe, Tap

PIXELS = st.integers()
SECONDS = st.floats(0, 60)
AT = st.none() | st.tuples(PIXELS, PIXELS)
TEXT = st.text()
EVERY_ACTION = {
    Tap: st.builds(Tap, PIXELS, PIXELS),
    LongPress: st.builds(LongPress, PIXELS, PIXELS, SECONDS),
    DoubleTap: st.builds(DoubleTap, PIXELS, PIXELS),
    Swipe: st.builds(Swipe, PIXELS, PIXELS, PIXELS, PIXELS, SECONDS),
    Scroll: st.builds(Scroll, st.sampled_from(get_args(Direction)), AT),
    Type: st.builds(Type, TEXT, AT, st.booleans(), st.booleans()),
    Key: st.builds(Key, st.sampled_from(get_args(KeyName))),
    Open: st.builds(Open, TEXT),
    Wait: st.builds(Wait, SECONDS),
    Ask: st.builds(Ask, TEXT),
    Finish: st.builds(Finish, TEXT),
    Impossible: st.builds(Impossible, TEXT),
    Raw: st.builds(Raw, TEXT),
}


def test_every_action_is_among_those_that_are_tested() -> None:
    assert set(EVERY_ACTION) == set(ACTIONS)


@given(st.one_of(*EVERY_ACTION.values()))
def test_actions_survive_a_journey_as_json(action: Action) -> None:
    assert from_json(json.loads(json.dumps(to_json(action)))) == action


@given(st.one_of(*EVERY_ACTION.values()))
def test_only_reports_end_an_episode(action: Action) -> None:
    assert ends_episode(action) is (type(action).__name__ in {"Finish", "Impossible"})


def test_an_action_is_written_by_its_name_and_fields() -> None:
    assert to_json(Type("a", at=(1, 2), enter=True)) == {
        "action": "Type",
        "text": "a",
        "at": (1, 2),
        "clear": False,
        "enter": True,
    }


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"action": "Jump", "height": 3},
        {"action": ["Tap"]},
        {"action": "Tap", "x": 1},
        {"action": "Tap", "x": 1, "y": 2, "z": 3},
    ],
)
def test_an_action_of_a_newer_version_is_kept_unchanged(data: dict[str, Any]) -> None:
    action = from_json(data)
    assert isinstance(action, Raw)
    assert json.loads(action.command) == data
