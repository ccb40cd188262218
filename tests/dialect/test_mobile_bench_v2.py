from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Finish, Key, Scroll, Tap, Type
from pytest_mobileagent.dialect import Decision, DialectError, Frame
from pytest_mobileagent.dialect.mobile_bench_v2 import MobileBenchV2
from pytest_mobileagent.perception.marks import Mark
from pytest_mobileagent.screen.element import Bounds

BOUNDS = {
    "c5": Bounds(100, 100, 300, 300),
    "c6": Bounds(0, 0, 400, 400),
    "s21": Bounds(0, 400, 400, 800),
}
FRAME = Frame((400, 800), marks={label: Mark(label, bounds) for label, bounds in BOUNDS.items()})
DIALECT = MobileBenchV2()


@pytest.mark.parametrize(
    ("call", "action"),
    [
        ("click(c5)", Tap(200, 200)),
        ('click("c5")', Tap(200, 200)),
        ("click( C5 )", Tap(200, 200)),
        ("click（c5）", Tap(200, 200)),
        ("$click(c5)$", Tap(200, 200)),
        ("tap(c5)", Tap(200, 200)),
        ("I call click(c5) now.", Tap(200, 200)),
        ('scroll(s21, "up")', Scroll("up", (200, 600))),
        ('scroll(s21,"up")', Scroll("up", (200, 600))),
        ('swipe(s21, "left")', Scroll("left", (200, 600))),
        ("scroll('s21', DOWN)", Scroll("down", (200, 600))),
        ("scroll(s21，“right”)", Scroll("right", (200, 600))),
        ('input("Hello, world!")', Type("Hello, world!")),
        ('text("a (b) click(c5)")', Type("a (b) click(c5)")),
        ("input('it\\'s')", Type("it\\'s")),
        ("input(“你好”)", Type("你好")),
        ("FINISH", Finish()),
        ("Finished.", Finish()),
    ],
)
@pytest.mark.parametrize(
    "reply",
    ["Observation: A list.\nThought: Next.\nAction: {}\nSummary: I did.", "**Action**: {}", "{}"],
)
def test_it_reads_replies_of_models(reply, call, action):
    assert DIALECT.parse(reply.format(call), FRAME).actions == (action,)


def test_other_fields_are_kept():
    words = "Observation: A list.\nThought: Go: on.\nAction: click(c5)\nSummary: I tapped."
    said = {"observation": "A list.", "thought": "Go: on.", "summary": "I tapped."}
    assert DIALECT.parse(words, FRAME).said == said


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("", "no call"),
        ("Observation: A list.\nThought: Next.", "no call of click, input or scroll in ''"),
        ("Action: press(back)", "no call"),
        ("Action: click()", "no call"),
        ("Action: click(c9)", "there is no mark 'c9' (marks: c5, c6, s21)"),
        ("Action: click(5)", "there is no mark '5'"),
        ("Action: click(the button)", "no call"),
        ('Action: scroll(s2, "up")', "there is no mark 's2'"),
        ('Action: scroll(s21, "further")', "no direction"),
        ("Action: scroll(s21)", "no call"),
        ('Action: input("cut of', "is not closed"),
        ("Action: input(hello)", "no call"),
        ("Action: grid()", "no call"),
        ("Thought: I will FINISH.\nAction:", "no call"),
    ],
)
def test_it_explains_why_a_reply_is_invalid(words, problem):
    with pytest.raises(DialectError) as caught:
        DIALECT.parse(words, FRAME)
    assert problem in str(caught.value)
    assert caught.value.words == words


def test_tap_is_printed_as_the_smallest_mark_around_it():
    assert DIALECT.print(Decision((Tap(110, 120),)), FRAME) == "Action: click(c5)"
    assert DIALECT.print(Decision((Tap(10, 10),)), FRAME) == "Action: click(c6)"


@pytest.mark.parametrize("action", [Key("back"), Scroll("up"), Type("a", enter=True), Type('"')])
def test_it_cannot_express_actions_that_the_dialect_lacks(action):
    with pytest.raises(DialectError, match="cannot express"):
        DIALECT.print(Decision((action,)), FRAME)


def test_tap_without_mark_is_refused():
    with pytest.raises(DialectError, match="no mark whose label starts with 'c'"):
        DIALECT.print(Decision((Tap(200, 700),)), FRAME)


printable = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=20)


@given(
    action=st.just(Tap(200, 200))
    | st.builds(Scroll, st.sampled_from(["up", "down", "left", "right"]), st.just((200, 600)))
    | printable.filter(lambda text: not set(text) & set('"<')).map(Type)
    | st.just(Finish()),
    said=st.sampled_from([{}, {"observation": "A list.", "summary": "Tapped."}]),
)
def test_printed_actions_round_trip(action, said):
    decision = Decision((action,), said)
    assert DIALECT.parse(DIALECT.print(decision, FRAME), FRAME) == decision


FRAGMENTS = ["Action: ", "click(", "c5", ")", "scroll(", "s21", ', "up"', 'input("', '"', "\n"]
