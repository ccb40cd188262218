from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import (
    Action,
    Ask,
    Finish,
    Impossible,
    Key,
    LongPress,
    Open,
    Scroll,
    Tap,
    Type,
    Wait,
)
from pytest_mobileagent.dialect.dialect import Decision, DialectError, Frame
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
    ("words", "action", "element"),
    [
        (reply("B", "CLICK", "None"), Tap(540, 1050), "B"),
        (reply("B.", "CLICK.", "None."), Tap(540, 1050), "B"),
        (reply('B. "Save" button', "CLICK", "None"), Tap(540, 1050), "B"),
        (reply("(B)", "CLICK", "None"), Tap(540, 1050), "B"),
        (reply("b", "click", "none"), Tap(540, 1050), "B"),
        (reply("AA", "LONG_PRESS", "None"), LongPress(10, 10), "AA"),
        ("**ELEMENT:** B\n**ACTION:** CLICK\n**VALUE:** None", Tap(540, 1050), "B"),
        (" Element: B\n Action: CLICK\n Value: None", Tap(540, 1050), "B"),
        ("ELEMENT：B\nACTION：CLICK\nVALUE：None", Tap(540, 1050), "B"),
        ("ACTION: WAIT\n" + reply("B", "CLICK", "None"), Tap(540, 1050), "B"),
        (reply("B", "INPUT TEXT", "hi"), Type("hi", at=(540, 1050), enter=True), "B"),
        (reply("B", "INPUT TEXT", "at 10:30."), Type("at 10:30", (540, 1050), False, True), "B"),
        (reply("None", "SWIPE", "up"), Scroll("up"), ""),
        (reply("B", "SWIPE", "Left"), Scroll("left", (540, 1050)), "B"),
        (reply("ZZ", "SWIPE", "left"), Scroll("left"), ""),
        ("ACTION: NAVIGATE BACK\nVALUE: None", Key("back"), ""),
        (reply("None", "NAVIGATE HOME", "None"), Key("home"), ""),
        (reply("B", "KEYBOARD ENTER", "None"), Key("enter"), ""),
        (reply("None", "WAIT", "None"), Wait(), ""),
        (reply("None", "OPEN APP", "Clock"), Open("Clock"), ""),
        (reply("None", "ANSWER", "It is 5:30"), Finish("It is 5:30"), ""),
        (reply("None", "TERMINATE", "None"), Finish(), ""),
    ],
)
def test_three_lines_are_parsed(words: str, action: Action, element: str) -> None:
    said = {"element": element} if element else {}
    assert DIALECT.parse(words, FRAME) == Decision((action,), said)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("", "no line 'ACTION"),
        ("The next action is to click Save.", "no line 'ACTION"),
        ("ELEMENT: B\nVALUE: None", "no line 'ACTION"),
        (reply("B", "TAP", "None"), "no action 'TAP'"),
        (reply("C", "CLICK", "None"), "needs one of the listed elements"),
        (reply("None", "CLICK", "None"), "needs one of the listed elements"),
        (reply("the Save button", "CLICK", "None"), "needs one of the listed elements"),
        ("ACTION: CLICK\nVALUE: None", "needs one of the listed elements"),
        (reply("B", "CLICK", "Save"), "must be None"),
        ("ELEMENT: B\nACTION: CLICK", "must be None"),
        (reply("None", "INPUT TEXT", "hi"), "needs one of the listed elements"),
        (reply("B", "INPUT TEXT", ""), "needs a value"),
        (reply("B", "SWIPE", "upwards"), "no direction"),
        (reply("B", "SWIPE", ""), "needs a value"),
        (reply("None", "OPEN APP", ""), "needs a value"),
        (reply("None", "ANSWER", ""), "needs a value"),
    ],
)
def test_unparsable_reply_says_why(words: str, problem: str) -> None:
    with pytest.raises(DialectError, match=problem) as caught:
        DIALECT.parse(words, FRAME)
    assert caught.value.words == words


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
