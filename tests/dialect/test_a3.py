from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Action, Ask, Finish, Impossible, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect.a3 import A3
from pytest_mobileagent.dialect.dialect import Decision, Frame
from pytest_mobileagent.dialect.errors import DialectError
from pytest_mobileagent.perception.marks import Mark
from pytest_mobileagent.screen.element import Bounds

DEVICE = A3()
PAPER = A3("paper")
MARKS = {"1": Mark("1", Bounds(0, 0, 100, 100)), "5": Mark("5", Bounds(500, 1000, 580, 1100))}
FRAME = Frame((1080, 2400), marks=MARKS)
BARE = Frame((1080, 2400))


@pytest.mark.parametrize("dialect", [DEVICE, PAPER])
@pytest.mark.parametrize("action", [Ask("?"), Key("tab"), Type("x"), Type("x", (1, 1), True)])
def test_unsupported_actions_are_refused(dialect: A3, action: Action) -> None:
    with pytest.raises(DialectError):
        dialect.print(Decision((action,)), BARE)


def test_mark_is_named_if_there_are_marks() -> None:
    assert PAPER.print(Decision((Tap(540, 1050),), {"thought": "so"}), FRAME) == "so\nCLICK[5]"


TEXT = st.text(st.characters(codec="utf-8"))
LINE = TEXT.filter(lambda text: len((text + ".").splitlines()) == 1)
X, Y = st.integers(0, 1079), st.integers(0, 2399)
KEYS = st.sampled_from([Key("enter"), Key("home"), Key("back")])
MILLISECONDS = st.integers(0, 60_000).map(lambda each: each / 1000)
ON_DEVICE = st.one_of(
    st.builds(Tap, X, Y),
    st.builds(DoubleTap, X, Y),
    st.builds(LongPress, X, Y, MILLISECONDS),
    st.builds(Swipe, X, Y, X, Y, MILLISECONDS),
    st.builds(Type, TEXT, clear=st.just(value=True)),
    st.builds(Open, TEXT.filter(bool)),
    st.builds(Wait, st.floats(0, 60)),
    st.builds(Finish, TEXT),
    KEYS,
)
IN_PAPER = st.one_of(
    st.builds(Tap, X, Y),
    st.builds(LongPress, X, Y),
    st.builds(Swipe, X, Y, X, Y),
    st.builds(
        Scroll,
        st.sampled_from(["up", "down", "left", "right"]),
        st.none() | st.sampled_from([(50, 50), (540, 1050)]),
    ),
    st.builds(Type, LINE.filter(bool), clear=st.just(value=True)),
    st.builds(Open, LINE.filter(bool)),
    st.builds(Wait, st.floats(0, 60)),
    st.builds(Finish, LINE),
    st.builds(Impossible, LINE),
    KEYS,
)


@given(ON_DEVICE)
def test_device_format_round_trips(action: Action) -> None:
    assert DEVICE.parse(DEVICE.print(Decision((action,)), BARE), BARE) == Decision((action,))


@given(IN_PAPER)
def test_paper_format_round_trips(action: Action) -> None:
    frame = FRAME if isinstance(action, Scroll) else BARE
    decision = Decision((action,), {"thought": "It is next."})
    assert PAPER.parse(PAPER.print(decision, frame), frame) == decision
