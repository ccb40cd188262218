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
from pytest_mobileagent.dialect.computer import json_value
from pytest_mobileagent.dialect.dialect import Decision, DialectError, Frame
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


@pytest.mark.parametrize(
    ("said", "action"),
    [
        ({"type": "click", "button": "left", "x": 270, "y": 300}, Tap(540, 600)),
        ({"type": "click", "x": 270, "y": 300}, Tap(540, 600)),
        ({"type": "click", "button": "left", "x": 270, "y": 300, "keys": None}, Tap(540, 600)),
        ({"type": "click", "button": "right", "x": 270, "y": 300}, LongPress(540, 600)),
        ({"type": "click", "button": "back", "x": 0, "y": 0}, Key("back")),
        ({"type": "click", "button": "wheel", "x": 270, "y": 300}, None),
        ({"type": "click", "button": "left", "x": 541, "y": 300}, None),
        ({"type": "click", "button": "left", "x": 270}, None),
        ({"type": "double_click", "x": 270, "y": 300}, DoubleTap(540, 600)),
        (
            {"type": "scroll", "x": 270, "y": 600, "scroll_x": 0, "scroll_y": 300},
            Swipe(540, 1500, 540, 900, 0.6),
        ),
        (
            {"type": "scroll", "x": 270, "y": 1190, "scroll_x": 0, "scroll_y": 300},
            Swipe(540, 2399, 540, 1799, 0.6),
        ),
        (
            {"type": "scroll", "x": 270, "y": 600, "scroll_x": 0, "scroll_y": -9999},
            Swipe(540, 240, 540, 2160, 0.6),
        ),
        (
            {"type": "scroll", "x": 270, "y": 600, "scroll_x": 0, "scroll_y": 600},
            Scroll("up", (540, 1200)),
        ),
        (
            {"type": "scroll", "x": 270, "y": 600, "scroll_x": -270, "scroll_y": 0},
            Scroll("right", (540, 1200)),
        ),
        ({"type": "scroll", "x": 270, "y": 600, "scroll_y": "far"}, None),
        (
            {"type": "drag", "path": [{"x": 270, "y": 600}, {"x": 9, "y": 9}, {"x": 0, "y": 300}]},
            Swipe(540, 1200, 0, 600),
        ),
        ({"type": "drag", "path": [[270, 600], [270, 300]]}, Swipe(540, 1200, 540, 600)),
        ({"type": "drag", "path": [{"x": 270, "y": 600}]}, None),
        ({"type": "drag"}, None),
        ({"type": "type", "text": "a b"}, Type("a b")),
        ({"type": "type", "text": "a b\n"}, Type("a b", enter=True)),
        ({"type": "type"}, None),
        ({"type": "keypress", "keys": ["ENTER"]}, Key("enter")),
        ({"type": "keypress", "keys": ["Backspace"]}, Key("delete")),
        ({"type": "keypress", "keys": ["CTRL", "A"]}, None),
        ({"type": "keypress", "keys": ["F5"]}, None),
        ({"type": "keypress"}, None),
        ({"type": "wait"}, Wait(2)),
        ({"name": "back", "arguments": {}}, Key("back")),
        ({"name": "home", "arguments": "{}"}, Key("home")),
        ({"name": "recents"}, Key("overview")),
        ({"name": "open_app", "arguments": {"name": "Clock"}}, Open("Clock")),
        ({"name": "open_app", "arguments": '{"name": "Clock"}'}, Open("Clock")),
        ({"name": "open_app", "arguments": {}}, None),
        ({"name": "long_press", "arguments": {"x": 270, "y": 300}}, LongPress(540, 600)),
        ({"name": "ask_user", "arguments": {"question": "Which?"}}, Ask("Which?")),
        ({"name": "give_up", "arguments": {"reason": "no app"}}, Impossible("no app")),
        ({"name": "fly", "arguments": {}}, None),
        ({"name": "back", "arguments": 7}, None),
        ({"type": "message", "content": "It is 7:00."}, Finish("It is 7:00.")),
        ({"type": "fly"}, None),
        ({"type": ["click"]}, None),
        ({}, None),
    ],
)
def test_actions_of_models(said: dict[str, Any], action: Action | None) -> None:
    words = json.dumps(said)
    if action is None:
        with pytest.raises(DialectError) as raised:
            OpenAiComputerUse().parse(words, PHONE)
        assert raised.value.words == words
    else:
        assert OpenAiComputerUse().parse(words, PHONE) == Decision((action,))


def test_call_contains_one_action_or_several() -> None:
    click, text = {"type": "click", "x": 0, "y": 0}, {"type": "type", "text": "a"}
    several = Decision((Tap(0, 0), Type("a")))
    for said in ([click, text], {"actions": [click, text]}, [{"action": click}, {"action": text}]):
        assert OpenAiComputerUse().parse(json.dumps(said), PHONE) == several
    one = json.dumps({"action": click, "pending_safety_checks": []})
    assert OpenAiComputerUse().parse(one, PHONE) == Decision((Tap(0, 0),))


def test_moving_the_pointer_is_a_signal() -> None:
    words = '[{"type": "move", "x": 1, "y": 1}, {"type": "scroll", "scroll_x": 0, "scroll_y": 0}]'
    assert OpenAiComputerUse().parse(words, PHONE) == Decision(signal="mouse")


def test_screenshot_request_is_a_signal() -> None:
    decision = OpenAiComputerUse().parse('{"type": "screenshot"}', PHONE)
    assert decision == Decision(signal="screenshot")
    assert OpenAiComputerUse().print(decision, PHONE) == '{"type": "screenshot"}'


@pytest.mark.parametrize("words", ["", "Done.", "7", "[7]", '{"actions": [7]}', '{"type": "cl'])
def test_replies_without_an_action(words: str) -> None:
    with pytest.raises(DialectError):
        OpenAiComputerUse().parse(words, PHONE)


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
KINDS = ["click", "double_click", "scroll", "drag", "type", "keypress", "wait", "move", "message"]


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
