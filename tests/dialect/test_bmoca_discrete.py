from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.gestures import Tap
from pytest_mobileagent.dialect.bmoca import SIZE, BMocaDiscrete
from pytest_mobileagent.dialect.dialect import Decision, Frame

DIALECT = BMocaDiscrete()
FRAME = Frame((1000, 2000))


def test_there_are_385_actions() -> None:
    actions = [DIALECT.parse(str(each), FRAME).actions[0] for each in range(SIZE)]
    assert len(set(actions)) == SIZE == 385
    assert sum(isinstance(each, Tap) for each in actions) == 14 * 27


@given(st.integers(0, SIZE - 1), st.sampled_from([FRAME, Frame((320, 640)), Frame((2560, 1600))]))
def test_printed_actions_round_trip(index: int, frame: Frame) -> None:
    decision = DIALECT.parse(str(index), frame)
    assert DIALECT.print(decision, frame) == str(index)


@given(st.integers(0, 999), st.integers(0, 1999))
def test_tap_is_rounded_to_the_nearest_place(x: int, y: int) -> None:
    near = DIALECT.parse(DIALECT.print(Decision((Tap(x, y),)), FRAME), FRAME).actions[0]
    assert isinstance(near, Tap)
    assert abs(near.x - x) <= 38
    assert abs(near.y - y) <= 50  # The first row starts half a row down.
