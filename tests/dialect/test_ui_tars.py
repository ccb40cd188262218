from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import (
    Action,
    Ask,
    Direction,
    DoubleTap,
    Finish,
    Impossible,
    Key,
    KeyName,
    LongPress,
    Open,
    Scroll,
    Swipe,
    Tap,
    Type,
    Wait,
)
from pytest_mobileagent.dialect.dialect import Decision, DialectError, Frame
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


@pytest.mark.parametrize(
    ("calls", "action"),
    [
        ("click(start_box='<|box_start|>(500,250)<|box_end|>')", Tap(540, 600)),
        ("click(start_box='(500,250)')", Tap(540, 600)),
        ("click(start_box='(500, 250)')", Tap(540, 600)),
        ("click(point='<point>500 250</point>')", Tap(540, 600)),
        ("click(start_box='[500, 250]')", Tap(540, 600)),
        ("click(start_box='(400,200,600,300)')", Tap(540, 600)),
        ("click(start_box='<bbox>400 200 600 300</bbox>')", Tap(540, 600)),
        ("click(start_box='<|box_start|>(500,250)<|box_end|>", None),
        ("click(start_box='(500,250)'", Tap(540, 600)),
        ('click( start_box = "(500,250)" )  # the button', Tap(540, 600)),
        ("click((500,250))", Tap(540, 600)),
        ("left_double(start_box='(500,250)')", DoubleTap(540, 600)),
        ("long_press(start_box='(500,250)', time='')", LongPress(540, 600)),
        ("long_press(point='<point>500 250</point>', time='2')", LongPress(540, 600, 2.0)),
        ("right_single(start_box='(500,250)')", LongPress(540, 600)),
        ("scroll(start_box='(500,750)', end_box='(500,250)')", Swipe(540, 1800, 540, 600)),
        (
            "drag(start_point='<point>0 0</point>', end_point='<point>1000 1000</point>')",
            Swipe(0, 0, 1079, 2399),
        ),
        ("scroll(point='<point>500 250</point>', direction='down')", Scroll("up", (540, 600))),
        ("scroll(direction='left')", Scroll("right")),
        ("scroll(direction='Up')", Scroll("down")),
        ("type(content='hello')", Type("hello")),
        (r"type(content='hello\n')", Type("hello", enter=True)),
        (r"type(content='hello\\n')", Type("hello", enter=True)),
        ("type(content='hello\n')", Type("hello", enter=True)),
        (r"type(content='\n')", Type("", enter=True)),
        ("type(content='It's me')", Type("It's me")),
        (r"type(content='It\'s \"me\"')", Type('It\'s "me"')),
        ('type(content="a, b=c (d)")', Type("a, b=c (d)")),
        (r"type(content='你好 \u4f60')", Type("你好 你")),
        ("type(content='Bonn')", Type("Bonn")),
        ("type(content='f('x')')", Type("f('x')")),
        ("press_home()", Key("home")),
        ("press_back()", Key("back")),
        ("press_enter()", Key("enter")),
        ("hotkey(key='enter')", Key("enter")),
        ("hotkey(key='ctrl c')", None),
        ("open_app(app_name='Clock')", Open("Clock")),
        ("open_app(app_name='')", None),
        ("wait()", Wait(5.0)),
        ("wait(time='2')", Wait(2.0)),
        ("finished()", Finish()),
        ("finished(content='It is 7 o\\'clock.')", Finish("It is 7 o'clock.")),
        ("call_user()", Ask("I look.")),
        ("call_user(content='Which one?')", Ask("Which one?")),
        ("CLICK(start_box='(500,250)')", Tap(540, 600)),
        ("hover(start_box='(500,250)')", None),
        ("click()", None),
        ("click(start_box='(5)')", None),
        ("click(start_box='(5000,1)')", None),
        ("click(start_box='(-1,1)')", None),
        ("scroll(direction='sideways')", None),
        ("I would click the button.", None),
        ("", None),
    ],
)
@pytest.mark.parametrize("version", ["1", "doubao"])
def test_replies_of_models(calls: str, action: Action | None, version: Version) -> None:
    words = f"Thought: I look.\nAction: {calls}"
    if action is None:
        with pytest.raises(DialectError):
            UiTars(version).parse(words, PHONE)
    else:
        assert UiTars(version).parse(words, PHONE).actions == (action,)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("Thought: I look.\nAction: wait()", {"thought": "I look."}),
        ("Thought: two\nlines. Action: wait()", {"thought": "two\nlines."}),
        ("Action: wait()", {}),
        ("Action:wait()", {}),
        ("```\nThought: I look.\nAction: wait()\n```", {"thought": "I look."}),
        ("Thought：看。\nAction：wait()", {"thought": "看。"}),
        (
            "Reflection: It failed.\nAction_Summary: Wait.\nAction: wait()",
            {"reflection": "It failed.", "thought": "Wait."},
        ),
        ("Action_Summary: Wait.\nAction: wait()", {"thought": "Wait."}),
        ("Thought: Action: first.\nAction: wait()", {"thought": "Action: first."}),
        ("Thought: I look.\nAction: wait()[EOS]", {"thought": "I look."}),
    ],
)
def test_thoughts_beside_the_action(words: str, said: dict[str, str]) -> None:
    assert UiTars().parse(words, PHONE) == Decision((Wait(5.0),), said)


def test_a_reply_without_an_action_is_refused() -> None:
    with pytest.raises(DialectError, match='"Action:" is missing') as raised:
        UiTars().parse("I am sorry, but I cannot help.", PHONE)
    assert raised.value.words == "I am sorry, but I cannot help."


def test_several_actions_are_performed_in_order() -> None:
    words = "Action: click(start_box='(500,500)')\n\ntype(content='a')\n\nwait()"
    assert UiTars("1").parse(words, PHONE).actions == (Tap(540, 1200), Type("a"), Wait(5.0))


def test_version_1_5_uses_pixels_of_the_resized_picture() -> None:
    # The far corner of the resized picture, whose sides are multiples of 28.
    words = "Action: click(start_box='(1092,2408)')"
    assert UiTars("1.5").parse(words, PHONE).actions == (Tap(1079, 2399),)
    assert UiTars("1.5").parse(words, Frame((1080, 2400), (1092, 2408))).actions == (
        Tap(1079, 2399),
    )
    with pytest.raises(DialectError, match="outside"):
        UiTars("1.5").parse("Action: click(start_box='(1093,1)')", PHONE)


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
