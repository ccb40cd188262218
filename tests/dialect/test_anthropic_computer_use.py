from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import (
    Action,
    Ask,
    Direction,
    DoubleTap,
    Finish,
    Impossible,
    Key,
    KeyName,
    LongPress,
    Open,
    Scroll,
    Swipe,
    Tap,
    Type,
    Wait,
)
from pytest_mobileagent.dialect.anthropic_computer_use import AnthropicComputerUse, Version
from pytest_mobileagent.dialect.dialect import Decision, DialectError, Frame

# The picture was sent at half the screen's size.
PHONE = Frame((1080, 2400), shown=(540, 1200))
SMALL = Frame((560, 840))
VERSIONS: list[Version] = ["20241022", "20250124", "20251124"]

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
ACTIONS["20251124"] = ACTIONS["20250124"]


@pytest.mark.parametrize(
    ("said", "actions"),
    [
        ({"action": "left_click", "coordinate": [270, 300]}, [Tap(540, 600)]),
        ({"action": "left_click", "coordinate": [270, 300], "text": "shift"}, [Tap(540, 600)]),
        ({"action": "right_click", "coordinate": [270, 300]}, [LongPress(540, 600)]),
        ({"action": "double_click", "coordinate": [270, 300]}, [DoubleTap(540, 600)]),
        ({"action": "triple_click", "coordinate": [270, 300]}, None),
        ({"action": "middle_click", "coordinate": [270, 300]}, None),
        ({"action": "left_click", "coordinate": [541, 300]}, None),
        ({"action": "left_click", "coordinate": "here"}, None),
        ({"action": "left_click"}, None),
        (
            {"action": "left_click_drag", "start_coordinate": [270, 600], "coordinate": [0, 300]},
            [Swipe(540, 1200, 0, 600)],
        ),
        ({"action": "left_click_drag", "coordinate": [0, 300]}, None),
        ({"action": "left_mouse_up", "coordinate": [0, 300]}, None),
        (
            {"action": "scroll", "coordinate": [270, 600], "scroll_direction": "down"}
            | {"scroll_amount": 3},
            [Scroll("up", (540, 1200))],
        ),
        (
            {"action": "scroll", "coordinate": [270, 600], "scroll_direction": "left"}
            | {"scroll_amount": 10},
            [Scroll("right", (540, 1200)), Scroll("right", (540, 1200))],
        ),
        ({"action": "scroll", "scroll_direction": "up", "scroll_amount": 5}, [Scroll("down")]),
        ({"action": "scroll", "scroll_direction": "up", "scroll_amount": 0}, []),
        ({"action": "scroll", "scroll_direction": "in", "scroll_amount": 5}, None),
        ({"action": "type", "text": "a b"}, [Type("a b")]),
        ({"action": "type", "text": "a b\n"}, [Type("a b", enter=True)]),
        ({"action": "type"}, None),
        ({"action": "key", "text": "Return"}, [Key("enter")]),
        ({"action": "key", "text": "BackSpace"}, [Key("delete")]),
        ({"action": "key", "text": "ctrl+a"}, None),
        ({"action": "key", "text": "F5"}, None),
        ({"action": "hold_key", "text": "a", "duration": 1}, None),
        ({"action": "wait", "duration": 2}, [Wait(2)]),
        ({"action": "wait", "duration": "long"}, None),
        ({"name": "computer", "input": {"action": "wait", "duration": 2}}, [Wait(2)]),
        ({"name": "back", "input": {}}, [Key("back")]),
        ({"name": "home", "input": {}}, [Key("home")]),
        ({"name": "open_app", "input": {"name": "Clock"}}, [Open("Clock")]),
        ({"name": "open_app", "arguments": {"name": "Clock"}}, [Open("Clock")]),
        ({"name": "long_press", "input": {"x": 270, "y": 300}}, [LongPress(540, 600)]),
        ({"name": "ask_user", "input": {"question": "Which?"}}, [Ask("Which?")]),
        ({"name": "give_up", "input": {"reason": "no app"}}, [Impossible("no app")]),
        ({"type": "message", "content": "It is 7:00."}, [Finish("It is 7:00.")]),
        ({"action": "fly"}, None),
        ({"action": 7}, None),
        ({}, None),
    ],
)
def test_actions_of_models(said: dict[str, Any], actions: list[Action] | None) -> None:
    words = json.dumps(said)
    if actions is None:
        with pytest.raises(DialectError) as raised:
            AnthropicComputerUse().parse(words, PHONE)
        assert raised.value.words == words
    else:
        assert AnthropicComputerUse().parse(words, PHONE) == Decision(tuple(actions))


def test_click_without_coordinate_uses_the_mouse_position() -> None:
    words = '[{"action": "mouse_move", "coordinate": [270, 300]}, {"action": "left_click"}]'
    assert AnthropicComputerUse("20241022").parse(words, PHONE).actions == (Tap(540, 600),)


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


def test_moving_the_mouse_has_no_effect() -> None:
    decision = AnthropicComputerUse().parse('{"action": "mouse_move", "coordinate": [1, 2]}', PHONE)
    assert decision == Decision(signal="mouse")


@pytest.mark.parametrize("words", ["", "Done.", "7", "[7]", '{"action": "left_cl'])
def test_replies_without_a_use_of_the_tool(words: str) -> None:
    with pytest.raises(DialectError):
        AnthropicComputerUse().parse(words, PHONE)


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
KINDS = ["left_click", "right_click", "left_click_drag", "left_mouse_up", "scroll", "type", "key"]
