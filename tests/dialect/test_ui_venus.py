from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Action, Ask, Finish, Impossible, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect.dialect import Decision, Frame
from pytest_mobileagent.dialect.errors import DialectError
from pytest_mobileagent.dialect.ui_venus import UiVenus

SMALL = Frame((560, 840))
X, Y = st.integers(0, 559), st.integers(0, 839)
BOTH = st.one_of(
    st.builds(Tap, X, Y),
    st.builds(LongPress, X, Y, st.just(0.5)),
    st.builds(Swipe, X, Y, X, Y, st.just(1.0)),
    st.builds(Type, st.text(), clear=st.just(True)),
    st.builds(Key, st.sampled_from(["back", "home", "enter", "overview"])),
    st.builds(Open, st.text(min_size=1)),
    st.just(Wait(1.0)),
    st.builds(Finish, st.text()),
)
NEWER = BOTH | st.builds(DoubleTap, X, Y) | st.builds(Ask, st.text())
SAID = st.text("abc ,.(')\n").map(str.strip)


def round_trip(dialect: UiVenus, action: Action, said: dict[str, str]) -> None:
    decision = Decision((action,), {name: text for name, text in said.items() if text})
    assert dialect.parse(dialect.print(decision, SMALL), SMALL) == decision


@given(BOTH, SAID, SAID)
def test_printed_actions_of_version_1_5_round_trip(
    action: Action, thought: str, conclusion: str
) -> None:
    round_trip(UiVenus("1.5"), action, {"thought": thought, "conclusion": conclusion})


@given(NEWER, SAID)
def test_printed_actions_of_version_2_round_trip(action: Action, thought: str) -> None:
    round_trip(UiVenus("2"), action, {"thought": thought})


@pytest.mark.parametrize(
    "action",
    [Impossible(), Scroll("up"), Type("a"), Wait(5.0), Key("delete"), LongPress(1, 1, 9.0)],
)
def test_inexpressible_actions(action: Action) -> None:
    with pytest.raises(DialectError):
        UiVenus("2").print(Decision((action,)), SMALL)


@pytest.mark.parametrize("action", [DoubleTap(1, 1), Ask("Which?")])
def test_version_1_5_has_neither_double_taps_nor_questions(action: Action) -> None:
    with pytest.raises(DialectError):
        UiVenus("1.5").print(Decision((action,)), SMALL)


def test_a_thought_cannot_contain_a_tag() -> None:
    with pytest.raises(DialectError, match="a tag in its thoughts"):
        UiVenus().print(Decision((Wait(1.0),), {"thought": "</think>"}), SMALL)
