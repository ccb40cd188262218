from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Finish, Impossible, Key, Open, Type
from pytest_mobileagent.action.gestures import LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect import Decision, DialectError, Frame
from pytest_mobileagent.dialect.aitw import Aitw

FRAME = Frame((400, 800))
NO_POINTS = '"touch_point": "[-1.0, -1.0]", "lift_point": "[-1.0, -1.0]"'
PLAN = "Action Plan: [DUAL_POINT,TYPE,STATUS_TASK_COMPLETE]; "


def said(kind, text="", plan=PLAN):
    decision = f'Action Decision: "action_type": "{kind}", {NO_POINTS}, "typed_text": "{text}"'
    return plan + decision


def touched(touch, lift):
    points = f'"touch_point": "{touch}", "lift_point": "{lift}"'
    return f'{PLAN}Action Decision: "action_type": "DUAL_POINT", {points}, "typed_text": ""'


def test_gesture_is_printed_like_in_the_history():
    line = Aitw.gesture_in(touched("[0.7761, 0.70891]", "[0.7761, 0.7089]")).line()
    assert line == (
        '"action_type": "DUAL_POINT", "touch_point": "[0.7761, 0.7089]", '
        '"lift_point": "[0.7761, 0.7089]", "typed_text": ""'
    )


def test_scrolling_is_printed_as_the_training_gesture():
    words = Aitw().print(Decision((Scroll("left"),)), FRAME)
    assert Aitw().parse(words, FRAME).actions == (Swipe(320, 400, 80, 400),)


@pytest.mark.parametrize(
    "action",
    [
        LongPress(1, 1),
        Open("clock"),
        Type("a", at=(1, 1)),
        Type("a", enter=True),
        Scroll("up", at=(1, 1)),
        Swipe(10, 10, 12, 12),
        Finish("42"),
    ],
)
def test_actions_that_the_dialect_lacks_cannot_be_expressed(action):
    with pytest.raises(DialectError, match="cannot express"):
        Aitw().print(Decision((action,)), FRAME)


def test_one_action_is_expressed_at_a_time():
    with pytest.raises(DialectError, match="one action at a time, not 2"):
        Aitw().print(Decision((Key("back"), Key("home"))), FRAME)


points = st.tuples(st.integers(0, 399), st.integers(0, 799))
typed = st.text(st.characters(codec="utf-8", exclude_characters='"'), max_size=20).filter(
    lambda text: text == text.strip() and "<" not in text and "Action" not in text
)


@given(
    action=points.map(lambda p: Tap(*p))
    | st.builds(
        lambda x, y: Swipe(x, y, 399 - x, (y + 400) % 800), st.integers(0, 399), st.integers(0, 799)
    )
    | typed.map(Type)
    | st.sampled_from([Key("back"), Key("home"), Key("enter"), Finish(), Impossible()]),
    plan=st.sampled_from([{}, {"plan": "DUAL_POINT,TYPE"}]),
)
def test_printed_actions_round_trip(action, plan):
    decision = Decision((action,), plan)
    assert Aitw().parse(Aitw().print(decision, FRAME), FRAME) == decision
