from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import (
    Action,
    Ask,
    DoubleTap,
    Finish,
    Impossible,
    Key,
    KeyName,
    LongPress,
    Open,
    Swipe,
    Tap,
    Type,
    Wait,
)
from pytest_mobileagent.dialect.dialect import Decision, DialectError, Frame
from pytest_mobileagent.dialect.qwen import Qwen, Version

DATA = Path(__file__).parents[3] / "shared/data/androidcontrol-uis1"

PHONE = Frame((1080, 2400))
SMALL = Frame((560, 840))
VERSIONS: list[Version] = ["2.5", "3", "gui-owl"]

X, Y = st.integers(0, 559), st.integers(0, 839)
SECONDS = st.floats(0.1, 60)
ACTIONS = st.one_of(
    st.builds(Tap, X, Y),
    st.builds(LongPress, X, Y, SECONDS),
    st.builds(Swipe, X, Y, X, Y),
    st.builds(Type, st.text()),
    st.builds(Key, st.sampled_from(get_args(KeyName))),
    st.builds(Open, st.text()),
    st.builds(Wait, SECONDS),
    st.builds(Ask, st.text()),
    st.builds(Finish, st.text()),
    st.just(Impossible()),
)
SAID = st.text("abc ,.'\"").map(str.strip)


def call(**arguments: Any) -> str:
    """Return a model's reply that calls the tool."""
    tool = json.dumps({"name": "mobile_use", "arguments": arguments})
    return f"Thought: I look.\nAction: I tap.\n<tool_call>\n{tool}\n</tool_call>"


@pytest.mark.parametrize(
    ("arguments", "action"),
    [
        ({"action": "click", "coordinate": [500, 250]}, Tap(540, 600)),
        ({"action": "tap", "coordinate": [500.0, 250]}, Tap(540, 600)),
        ({"action": "click", "coordinate": ["500", "250"]}, Tap(540, 600)),
        ({"action": "click", "coordinate": "(500, 250)"}, Tap(540, 600)),
        ({"action": "click", "coordinate": [[500, 250]]}, Tap(540, 600)),
        ({"action": "click", "coordinate": [400, 200, 600, 300]}, Tap(540, 600)),
        ({"action": "click", "coordinate": [1000, 1000]}, Tap(1079, 2399)),
        ({"action": "click", "coordinate": [1001, 1]}, None),
        ({"action": "click", "coordinate": [-1, 1]}, None),
        ({"action": "click", "coordinate": [1]}, None),
        ({"action": "click", "coordinate": [1, None]}, None),
        ({"action": "click", "coordinate": [10**400, 1]}, None),
        ({"action": "click"}, None),
        ({"action": "long_press", "coordinate": [500, 250], "time": 2}, LongPress(540, 600, 2)),
        ({"action": "long_press", "coordinate": [500, 250]}, LongPress(540, 600)),
        (
            {"action": "swipe", "coordinate": [500, 750], "coordinate2": [500, 250]},
            Swipe(540, 1800, 540, 600),
        ),
        ({"action": "swipe", "coordinate": [500, 750]}, None),
        ({"action": "type", "text": "a b"}, Type("a b")),
        ({"action": "type", "text": 7}, Type("7")),
        ({"action": "type"}, None),
        ({"action": "system_button", "button": "Back"}, Key("back")),
        ({"action": "system_button", "button": "home"}, Key("home")),
        ({"action": "system_button", "button": "Menu"}, Key("overview")),
        ({"action": "system_button", "button": "Enter"}, Key("enter")),
        ({"action": "system_button", "button": "Power"}, None),
        ({"action": "key", "text": "volume_up"}, Key("volume_up")),
        ({"action": "key", "text": "KEYCODE_ENTER"}, Key("enter")),
        ({"action": "key", "text": "camera"}, None),
        ({"action": "open", "text": "Clock"}, Open("Clock")),
        ({"action": "wait", "time": 3}, Wait(3)),
        ({"action": "wait"}, Wait(2)),
        ({"action": "wait", "time": "soon"}, None),
        ({"action": "answer", "text": "7:00"}, Finish("7:00")),
        ({"action": "interact", "text": "Log in, please"}, Ask("Log in, please")),
        ({"action": "call_user"}, Ask("")),
        ({"action": "terminate", "status": "success"}, Finish()),
        ({"action": "terminate"}, Finish()),
        ({"action": "terminate", "status": "failure"}, Impossible()),
        ({"action": "fly"}, None),
        ({"action": 7}, None),
        ({}, None),
    ],
)
def test_calls_of_models(arguments: dict[str, Any], action: Action | None) -> None:
    if action is None:
        with pytest.raises(DialectError):
            Qwen("gui-owl").parse(call(**arguments), PHONE)
    else:
        said = {"thought": "I look.", "action": "I tap."}
        assert Qwen("gui-owl").parse(call(**arguments), PHONE) == Decision((action,), said)


@pytest.mark.parametrize(
    "words",
    [
        '<tool_call>{"name": "mobile_use", "arguments": {"action": "wait", "time": 1}}</tool_call>',
        '<tool_call>\n{"name": "mobile_use", "arguments": {"action": "wait", "time": 1}}',
        '<tool_call>\n```json\n{"arguments": {"action": "wait", "time": 1}}\n```\n</tool_call>',
        '{"name": "mobile_use", "arguments": {"action": "wait", "time": 1}}',
        '{"name": "mobile_use", "arguments": "{\\"action\\": \\"wait\\", \\"time\\": 1}"}',
        '{"action": "wait", "time": 1}',
        '<think>Use {it}?\n<tool_call></think>\n<tool_call>\n{"action": "wait", "time": 1}',
        '<tool_call>\n{"action": "wait", "time": 1}\n</tool_call>\n<tool_call>\n{"action": 2}',
        'Sure!\n<tool_call>\n{"action": "Wait ", "time": "1 second"}\n</tool_call> Done.',
    ],
)
def test_call_may_be_written_in_several_ways(words: str) -> None:
    assert Qwen().parse(words, PHONE).actions == (Wait(1),)


@pytest.mark.parametrize(
    "words",
    [
        "",
        "I cannot help with that.",
        "<tool_call>\nclick(1, 2)\n</tool_call>",
        '<tool_call>\n{"name": "mobile_use", "arguments": {"action": "click", "coordina',
        '{"name": "mobile_use", "arguments": [1]}',
        '{"name": "mobile_use", "arguments": "no JSON"}',
        "[" * 100_000,
    ],
)
def test_replies_that_are_not_calls(words: str) -> None:
    with pytest.raises(DialectError) as raised:
        Qwen().parse(words, PHONE)
    assert raised.value.words == words


def test_each_version_has_its_own_coordinates() -> None:
    far: dict[Version, list[int]] = {"2.5": [1092, 2408], "3": [999, 999], "gui-owl": [1000, 1000]}
    for version, corner in far.items():
        decision = Qwen(version).parse(call(action="click", coordinate=corner), PHONE)
        assert decision.actions == (Tap(1079, 2399),), version


@pytest.mark.parametrize(
    "actions", [(), (Wait(), Wait()), (DoubleTap(1, 1),), (Type("a", enter=True),)]
)
def test_inexpressible_actions(actions: tuple[Action, ...]) -> None:
    with pytest.raises(DialectError):
        Qwen().print(Decision(actions), SMALL)


@pytest.mark.parametrize("version", VERSIONS)
@given(ACTIONS, SAID, SAID)
def test_printed_actions_round_trip(
    version: Version, action: Action, thought: str, said: str
) -> None:
    dialect = Qwen(version)
    parts = {key: part for key, part in (("thought", thought), ("action", said)) if part}
    decision = Decision((action,), parts)
    assert dialect.parse(dialect.print(decision, SMALL), SMALL) == decision


@pytest.mark.skipif(not DATA.exists(), reason="the recordings of AndroidControl are not there")
def test_all_golden_actions_of_androidcontrol_are_parsed() -> None:
    episodes = json.loads((DATA / "android_control_evaluation_std.json").read_text("utf-8"))
    steps = [step["action_content"] for episode in episodes for step in episode["steps"]]
    large = Frame((3360, 3360))
    assert len(steps) > 8000
    for step in steps:
        (action,) = Qwen("2.5").parse(json.dumps(step), large).actions
        if step["action"] == "click":
            assert action == Tap(*map(int, step["coordinate"]))
        elif step["action"] == "type":
            assert action == Type(step["text"])
