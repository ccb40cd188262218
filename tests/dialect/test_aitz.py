from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import (
    Finish,
    Impossible,
    Key,
    LongPress,
    Scroll,
    Swipe,
    Tap,
    Type,
)
from pytest_mobileagent.dialect import Decision, DialectError, Frame
from pytest_mobileagent.dialect.aitz import Aitz
from pytest_mobileagent.perception.marks import Mark
from pytest_mobileagent.screen.element import Bounds

MARKS = {
    "0": Mark("0", Bounds(0, 0, 400, 800)),
    "11": Mark("11", Bounds(100, 100, 300, 300)),
}
FRAME = Frame((400, 800), marks=MARKS)
CLICK = '{"ACTION": "click_element", "ARGS": {"bbox": [400, 200, 600, 300]}}'


@pytest.mark.parametrize(
    ("words", "action"),
    [
        (CLICK, Tap(200, 200)),
        (f"```json\n{CLICK}\n```", Tap(200, 200)),
        (f"Here it is:\n```JSON\n{CLICK}\n```\nGood luck!", Tap(200, 200)),
        (CLICK[:-1], Tap(200, 200)),
        (CLICK.replace('"', "'"), Tap(200, 200)),
        ('{"ACTION": "CLICK_ELEMENT", "ARGS": {"bbox": [400.0, 200, 600, 300]}}', Tap(200, 200)),
        ('{"ACTION": "click_element", "ARGS": {"idx": 11}}', Tap(200, 200)),
        ('{"ACTION": "click_element", "ARGS": {"idx": "11"}}', Tap(200, 200)),
        ('{"ACTION": "scroll", "ARGS": {"direction": "down"}}', Scroll("down")),
        ('{"ACTION": "scroll", "ARGS": {"direction": "UP"}}', Scroll("up")),
        ('{"ACTION": "input", "ARGS": {"text": "a \\"b\\""}}', Type('a "b"')),
        ('{"ACTION": "type", "ARGS": {"text": "a"}}', Type("a")),
        ('{"ACTION": "press_enter", "ARGS": {}}', Key("enter")),
        ('{"ACTION": "press_home"}', Key("home")),
        ('{"ACTION": "press_back", "ARGS": null}', Key("back")),
        ('{"ACTION": "stop", "ARGS": {"task_status": "success"}}', Finish()),
        ('{"ACTION": "stop", "ARGS": {"task_status": "failure"}}', Impossible()),
        ('{"ACTION": "stop", "ARGS": {}}', Finish()),
    ],
)
def test_it_reads_replies_of_models(words, action):
    assert Aitz().parse(words, FRAME).actions == (action,)


def test_thoughts_are_kept():
    words = '{"THINK": "Home first.", "NEXT": "press home", "ACTION": "press_home", "ARGS": {}}'
    assert Aitz().parse(words, FRAME).said == {"thought": "Home first.", "next": "press home"}


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("", "no JSON object with ACTION or result_action_type in ''"),
        ("click_element(bbox=[1, 2, 3, 4])", "no JSON object"),
        ('{"ACTION": null}', "needs a string, not None"),
        ("[1, 2]", "no JSON object"),
        ('{"ACTION": ', "no JSON object"),
        ("{}", "no JSON object"),
        ('{"ACTION": "", "ARGS": {}}', "no function ''"),
        ('{"ACTION": "press_menu", "ARGS": {}}', "no function 'press_menu'"),
        ('{"ACTION": [5], "ARGS": {}}', "needs a string, not ["),
        ('{"ACTION": "click_element", "ARGS": {}}', "needs a bbox"),
        ('{"ACTION": "click_element", "ARGS": [1]}', "ARGS is not an object"),
        ('{"ACTION": "click_element", "ARGS": {"bbox": [1, 2]}}', "needs a bbox"),
        ('{"ACTION": "click_element", "ARGS": {"bbox": [1, 2, 3, "x"]}}', "is not a number"),
        ('{"ACTION": "click_element", "ARGS": {"bbox": [1, 2, 3, 9999]}}', "is outside"),
        ('{"ACTION": "click_element", "ARGS": {"bbox": [1, 2, 3, NaN]}}', "not a number"),
        ('{"ACTION": "click_element", "ARGS": {"idx": 12}}', "there is no mark '12'"),
        ('{"ACTION": "click_element", "ARGS": {"idx": true}}', "is not a number"),
        ('{"ACTION": "scroll", "ARGS": {"direction": "on"}}', "no direction"),
        ('{"ACTION": "input", "ARGS": {"text": [5]}}', "needs a string, not ["),
        (
            '{"ACTION": "click_element", "ARGS": {"bbox": [1, 2, 3, 1' + "0" * 400 + "]}}",
            "not a number",
        ),
        ('{"a":' * 9000, "no JSON object"),
    ],
)
def test_it_explains_why_a_reply_is_invalid(words, problem):
    with pytest.raises(DialectError) as caught:
        Aitz().parse(words, FRAME)
    assert problem in str(caught.value)
    assert caught.value.words == words


def annotated(kind, touch="[-1.0, -1.0]", lift="[-1.0, -1.0]", text=""):
    points = {"result_touch_yx": touch, "result_lift_yx": lift}
    return json.dumps({"result_action_type": kind, "result_action_text": text, **points})


@pytest.mark.parametrize(
    ("words", "action"),
    [
        (annotated(4, "[0.25, 0.5]", "[0.26, 0.5]"), Tap(200, 208)),
        (annotated(4, "[0.8, 0.5]", "[0.2, 0.4]"), Scroll("up")),
        (annotated(4, "[0.2, 0.5]", "[0.8, 0.5]"), Scroll("down")),
        (annotated(4, "[0.5, 0.8]", "[0.5, 0.2]"), Scroll("left")),
        (annotated(4, "[0.5, 0.2]", "[0.5, 0.8]"), Scroll("right")),
        (annotated(4, "[0.5, 0.2]", "[0.95, 0.7]"), Scroll("down")),
        (annotated(3, text="best cafe"), Type("best cafe")),
        (annotated(5), Key("back")),
        (annotated(6), Key("home")),
        (annotated(7), Key("enter")),
        (annotated(10), Finish()),
        (annotated(11), Impossible()),
    ],
)
def test_steps_of_the_data_set_are_parsed(words, action):
    assert Aitz().parse(words, FRAME).actions == (action,)


@pytest.mark.parametrize(
    "words", [annotated(9), annotated("x"), annotated(4, "[0.5]"), annotated(4)]
)
def test_it_names_invalid_steps_of_the_data(words):
    with pytest.raises(DialectError):
        Aitz().parse(words, FRAME)


@pytest.mark.parametrize("action", [LongPress(1, 1), Swipe(1, 2, 3, 4), Type("a", enter=True)])
def test_it_cannot_express_actions_that_the_dialect_lacks(action):
    with pytest.raises(DialectError, match="cannot express"):
        Aitz().print(Decision((action,)), FRAME)


def test_marks_without_numbers_cannot_be_printed():
    frame = Frame((400, 800), marks={"A": Mark("A", Bounds(0, 0, 400, 800))})
    with pytest.raises(DialectError, match="marks are numbered"):
        Aitz("marks").print(Decision((Tap(1, 1),)), frame)


points = st.tuples(st.integers(0, 399), st.integers(0, 799))
alone = (
    st.text(st.characters(codec="utf-8", exclude_characters="<"), max_size=20).map(Type)
    | st.builds(Scroll, st.sampled_from(["up", "down", "left", "right"]))
    | st.builds(Key, st.sampled_from(["back", "home", "enter"]))
    | st.sampled_from([Finish(), Impossible()])
)
thoughts = st.sampled_from([{}, {"thought": "Open {it}.", "next": "scroll"}])


@given(action=alone | points.map(lambda p: Tap(*p)), said=thoughts)
def test_printed_actions_round_trip(action, said):
    decision = Decision((action,), said)
    assert Aitz().parse(Aitz().print(decision, FRAME), FRAME) == decision


@given(action=alone | st.just(Tap(200, 200)), said=thoughts)
def test_printed_marks_round_trip(action, said):
    decision = Decision((action,), said)
    assert Aitz("marks").parse(Aitz("marks").print(decision, FRAME), FRAME) == decision


FRAGMENTS = [
    *('{"ACTION": ', '"click_element"', ', "ARGS": ', '{"bbox": ', "[1, 2, 3, 4]", "}", "}", "```"),
    *('"scroll"', '{"direction": "up"', '{"result_action_type": 4', ', "result_touch_yx": "[1,2]"'),
]
