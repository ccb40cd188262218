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
)
from pytest_mobileagent.dialect import Decision, DialectError, Frame
from pytest_mobileagent.dialect.odyssey import Odyssey

FRAME = Frame((400, 800))


@pytest.mark.parametrize(
    ("words", "action"),
    [
        ("CLICK: (500, 250)", Tap(200, 200)),
        ("CLICK: (500,250)", Tap(200, 200)),
        ("CLICK: [500, 250]", Tap(200, 200)),
        ("CLICK：（500，250）", Tap(200, 200)),
        ("click: (500.0, 250.4)", Tap(200, 200)),
        ("CLICK: (1000, 1000)", Tap(399, 799)),
        ("1. CLICK: (500, 250)", Tap(200, 200)),
        ("CLICK: (500, 250)\nCLICK: (0, 0)", Tap(200, 200)),
        ("LONG_PRESS: (500, 250)", LongPress(200, 200)),
        ("LONG PRESS: (500, 250)", LongPress(200, 200)),
        ("SCROLL: UP", Scroll("up")),
        ("SCROLL: left", Scroll("left")),
        ("SCROLL: [DOWN]", Scroll("down")),
        ("SCROLL: DOWN to see more", Scroll("down")),
        ("I would SCROLL: UP", Scroll("up")),
        ("The action: LEFT", Scroll("left")),
        ("Please TYPE: tea\nfor two", Type("tea")),
        ("The task is COMPLETE: all is done", Finish()),
        ("TYPE: hello world", Type("hello world")),
        ("TYPE: 10:30, and (more)", Type("10:30, and (more)")),
        ("TYPE:", Type("")),
        ("PRESS_HOME", Key("home")),
        ("PRESS_BACK", Key("back")),
        ("PRESS_RECENT", Key("overview")),
        ("PRESS_RECENT:", Key("overview")),
        ("`PRESS_BACK`", Key("back")),
        ("press enter: now", Key("enter")),
        ("COMPLETE<|im_end|>", Finish()),
        ("COMPLETE: done", Finish()),
        ("IMPOSSIBLE", Impossible()),
        ("Sure!\nNext: this\nCLICK: (500, 250)", Tap(200, 200)),
        ("Action: PRESS_HOME", Key("home")),
        ("<think>PRESS_HOME</think>COMPLETE", Finish()),
    ],
)
def test_it_reads_replies_of_models(words, action):
    assert Odyssey().parse(words, FRAME).actions == (action,)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("", "no command in ''"),
        ("(500, 250)", "no command"),
        ("I would click on the search field.", "no command"),
        ("TAP: (500, 250)", "no command in"),
        ("CLICK", "no point (x, y) in ''"),
        ("CLICK: the button", "no point (x, y) in 'the button'"),
        ("CLICK: (500", "no point (x, y) in '(500'"),
        ("CLICK: (500, 1250)", "the point (500, 1250) is outside"),
        ("CLICK: (-5, 10)", "the point (-5, 10) is outside"),
        ("SCROLL: FURTHER", "no direction"),
        ("SCROLL", "no direction"),
    ],
)
def test_it_explains_why_a_reply_is_invalid(words, problem):
    with pytest.raises(DialectError) as caught:
        Odyssey().parse(words, FRAME)
    assert problem in str(caught.value)
    assert caught.value.words == words


def test_typing_submits_if_enabled():
    assert Odyssey(submit=True).parse("TYPE: tea", FRAME).actions == (
        Type("tea", None, True, True),
    )


@pytest.mark.parametrize(
    "action", [Open("clock"), Swipe(1, 2, 3, 4), Type("a\nb"), Type("a", (1, 1)), Finish("42")]
)
def test_it_cannot_express_actions_that_the_dialect_lacks(action):
    with pytest.raises(DialectError, match="cannot express"):
        Odyssey().print(Decision((action,)), FRAME)


points = st.tuples(st.integers(0, 399), st.integers(0, 799))
printable = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=20)


@given(
    action=points.map(lambda p: Tap(*p))
    | points.map(lambda p: LongPress(*p))
    | printable.filter(lambda text: "<" not in text).map(Type)
    | st.builds(Scroll, st.sampled_from(["up", "down", "left", "right"]))
    | st.builds(Key, st.sampled_from(["back", "home", "enter", "overview"]))
    | st.sampled_from([Finish(), Impossible()])
)
def test_printed_actions_round_trip(action):
    decision = Decision((action,))
    assert Odyssey().parse(Odyssey().print(decision, FRAME), FRAME) == decision


@given(x=st.integers(0, 1079), y=st.integers(0, 2399))
def test_points_on_a_large_screen_round_trip_within_their_resolution(x, y):
    frame = Frame((1080, 2400))
    (action,) = Odyssey().parse(Odyssey().print(Decision((Tap(x, y),)), frame), frame).actions
    assert isinstance(action, Tap)
    assert abs(action.x - x) <= 2
    assert abs(action.y - y) <= 3


FRAGMENTS = ["CLICK", ": ", "(", "500", ", ", ")", "SCROLL", "TYPE", "PRESS_", "HOME", "\n", "1. "]
