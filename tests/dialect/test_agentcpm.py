from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Action, Ask, Finish, Impossible, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import Direction, DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect.agentcpm import AgentCpm
from pytest_mobileagent.dialect.dialect import Decision, Frame
from pytest_mobileagent.dialect.errors import DialectError

PHONE = Frame((1080, 2400))
SMALL = Frame((560, 840))

X, Y = st.integers(0, 559), st.integers(0, 839)
SECONDS = st.integers(201, 60_000).map(lambda milliseconds: milliseconds / 1000)
ACTIONS = st.one_of(
    st.builds(Tap, X, Y),
    st.builds(LongPress, X, Y, SECONDS),
    st.builds(Swipe, X, Y, X, Y, SECONDS),
    st.builds(Scroll, st.sampled_from(get_args(Direction)), st.tuples(X, Y)),
    st.builds(Type, st.text(), clear=st.booleans()),
    st.sampled_from([Key("back"), Key("home"), Key("enter"), Key("overview")]),
    st.builds(Wait, SECONDS),
)


@pytest.mark.parametrize(
    "actions",
    [
        (Open("clock"),),
        (DoubleTap(1, 1),),
        (Type("a", enter=True),),
        (Finish("7:00"),),
        (Scroll("up"),),
        (Tap(1, 1), Tap(2, 2)),
        (Finish(), Tap(1, 1)),
        (Key("delete"),),
    ],
)
def test_inexpressible_actions(actions: tuple[Action, ...]) -> None:
    with pytest.raises(DialectError):
        AgentCpm().print(Decision(actions), SMALL)


def test_json_is_printed_compactly() -> None:
    decision = Decision((Tap(280, 420), Finish()), {"thought": "看"})
    words = '{"thought":"看","POINT":[501,501],"STATUS":"finish"}'
    assert AgentCpm().print(decision, SMALL) == words


@given(ACTIONS, st.sampled_from([None, "finish", "impossible", "need_feedback"]), st.text())
def test_printed_actions_round_trip(action: Action, status: str | None, thought: str) -> None:
    ends = {"finish": Finish(), "impossible": Impossible(thought), "need_feedback": Ask(thought)}
    more = (ends[status],) if status else ()
    if thought.startswith("interrupted"):
        return
    decision = Decision((action, *more), {"thought": thought} if thought else {})
    assert AgentCpm().parse(AgentCpm().print(decision, SMALL), SMALL) == decision


def test_continue_means_no_action() -> None:
    assert AgentCpm().parse(AgentCpm().print(Decision(), SMALL), SMALL) == Decision()
