from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Finish, Impossible, Key, Open, Type
from pytest_mobileagent.action.gestures import LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect import Decision, DialectError, Frame
from pytest_mobileagent.dialect.odyssey import Odyssey

FRAME = Frame((400, 800))


@pytest.mark.parametrize(
    "action", [Open("clock"), Swipe(1, 2, 3, 4), Type("a\nb"), Type("a", (1, 1)), Finish("42")]
)
def test_actions_that_the_dialect_lacks_cannot_be_expressed(action):
    with pytest.raises(DialectError, match="cannot express"):
        Odyssey().print(Decision((action,)), FRAME)


points = st.tuples(st.integers(0, 399), st.integers(0, 799))
printable = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=20)


@given(
    action=points.map(lambda p: Tap(*p))
    | points.map(lambda p: LongPress(*p))
    | printable.filter(lambda text: "<" not in text).map(Type)
    | st.builds(Scroll, st.sampled_from(["up", "down", "left", "right"]))
    | st.builds(Key, st.sampled_from(["back", "home", "enter", "overview"]))
    | st.sampled_from([Finish(), Impossible()])
)
def test_printed_actions_round_trip(action):
    decision = Decision((action,))
    assert Odyssey().parse(Odyssey().print(decision, FRAME), FRAME) == decision


@given(x=st.integers(0, 1079), y=st.integers(0, 2399))
def test_points_on_a_large_screen_round_trip_within_their_resolution(x, y):
    frame = Frame((1080, 2400))
    (action,) = Odyssey().parse(Odyssey().print(Decision((Tap(x, y),)), frame), frame).actions
    assert isinstance(action, Tap)
    assert abs(action.x - x) <= 2
    assert abs(action.y - y) <= 3
