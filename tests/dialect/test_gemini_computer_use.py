from __future__ import annotations

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import (
    Action,
    Ask,
    Finish,
    Impossible,
    Key,
    KeyName,
    Open,
    Type,
    Wait,
)
from pytest_mobileagent.action.gestures import Direction, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect.dialect import Decision, Frame
from pytest_mobileagent.dialect.errors import DialectError
from pytest_mobileagent.dialect.gemini_computer_use import Environment, GeminiComputerUse

SMALL = Frame((560, 840))
X, Y = st.integers(0, 559), st.integers(0, 839)
BOTH = st.one_of(
    st.builds(Tap, X, Y),
    st.builds(LongPress, X, Y, st.floats(0, 60)),
    st.builds(Swipe, X, Y, X, Y),
    st.builds(Key, st.sampled_from(get_args(KeyName))),
    st.builds(Open, st.text()),
    st.builds(Ask, st.text()),
    st.builds(Finish, st.text()),
    st.builds(Impossible, st.text()),
)
AT = st.tuples(X, Y)
ACTIONS: dict[Environment, st.SearchStrategy[Action]] = {
    "mobile": BOTH
    | st.builds(Type, st.text(), enter=st.booleans())
    | st.builds(Wait, st.floats(0, 60)),
    "browser": BOTH
    | st.builds(Type, st.text(), AT, st.booleans(), st.booleans())
    | st.builds(Scroll, st.sampled_from(get_args(Direction)), st.none() | AT)
    | st.just(Wait(5.0)),
}


@pytest.mark.parametrize("environment", ACTIONS)
@given(st.data())
def test_printed_actions_round_trip(environment: Environment, data: st.DataObject) -> None:
    dialect = GeminiComputerUse(environment)
    signals = ["", "screenshot", "list_apps"] if environment == "mobile" else [""]
    actions = data.draw(st.lists(ACTIONS[environment], max_size=3))
    decision = Decision(tuple(actions), signal=data.draw(st.sampled_from(signals)))
    assert dialect.parse(dialect.print(decision, SMALL), SMALL) == decision


@pytest.mark.parametrize(
    ("environment", "decision"),
    [
        ("mobile", Decision((Scroll("up"),))),
        ("mobile", Decision((Type("a", at=(1, 1)),))),
        ("mobile", Decision((Type("a", clear=True),))),
        ("mobile", Decision(signal="grid")),
        ("browser", Decision((Type("a"),))),
        ("browser", Decision((Wait(1.0),))),
        ("browser", Decision(signal="list_apps")),
    ],
)
def test_inexpressible_actions(environment: Environment, decision: Decision) -> None:
    with pytest.raises(DialectError):
        GeminiComputerUse(environment).print(decision, SMALL)


@given(X, Y, st.sampled_from(get_args(Direction)), st.integers(0, 3000))
def test_scrolling_stays_on_the_screen(x: int, y: int, direction: str, magnitude: int) -> None:
    given = {"x": x, "y": y, "direction": direction, "magnitude": magnitude}
    words = json.dumps({"name": "scroll_at", "arguments": given})
    for action in GeminiComputerUse().parse(words, SMALL).actions:
        if isinstance(action, Swipe):
            assert {action.x1, action.x2} <= set(range(560))
            assert {action.y1, action.y2} <= set(range(840))
