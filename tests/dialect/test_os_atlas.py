from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import (
    Finish,
    Impossible,
    Key,
    LongPress,
    Open,
    Scroll,
    Swipe,
    Tap,
    Type,
    Wait,
)
from pytest_mobileagent.dialect import Decision, DialectError, Frame
from pytest_mobileagent.dialect.os_atlas import OsAtlas

FRAME = Frame((400, 800))
DIALECT = OsAtlas()


@pytest.mark.parametrize(
    ("words", "action"),
    [
        ("CLICK <point>[[500,250]]</point>", Tap(200, 200)),
        ("CLICK <point>[[ 500, 250 ]]</point>", Tap(200, 200)),
        ("CLICK [[500,250]]", Tap(200, 200)),
        ("CLICK: <point>[[500,250]]</point>", Tap(200, 200)),
        ("CLICK <|box_start|>(500,250)<|box_end|>", Tap(200, 200)),
        ("CLICK <point>[[500,250]]</point>\nCLICK <point>[[0,0]]</point>", Tap(200, 200)),
        ("LONG_PRESS <point>[[500,250]]</point>", LongPress(200, 200)),
        ("TYPE [hello, world]", Type("hello, world")),
        ("TYPE [a [b] c]", Type("a [b] c")),
        ("TYPE []", Type("")),
        ("TYPE hello", Type("hello")),
        ("OPEN_APP [Google Chrome]", Open("Google Chrome")),
        ("SCROLL [UP]", Scroll("up")),
        ("SCROLL DOWN", Scroll("down")),
        ("SCROLL [left]", Scroll("left")),
        ("PRESS_BACK", Key("back")),
        ("PRESS_HOME<|im_end|>", Key("home")),
        ("PRESS_RECENT", Key("overview")),
        ("ENTER", Key("enter")),
        ("WAIT", Wait()),
        ("COMPLETE", Finish()),
        ("IMPOSSIBLE", Impossible()),
    ],
)
@pytest.mark.parametrize(
    "before",
    ["actions:\n", "Actions: ", "thoughts:\nI click it: actions follow.\nactions:\n", ""],
)
def test_it_reads_replies_of_models(before, words, action):
    assert DIALECT.parse(before + words, FRAME).actions == (action,)


def test_case_after_the_heading_is_ignored():
    words = "actions:\nclick <point>[[500,250]]</point>"
    assert DIALECT.parse(words, FRAME).actions == (Tap(200, 200),)


def test_thoughts_are_kept():
    words = "Thoughts:\nOpen it.\nThen read.\nActions:\nPRESS_HOME"
    assert DIALECT.parse(words, FRAME).said == {"thought": "Open it.\nThen read."}


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("", "no action in ''"),
        ("actions:\n", "no action in ''"),
        ("thoughts:\nI should click.", "no action in 'thoughts"),
        ("actions:\nTAP <point>[[1,2]]</point>", "no action in 'TAP"),
        ("actions:\nCLICK", "no point in ''"),
        ("actions:\nCLICK <point>[[500]]</point>", "no point"),
        ("actions:\nCLICK <point>the button</point>", "no point"),
        ("actions:\nCLICK <point>[[500,2500]]</point>", "the point (500, 2500) is outside"),
        ("actions:\nTYPE [cut of", "the brackets are not closed"),
        ("actions:\nTYPE", "the brackets are not closed"),
        ("actions:\nSCROLL [FURTHER]", "no direction"),
        ("actions:\nclick here", "no point in 'here'"),
        ("click here", "no action"),
    ],
)
def test_it_explains_why_a_reply_is_invalid(words, problem):
    with pytest.raises(DialectError) as caught:
        DIALECT.parse(words, FRAME)
    assert problem in str(caught.value)
    assert caught.value.words == words


def test_scroll_direction_may_refer_to_the_content():
    content = OsAtlas(scroll="content")
    assert content.parse("actions:\nSCROLL [DOWN]", FRAME).actions == (Scroll("up"),)
    assert content.print(Decision((Scroll("up"),)), FRAME) == "actions:\nSCROLL [DOWN]"


@pytest.mark.parametrize(
    "action", [Swipe(1, 2, 3, 4), Type("a", (1, 1)), Type("a", enter=True), Finish("42")]
)
def test_it_cannot_express_actions_that_the_dialect_lacks(action):
    with pytest.raises(DialectError, match="cannot express"):
        DIALECT.print(Decision((action,)), FRAME)


points = st.tuples(st.integers(0, 399), st.integers(0, 799))
printable = st.text(st.characters(codec="utf-8", exclude_characters="<"), max_size=20)


@given(
    action=points.map(lambda p: Tap(*p))
    | points.map(lambda p: LongPress(*p))
    | printable.filter(lambda text: "action" not in text.lower()).map(Type)
    | st.builds(Scroll, st.sampled_from(["up", "down", "left", "right"]))
    | st.builds(Key, st.sampled_from(["back", "home", "enter", "overview"]))
    | st.sampled_from([Finish(), Impossible(), Wait(), Open("Google Chrome")]),
    said=st.sampled_from([{}, {"thought": "Open the app.\nThen stop."}]),
    scroll=st.sampled_from(["finger", "content"]),
)
def test_printed_actions_round_trip(action, said, scroll):
    dialect, decision = OsAtlas(scroll), Decision((action,), said)
    assert dialect.parse(dialect.print(decision, FRAME), FRAME) == decision


FRAGMENTS = ["actions:", "\n", "CLICK", " ", "<point>", "[[", "5", ",", "]]", "TYPE [", "SCROLL"]
