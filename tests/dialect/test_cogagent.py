from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Finish, Impossible, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect import Decision, DialectError, Frame
from pytest_mobileagent.dialect.cogagent import CogAgent, box_center

FRAME = Frame((400, 800))
OLD, NEW = CogAgent("18b"), CogAgent("9b")
PLAN = "Plan: 1. Open the search.\n2. Type.\nNext Action: Tap the field. "


def test_history_line_is_extracted():
    words = "Action: Stop.\nGrounded Operation:  END()\n<<x>>"
    assert CogAgent.line_of("Grounded Operation", words) == "END()"
    assert CogAgent.line_of("Action", words) == "Stop."
    assert CogAgent.line_of("Action", "nothing") == ""


@pytest.mark.parametrize("action", [Wait(), Open("clock"), Type('"'), Swipe(1, 2, 3, 4)])
def test_the_18b_model_cannot_express_some_actions(action):
    with pytest.raises(DialectError, match="cannot express"):
        OLD.print(Decision((action,)), FRAME)


@pytest.mark.parametrize("action", [Wait(), Impossible(), Type("a", enter=True), Swipe(1, 2, 3, 4)])
def test_the_9b_model_cannot_express_some_actions(action):
    with pytest.raises(DialectError, match="cannot express"):
        NEW.print(Decision((action,)), FRAME)


points = st.tuples(st.integers(0, 399), st.integers(0, 799))
printable = st.text(st.characters(codec="utf-8", exclude_characters="<>“”\"'"), max_size=20)
directions = st.sampled_from(["up", "down", "left", "right"])
keys = st.sampled_from(["back", "home", "enter", "overview", "delete", "tab", "escape", "menu"])


@given(
    action=points.map(lambda p: Tap(*p))
    | printable.map(Type)
    | st.sampled_from([Key("back"), Key("home"), Key("enter"), Finish(), Impossible()])
    | st.sampled_from([Swipe(200, 400, 200, 160, 0.5), Swipe(80, 400, 320, 400, 0.5)]),
    said=st.sampled_from([{}, {"plan": "1. Go.\n2. Stop.", "action": "Go."}]),
)
def test_printed_replies_of_the_18b_model_are_read_back(action, said):
    decision = Decision((action,), said)
    assert OLD.parse(OLD.print(decision, FRAME), FRAME) == decision


@given(
    action=points.map(lambda p: Tap(*p))
    | points.map(lambda p: LongPress(*p))
    | points.map(lambda p: DoubleTap(*p))
    | st.builds(Type, printable, st.none() | points)
    | st.builds(Scroll, directions, st.none() | points)
    | st.builds(Key, keys)
    | st.sampled_from([Open("Clock"), Open("it's"), Finish(), Type("a\\'b\n\\"), Type("')")]),
    said=st.sampled_from([{}, {"status": "Here.", "action": "Go.", "sensitivity": "敏感操作"}]),
)
def test_printed_replies_of_the_9b_model_are_read_back(action, said):
    decision = Decision((action,), said)
    assert NEW.parse(NEW.print(decision, FRAME), FRAME) == decision


def test_box_means_its_centre() -> None:
    frame = Frame((100, 200))
    assert box_center("at [[500, 250]]", frame) == (50, 50)
    assert box_center("box=[400,200,600,300]", frame) == (50, 50)
    with pytest.raises(DialectError, match="no point or box"):
        box_center("[[1, 2, 3]]", frame)
