from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Action, Ask, Finish, Impossible, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import LongPress, Scroll, Tap
from pytest_mobileagent.dialect.dialect import Decision, Frame
from pytest_mobileagent.dialect.errors import DialectError
from pytest_mobileagent.dialect.seeact import SeeAct
from pytest_mobileagent.perception.marks import Mark
from pytest_mobileagent.screen.element import Bounds

DIALECT = SeeAct()
MARKS = {
    "A": Mark("A", Bounds(0, 0, 1080, 2400)),
    "B": Mark("B", Bounds(500, 1000, 580, 1100)),
    "AA": Mark("AA", Bounds(0, 0, 20, 20)),
}
FRAME = Frame((1080, 2400), marks=MARKS)


def reply(element: str, action: str, value: str) -> str:
    return f"ELEMENT: {element}\n\nACTION: {action}\n\nVALUE: {value}"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (reply("B", "CLICK", "None"), '"Save" button -> CLICK'),
        (reply("B", "INPUT TEXT", "hi"), '"Save" button -> INPUT TEXT: hi'),
        (reply("None", "SWIPE", "up"), "SWIPE: up"),
        (reply("B", "SWIPE", "up"), '"Save" button -> SWIPE: up'),
        (reply("B", "NAVIGATE BACK", "None"), "NAVIGATE BACK"),
        (reply("None", "ANSWER", "5"), "ANSWER: 5"),
    ],
)
def test_history_describes_the_action_and_its_element(words: str, line: str) -> None:
    assert SeeAct.described(words, {"B": '"Save" button'}) == line


@pytest.mark.parametrize(
    "action",
    [
        Ask("?"),
        Impossible(),
        Key("tab"),
        Type("x"),
        Type("a\nb", (5, 5), enter=True),
        Finish("a\nb"),
    ],
)
def test_unsupported_actions_are_refused(action: Action) -> None:
    with pytest.raises(DialectError):
        DIALECT.print(Decision((action,)), FRAME)


LABELS = st.sampled_from([*MARKS])
VALUES = st.text(st.characters(codec="utf-8", exclude_characters="\r\n."), min_size=1).filter(
    lambda text: text == text.strip()
)


def on_mark(label: str, text: str, kind: int) -> Decision:
    at = MARKS[label].bounds.center
    actions: list[Action] = [
        Tap(*at),
        LongPress(*at),
        Type(text, at=at, enter=True),
        Scroll("down", at),
    ]
    return Decision((actions[kind],), {"element": label})


def alone(action: object) -> Decision:
    assert isinstance(action, Action)
    return Decision((action,))


DECISIONS = st.one_of(
    st.builds(on_mark, LABELS, VALUES, st.integers(0, 3)),
    st.one_of(
        st.builds(Scroll, st.sampled_from(["up", "down", "left", "right"])),
        st.builds(Open, VALUES),
        st.builds(Finish, VALUES | st.just("")),
        st.sampled_from([Key("enter"), Key("home"), Key("back"), Wait()]),
    ).map(alone),
)


@given(DECISIONS)
def test_printed_actions_round_trip(decision: Decision) -> None:
    assert DIALECT.parse(DIALECT.print(decision, FRAME), FRAME) == decision
