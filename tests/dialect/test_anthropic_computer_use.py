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
from pytest_mobileagent.dialect.anthropic_computer_use import AnthropicComputerUse, Version
from pytest_mobileagent.dialect.dialect import Decision, Frame
from pytest_mobileagent.dialect.errors import DialectError

# The picture was sent at half the screen's size.
PHONE = Frame((1080, 2400), shown=(540, 1200))
SMALL = Frame((560, 840))
VERSIONS: list[Version] = ["20241022", "20250124", "20251124", "20260801"]

X, Y = st.integers(0, 559), st.integers(0, 839)
OLD = st.one_of(
    st.builds(Tap, X, Y),
    st.builds(DoubleTap, X, Y),
    st.builds(LongPress, X, Y),
    st.builds(Swipe, X, Y, X, Y),
    st.builds(Type, st.text().filter(lambda text: not text.endswith("\n")), enter=st.booleans()),
    st.builds(Key, st.sampled_from(get_args(KeyName))),
    st.builds(Open, st.text()),
    st.builds(Ask, st.text()),
    st.builds(Finish, st.text()),
    st.builds(Impossible, st.text()),
)
ACTIONS = {
    "20241022": OLD,
    "20250124": OLD
    | st.builds(Scroll, st.sampled_from(get_args(Direction)), st.tuples(X, Y))
    | st.builds(Wait, st.floats(0, 60)),
}
ACTIONS["20251124"] = ACTIONS["20260801"] = ACTIONS["20250124"]


def test_mouse_position_persists_between_steps() -> None:
    dialect = AnthropicComputerUse("20241022")
    dialect = dialect.after('{"action": "mouse_move", "coordinate": [270, 300]}')
    assert dialect.parse('{"action": "left_click"}', PHONE).actions == (Tap(540, 600),)
    drag = '{"action": "left_click_drag", "coordinate": [270, 100]}'
    assert dialect.parse(drag, PHONE).actions == (Swipe(540, 600, 540, 200),)


@pytest.mark.parametrize(
    ("between", "action"),
    [
        ([{"action": "mouse_move", "coordinate": [270, 100]}], Swipe(540, 600, 540, 200)),
        ([], LongPress(540, 600, 1.0)),
        ([{"action": "wait", "duration": 3}], LongPress(540, 600, 3.0)),
    ],
)
def test_mouse_down_and_up_are_one_gesture(between: list[dict[str, Any]], action: Action) -> None:
    moves = [{"action": "mouse_move", "coordinate": [270, 300]}, {"action": "left_mouse_down"}]
    up = {"action": "left_mouse_up"}
    words = json.dumps([*moves, *between, up])
    assert AnthropicComputerUse().parse(words, PHONE).actions == (action,)
    dialect = AnthropicComputerUse().after(json.dumps([*moves, *between]))
    later = dialect.parse(json.dumps(up), PHONE).actions
    assert [type(each) for each in later] == [type(action)]


@pytest.mark.parametrize("signal", ["screenshot", "cursor_position", "zoom"])
def test_screenshot_request_is_a_signal(signal: str) -> None:
    words = json.dumps({"action": signal})
    decision = AnthropicComputerUse().parse(words, PHONE)
    assert decision == Decision(signal=signal)
    assert AnthropicComputerUse().print(decision, PHONE) == words


@pytest.mark.parametrize(
    ("version", "decision"),
    [
        ("20251124", Decision((Type("a", at=(1, 1)),))),
        ("20251124", Decision(signal="grid")),
        ("20241022", Decision((Scroll("up", (1, 1)),))),
        ("20241022", Decision((Wait(),))),
    ],
)
def test_inexpressible_actions(version: Version, decision: Decision) -> None:
    with pytest.raises(DialectError):
        AnthropicComputerUse(version).print(decision, SMALL)


@pytest.mark.parametrize("version", VERSIONS)
@given(st.data())
def test_printed_actions_round_trip(version: Version, data: st.DataObject) -> None:
    actions = data.draw(st.lists(ACTIONS[version], max_size=3))
    decision = Decision(tuple(actions), signal=data.draw(st.sampled_from(["", "screenshot"])))
    dialect = AnthropicComputerUse(version)
    assert dialect.parse(dialect.print(decision, SMALL), SMALL) == decision


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
