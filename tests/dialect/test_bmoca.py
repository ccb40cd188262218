from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Action, Finish, Key, Scroll, Swipe, Tap, Type
from pytest_mobileagent.dialect.bmoca import BMoca
from pytest_mobileagent.dialect.dialect import Decision, DialectError, Frame
from pytest_mobileagent.perception.marks import Mark
from pytest_mobileagent.screen.element import Bounds

DIALECT = BMoca()
MARKS = {
    "0": Mark("0", Bounds(0, 0, 1000, 2000)),
    "12": Mark("12", Bounds(500, 1000, 600, 1100)),
}
FRAME = Frame((1000, 2000), marks=MARKS)
BARE = Frame((1000, 2000))
SAID = {"description": "A home screen.", "thought": "I open the app."}


def reply(call: str) -> str:
    return f"- Description: A home screen.\n- Thought: I open the app.\n- Action: {call}"


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        ("tap(12)", Tap(550, 1050)),
        ("tap( 12 )", Tap(550, 1050)),
        ('tap("12")', Tap(550, 1050)),
        ("tap(numeric tag=12)", Tap(550, 1050)),
        ("`tap(12)`", Tap(550, 1050)),
        ("Tap(12).", Tap(550, 1050)),
        ("```\ntap(12)\n```", Tap(550, 1050)),
        ('swipe("up")', Scroll("up")),
        ('swipe("down")', Scroll("down")),
        ('swipe("left")', Scroll("right")),
        ("swipe('right')", Scroll("left")),
        ("swipe(up)", Scroll("up")),
        ('press("HOME")', Key("home")),
        ('press("BACK")', Key("back")),
        ('press("OVERVIEW")', Key("overview")),
        ("press(home)", Key("home")),
        ("dual-gesture(0.5, 0.5, 0.5, 0.5)", Tap(500, 1000)),
        ("dual-gesture(0.25,0.5,0.25,0.5)", Tap(500, 500)),
        ("dual_gesture(0.8, 0.5, 0.2, 0.5)", Swipe(500, 1600, 500, 400)),
        ("dual-gesture(0, 0, 1, 1)", Swipe(0, 0, 999, 1999)),
    ],
)
def test_calls_are_parsed(call: str, meant: Action) -> None:
    assert DIALECT.parse(reply(call), FRAME) == Decision((meant,), SAID)


@pytest.mark.parametrize(
    ("ends", "meant"),
    [
        ("0.5, 0.5, 0.5, 0.64", Tap(500, 1000)),
        ("0.5, 0.5, 0.5, 0.645", Swipe(500, 1000, 645, 1000)),
        ("0.5, 0.5, 0.57, 0.5", Tap(500, 1000)),
        ("0.5, 0.5, 0.575, 0.5", Swipe(500, 1000, 500, 1150)),
    ],
)
def test_short_gesture_is_a_tap(ends: str, meant: Action) -> None:
    assert DIALECT.parse(f"dual-gesture({ends})", FRAME).actions == (meant,)


def test_thoughts_may_mention_other_functions() -> None:
    words = '- Thought: tap(0) did nothing, so I swipe.\n- Action: swipe("up")'
    decision = DIALECT.parse(words, FRAME)
    assert decision.actions == (Scroll("up"),)
    assert decision.said == {"thought": "tap(0) did nothing, so I swipe."}


@pytest.mark.parametrize("words", ["tap(12)", "**Action**: tap(12)", "Action：tap(12)"])
def test_other_parts_are_optional(words: str) -> None:
    assert DIALECT.parse(words, FRAME) == Decision((Tap(550, 1050),))


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("", "no call"),
        ("I cannot help with that.", "no call"),
        (reply("type('hello')"), "no call"),
        (reply("tap 12"), "no call"),
        (reply("tap(5"), "no call"),
        (reply("tap()"), "the tag is not a number"),
        (reply("tap(Clock)"), "the tag is not a number"),
        (reply("tap(99)"), "no mark '99'"),
        (reply("tap(-1)"), "no mark '-1'"),
        (reply('swipe("north")'), "no direction"),
        (reply('press("ENTER")'), "no button"),
        (reply("dual-gesture(0.5, 0.5)"), "four coordinates"),
        (reply("dual-gesture(0.5, 0.5, 0.5, 0.5, 0.5)"), "four coordinates"),
        (reply("dual-gesture(0.5, 0.5, 0.5, x)"), "not a number"),
        (reply("dual-gesture(0.5, 1.5, 0.5, 1.5)"), "outside"),
        (reply("dual-gesture(nan, 0.5, 0.5, 0.5)"), "not a number"),
    ],
)
def test_unparsable_reply_says_why(words: str, problem: str) -> None:
    with pytest.raises(DialectError, match=problem) as caught:
        DIALECT.parse(words, FRAME)
    assert caught.value.words == words


@pytest.mark.parametrize(
    "action", [Type("x"), Finish(), Key("enter"), Swipe(5, 5, 9, 9), Scroll("up", (5, 5))]
)
def test_unsupported_actions_are_refused(action: Action) -> None:
    with pytest.raises(DialectError):
        DIALECT.print(Decision((action,)), FRAME)


X, Y = st.integers(0, 999), st.integers(0, 1999)
ACTIONS = st.one_of(
    st.builds(Tap, X, Y),
    st.builds(Swipe, X, Y, X, Y).filter(lambda s: abs(s.x1 - s.x2) > 150 or abs(s.y1 - s.y2) > 150),
    st.builds(Scroll, st.sampled_from(["up", "down", "left", "right"])),
    st.sampled_from([Key("home"), Key("back"), Key("overview"), Tap(550, 1050)]),
)


@given(ACTIONS, st.sampled_from([FRAME, BARE]))
def test_printed_actions_round_trip(action: Action, frame: Frame) -> None:
    decision = Decision((action,), SAID)
    assert DIALECT.parse(DIALECT.print(decision, frame), frame) == decision


def test_element_is_tapped_by_its_tag() -> None:
    assert DIALECT.print(Decision((Tap(550, 1050),)), FRAME) == "- Action: tap(12)"
