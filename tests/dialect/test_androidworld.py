from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Action, Ask, Finish, Impossible, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect.androidworld import AndroidWorld
from pytest_mobileagent.dialect.dialect import Decision, Frame
from pytest_mobileagent.dialect.errors import DialectError
from pytest_mobileagent.perception.marks import Mark
from pytest_mobileagent.screen.element import Bounds

DIALECT = AndroidWorld()
MARKS = {
    "0": Mark("0", Bounds(0, 0, 100, 100)),
    "3": Mark("3", Bounds(500, 1000, 580, 1100)),
}
FRAME = Frame((1080, 2400), marks=MARKS)
BARE = Frame((1080, 2400))


def reply(action: str) -> str:
    return f"Reason: It is next.\nAction: {action}"


def test_history_contains_the_action_as_one_line_of_json() -> None:
    words = reply("```{'action_type': 'click',\n 'index': 3}```")
    assert AndroidWorld.action_json(words) == '{"action_type": "click", "index": 3}'


@pytest.mark.parametrize("action", [Ask("which?"), Swipe(1, 2, 3, 4), Type("x"), Key("tab")])
def test_unsupported_actions_are_refused(action: Action) -> None:
    with pytest.raises(DialectError):
        DIALECT.print(Decision((action,)), BARE)


TEXT = st.text(st.characters(codec="utf-8"), min_size=1)
X, Y = st.integers(0, 1079), st.integers(0, 2399)
AT = st.none() | st.tuples(X, Y)
ACTIONS = st.one_of(
    st.builds(Tap, X, Y),
    st.builds(DoubleTap, X, Y),
    st.builds(LongPress, X, Y),
    st.builds(Type, TEXT, AT, st.booleans(), st.just(value=True)),
    st.builds(Scroll, st.sampled_from(["up", "down", "left", "right"]), AT),
    st.builds(Open, TEXT),
    st.builds(Finish, TEXT | st.just("")),
    st.sampled_from([Key("enter"), Key("home"), Key("back"), Wait(), Impossible()]),
)


@given(ACTIONS)
def test_printed_actions_round_trip(action: Action) -> None:
    decision = Decision((action,), {"reason": "so"})
    assert DIALECT.parse(DIALECT.print(decision, BARE), BARE) == decision


@given(st.sampled_from(["0", "3"]))
def test_marks_are_named_by_index(label: str) -> None:
    decision = Decision((Tap(*MARKS[label].bounds.center),), {"reason": "so"})
    words = DIALECT.print(decision, FRAME)
    assert f'"index": {label}' in words
    assert DIALECT.parse(words, FRAME) == decision
