from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Finish, Impossible, Key, Type
from pytest_mobileagent.action.gestures import LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect import Decision, DialectError, Frame
from pytest_mobileagent.dialect.aitz import Aitz
from pytest_mobileagent.perception.marks import Mark
from pytest_mobileagent.screen.element import Bounds

MARKS = {
    "0": Mark("0", Bounds(0, 0, 400, 800)),
    "11": Mark("11", Bounds(100, 100, 300, 300)),
}
FRAME = Frame((400, 800), marks=MARKS)
CLICK = '{"ACTION": "click_element", "ARGS": {"bbox": [400, 200, 600, 300]}}'


@pytest.mark.parametrize("action", [LongPress(1, 1), Swipe(1, 2, 3, 4), Type("a", enter=True)])
def test_actions_that_the_dialect_lacks_cannot_be_expressed(action):
    with pytest.raises(DialectError, match="cannot express"):
        Aitz().print(Decision((action,)), FRAME)


def test_marks_without_numbers_cannot_be_printed():
    frame = Frame((400, 800), marks={"A": Mark("A", Bounds(0, 0, 400, 800))})
    with pytest.raises(DialectError, match="marks are numbered"):
        Aitz("marks").print(Decision((Tap(1, 1),)), frame)


points = st.tuples(st.integers(0, 399), st.integers(0, 799))
alone = (
    st.text(st.characters(codec="utf-8", exclude_characters="<"), max_size=20).map(Type)
    | st.builds(Scroll, st.sampled_from(["up", "down", "left", "right"]))
    | st.builds(Key, st.sampled_from(["back", "home", "enter"]))
    | st.sampled_from([Finish(), Impossible()])
)
thoughts = st.sampled_from([{}, {"thought": "Open {it}.", "next": "scroll"}])


@given(action=alone | points.map(lambda p: Tap(*p)), said=thoughts)
def test_printed_actions_round_trip(action, said):
    decision = Decision((action,), said)
    assert Aitz().parse(Aitz().print(decision, FRAME), FRAME) == decision


@given(action=alone | st.just(Tap(200, 200)), said=thoughts)
def test_printed_marks_round_trip(action, said):
    decision = Decision((action,), said)
    assert Aitz("marks").parse(Aitz("marks").print(decision, FRAME), FRAME) == decision
