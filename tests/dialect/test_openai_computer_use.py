from __future__ import annotations

import json
from typing import Any, get_args

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
from pytest_mobileagent.action.gestures import Direction, DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect.computer import json_value
from pytest_mobileagent.dialect.dialect import Decision, Frame
from pytest_mobileagent.dialect.errors import DialectError
from pytest_mobileagent.dialect.openai_computer_use import OpenAiComputerUse

# The picture was sent at half the screen's size.
PHONE = Frame((1080, 2400), shown=(540, 1200))
SMALL = Frame((560, 840))

X, Y = st.integers(0, 559), st.integers(0, 839)
ACTIONS = st.one_of(
    st.builds(Tap, X, Y),
    st.builds(DoubleTap, X, Y),
    st.builds(LongPress, X, Y),
    st.builds(Swipe, X, Y, X, Y),
    st.builds(Scroll, st.sampled_from(get_args(Direction)), st.tuples(X, Y)),
    st.builds(Type, st.text().filter(lambda text: not text.endswith("\n")), enter=st.booleans()),
    st.builds(Key, st.sampled_from(get_args(KeyName))),
    st.builds(Wait, st.floats(0, 60)),
    st.builds(Open, st.text()),
    st.builds(Ask, st.text()),
    st.builds(Finish, st.text()),
    st.builds(Impossible, st.text()),
)


def test_screenshot_request_is_a_signal() -> None:
    decision = OpenAiComputerUse().parse('{"type": "screenshot"}', PHONE)
    assert decision == Decision(signal="screenshot")
    assert OpenAiComputerUse().print(decision, PHONE) == '{"type": "screenshot"}'


@pytest.mark.parametrize(
    "decision",
    [
        Decision((Type("a", at=(1, 1)),)),
        Decision((Type("a", clear=True),)),
        Decision((Scroll("up"),)),
        Decision(signal="grid"),
    ],
)
def test_inexpressible_actions(decision: Decision) -> None:
    with pytest.raises(DialectError):
        OpenAiComputerUse().print(decision, SMALL)


@given(st.lists(ACTIONS, max_size=3), st.sampled_from(["", "screenshot"]))
def test_printed_actions_round_trip(actions: list[Action], signal: str) -> None:
    decision = Decision(tuple(actions), signal=signal)
    assert OpenAiComputerUse().parse(OpenAiComputerUse().print(decision, SMALL), SMALL) == decision


@given(X, Y, st.integers(-2000, 2000), st.integers(-2000, 2000))
def test_scrolling_stays_on_the_screen(x: int, y: int, across: int, down: int) -> None:
    said = {"type": "scroll", "x": x, "y": y, "scroll_x": across, "scroll_y": down}
    for action in OpenAiComputerUse().parse(json.dumps(said), SMALL).actions:
        if isinstance(action, Swipe):
            assert {action.x1, action.x2} <= set(range(560))
            assert {action.y1, action.y2} <= set(range(840))


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('I say: {"a": "b\nc"} and more', {"a": "b\nc"}),
        ("```json\n[1, 2]\n```", [1, 2]),
    ],
)
def test_json_is_found_in_text(words: str, value: Any) -> None:
    assert json_value(words) == value


@pytest.mark.parametrize("words", ["", "none", '{"a": ', "{a}", "[" * 9999])
def test_replies_without_json(words: str) -> None:
    with pytest.raises(DialectError):
        json_value(words)
