from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Action, Finish, Key, Type
from pytest_mobileagent.action.gestures import Scroll, Swipe, Tap
from pytest_mobileagent.dialect.bmoca import BMoca
from pytest_mobileagent.dialect.dialect import Decision, Frame
from pytest_mobileagent.dialect.errors import DialectError
from pytest_mobileagent.perception.marks import Mark
from pytest_mobileagent.screen.element import Bounds

DIALECT = BMoca()
MARKS = {
    "0": Mark("0", Bounds(0, 0, 1000, 2000)),
    "12": Mark("12", Bounds(500, 1000, 600, 1100)),
}
FRAME = Frame((1000, 2000), marks=MARKS)
BARE = Frame((1000, 2000))
SAID = {"description": "A home screen.", "thought": "I open the app."}


def reply(call: str) -> str:
    return f"- Description: A home screen.\n- Thought: I open the app.\n- Action: {call}"


@pytest.mark.parametrize(
    "action", [Type("x"), Finish(), Key("enter"), Swipe(5, 5, 9, 9), Scroll("up", (5, 5))]
)
def test_unsupported_actions_are_refused(action: Action) -> None:
    with pytest.raises(DialectError):
        DIALECT.print(Decision((action,)), FRAME)


X, Y = st.integers(0, 999), st.integers(0, 1999)
ACTIONS = st.one_of(
    st.builds(Tap, X, Y),
    st.builds(Swipe, X, Y, X, Y).filter(lambda s: abs(s.x1 - s.x2) > 150 or abs(s.y1 - s.y2) > 150),
    st.builds(Scroll, st.sampled_from(["up", "down", "left", "right"])),
    st.sampled_from([Key("home"), Key("back"), Key("overview"), Tap(550, 1050)]),
)


@given(ACTIONS, st.sampled_from([FRAME, BARE]))
def test_printed_actions_round_trip(action: Action, frame: Frame) -> None:
    decision = Decision((action,), SAID)
    assert DIALECT.parse(DIALECT.print(decision, frame), frame) == decision


def test_element_is_tapped_by_its_tag() -> None:
    assert DIALECT.print(Decision((Tap(550, 1050),)), FRAME) == "- Action: tap(12)"
