from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Action, Ask, Finish, Impossible, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect.dialect import Decision, Frame
from pytest_mobileagent.dialect.errors import DialectError
from pytest_mobileagent.dialect.gelab_zero import GelabZero

SMALL = Frame((560, 840))
X, Y = st.integers(0, 559), st.integers(0, 839)
TEXTS = st.text("abc ,.(')：😀value1?").map(str.strip)
ACTIONS = st.one_of(
    st.builds(Tap, X, Y),
    st.builds(LongPress, X, Y, st.just(1.5)),
    st.builds(Swipe, X, Y, X, Y, st.just(1.5)),
    st.builds(Type, TEXTS, st.none() | st.tuples(X, Y)),
    st.builds(Wait, st.floats(0.1, 60)),
    st.builds(Open, TEXTS.filter(bool)),
    st.builds(Ask, TEXTS),
    st.builds(Finish, TEXTS),
    st.builds(Impossible, TEXTS),
)
SAID = st.text("abc ,.(')\n").map(str.strip)


@given(ACTIONS, SAID, TEXTS, TEXTS)
def test_printed_actions_round_trip(
    action: Action, thought: str, explain: str, summary: str
) -> None:
    said = {"thought": thought, "explain": explain, "summary": summary}
    decision = Decision((action,), {name: text for name, text in said.items() if text})
    assert GelabZero().parse(GelabZero().print(decision, SMALL), SMALL) == decision


@pytest.mark.parametrize(
    "action",
    [
        *(Key("back"), Key("home"), Scroll("up"), DoubleTap(1, 1), LongPress(1, 1, 9.0)),
        *(Type("a", clear=True), Type("a", enter=True), Type("a\tb"), Type(" a"), Open("")),
        *(Finish("a\nsummary: b"), Finish("</THINK>")),
    ],
)
def test_inexpressible_actions(action: Action) -> None:
    with pytest.raises(DialectError):
        GelabZero().print(Decision((action,)), SMALL)
