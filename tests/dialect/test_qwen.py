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
    Finish,
    Impossible,
    Key,
    KeyName,
    Open,
    Type,
    Wait,
)
from pytest_mobileagent.action.gestures import Direction, DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect.dialect import Decision, Frame
from pytest_mobileagent.dialect.errors import DialectError
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
MAI_ACTIONS = st.one_of(
    ACTIONS.filter(lambda action: not isinstance(action, Swipe)),
    st.builds(DoubleTap, X, Y),
    st.builds(Swipe, X, Y, X, Y, st.just(1.0)),
    st.builds(Scroll, st.sampled_from(get_args(Direction)), st.none() | st.tuples(X, Y)),
)
SAID = st.text("abc ,.'\"").map(str.strip)


def call(**arguments: Any) -> str:
    """Return a model's reply that calls the tool."""
    tool = json.dumps({"name": "mobile_use", "arguments": arguments})
    return f"Thought: I look.\nAction: I tap.\n<tool_call>\n{tool}\n</tool_call>"


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


@given(MAI_ACTIONS, SAID)
def test_printed_actions_of_mai_ui_round_trip(action: Action, thought: str) -> None:
    decision = Decision((action,), {"thought": thought} if thought else {})
    assert Qwen("mai-ui").parse(Qwen("mai-ui").print(decision, SMALL), SMALL) == decision


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
