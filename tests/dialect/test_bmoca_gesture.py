from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Action, Key, Scroll, Swipe, Tap, Type
from pytest_mobileagent.dialect.bmoca import BMocaGesture
from pytest_mobileagent.dialect.dialect import Decision, DialectError, Frame

DIALECT = BMocaGesture()
FRAME = Frame((1000, 2000))


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("[0.0, 0.0, 0.0, 0.0]", Tap(500, 1000)),
        ("0, 0, 0, 0", Tap(500, 1000)),
        ("[0 0 0 0]", Tap(500, 1000)),
        ("(-1, -1, -1, -1)", Tap(0, 0)),
        ("[1, 1, 1, 1]", Tap(999, 1999)),
        ("dual-gesture(0, 0, 0, 0)", Tap(500, 1000)),
        ("[0.5, 0.0, 0.5, 0.0]", Tap(500, 1500)),
        ("[0.5, -0.5, -0.5, -0.5]", Swipe(250, 1500, 250, 500)),
        ("[0.0, 0.0, 0.0, 0.25]", Tap(500, 1000)),
        ("[0.0, 0.0, 0.0, 0.3]", Swipe(500, 1000, 650, 1000)),
        ("[0.0, 0.0, 0.13, 0.0]", Tap(500, 1000)),
        ("[0.0, 0.0, 0.15, 0.0]", Swipe(500, 1000, 500, 1150)),
        ("[0.9, -0.56, 0.9, -0.56]", Key("back")),
        ("[0.9, 0.0, 0.9, 0.0]", Key("home")),
        ("[0.9, 0.56, 0.9, 0.56]", Key("overview")),
        ("[0.9, 0.1, 0.9, 0.1]", Tap(550, 1900)),
        ("[0.9, 0.0, -0.9, 0.0]", Swipe(500, 1900, 500, 100)),
    ],
)
def test_four_numbers_are_parsed(words: str, meant: Action) -> None:
    assert DIALECT.parse(words, FRAME) == Decision((meant,))


def test_demonstrations_count_from_zero() -> None:
    dialect = BMocaGesture(low=0.0)
    assert dialect.parse("[0.5, 0.25, 0.5, 0.25]", FRAME).actions == (Tap(250, 1000),)
    assert dialect.parse("[0.95, 0.5, 0.95, 0.5]", FRAME).actions == (Key("home"),)


def test_threshold_is_configurable() -> None:
    assert BMocaGesture(threshold=0.5).parse("0 0 0 0.9", FRAME).actions == (Tap(500, 1000),)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("", "not a number"),
        ("[0, 0, 0]", "four numbers"),
        ("[0, 0, 0, 0, 0]", "four numbers"),
        ("[0, 0, 0, up]", "not a number"),
        ("[0, 0, 0, inf]", "not a number"),
        ("[2, 0, 2, 0]", "outside"),
        ("[0, 0, 0, -3]", "outside"),
        ("tap", "not a number"),
    ],
)
def test_unparsable_reply_says_why(words: str, problem: str) -> None:
    with pytest.raises(DialectError, match=problem) as caught:
        DIALECT.parse(words, FRAME)
    assert caught.value.words == words


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
