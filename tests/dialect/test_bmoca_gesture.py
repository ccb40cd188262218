from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Action, Key, Type
from pytest_mobileagent.action.gestures import Scroll, Swipe, Tap
from pytest_mobileagent.dialect.bmoca import BMocaGesture
from pytest_mobileagent.dialect.dialect import Decision, Frame
from pytest_mobileagent.dialect.errors import DialectError

DIALECT = BMocaGesture()
FRAME = Frame((1000, 2000))


@pytest.mark.parametrize("action", [Type("x"), Key("enter"), Scroll("up"), Swipe(5, 5, 6, 6)])
def test_unsupported_actions_are_refused(action: Action) -> None:
    with pytest.raises(DialectError):
        DIALECT.print(Decision((action,)), FRAME)


X, Y = st.integers(0, 999), st.integers(0, 1800)  # The buttons are below.
ACTIONS = st.one_of(
    st.builds(Tap, X, Y),
    st.builds(Swipe, X, Y, X, Y).filter(lambda s: abs(s.x1 - s.x2) > 150 or abs(s.y1 - s.y2) > 150),
    st.sampled_from([Key("home"), Key("back"), Key("overview")]),
)


@given(ACTIONS, st.sampled_from([DIALECT, BMocaGesture(low=0.0)]))
def test_printed_actions_round_trip(action: Action, dialect: BMocaGesture) -> None:
    decision = Decision((action,))
    assert dialect.parse(dialect.print(decision, FRAME), FRAME) == decision
