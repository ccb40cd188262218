from __future__ import annotations

from typing import get_args

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
from pytest_mobileagent.dialect.ui_tars import UiTars, Version

PHONE = Frame((1080, 2400))
# In pictures whose sides are multiples of 28, every pixel can be expressed.
SMALL = Frame((560, 840))
VERSIONS: list[Version] = ["1", "1.5", "doubao"]

X, Y = st.integers(0, 559), st.integers(0, 839)
SECONDS = st.floats(0.1, 60)
TEXT = st.text()
ACTIONS = st.one_of(
    st.builds(Tap, X, Y),
    st.builds(DoubleTap, X, Y),
    st.builds(LongPress, X, Y, SECONDS),
    st.builds(Swipe, X, Y, X, Y),
    st.builds(Scroll, st.sampled_from(get_args(Direction)), st.none() | st.tuples(X, Y)),
    st.builds(
        Type,
        TEXT.filter(lambda text: not text.endswith(("\n", "\\n"))),
        enter=st.booleans(),
    ),
    st.builds(Key, st.sampled_from(get_args(KeyName))),
    st.builds(Open, st.text(min_size=1)),
    st.builds(Wait, SECONDS),
    st.builds(Finish, TEXT),
    st.builds(Ask, st.text(min_size=1)),
)
THOUGHTS = st.text("abc ,.(')\n").map(str.strip)


def test_each_version_prints_points_its_own_way() -> None:
    tap = Decision((Tap(280, 420),))
    assert [UiTars(version).print(tap, SMALL) for version in VERSIONS] == [
        "Action: click(start_box='<|box_start|>(501,501)<|box_end|>')",
        "Action: click(start_box='(280,420)')",
        "Action: click(point='<point>501 501</point>')",
    ]


@pytest.mark.parametrize(
    "actions",
    [(), (Impossible(),), (Type("a\n"),), (Type("a", at=(1, 1)),), (Open(""),)],
)
def test_inexpressible_actions(actions: tuple[Action, ...]) -> None:
    with pytest.raises(DialectError):
        UiTars().print(Decision(actions), SMALL)


@pytest.mark.parametrize("version", VERSIONS)
@given(st.lists(ACTIONS, min_size=1, max_size=3), THOUGHTS)
def test_printed_actions_round_trip(version: Version, actions: list[Action], thought: str) -> None:
    dialect = UiTars(version)
    decision = Decision(tuple(actions), {"thought": thought} if thought else {})
    assert dialect.parse(dialect.print(decision, SMALL), SMALL) == decision
