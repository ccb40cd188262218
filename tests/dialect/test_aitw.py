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


@pytest.mark.parametrize(
    ("words", "action"),
    [
        (touched("[0.7761, 0.7089]", "[0.7761, 0.7089]"), Tap(283, 620)),
        (touched("[0.5, 0.25]", "[0.53, 0.25]"), Tap(100, 400)),
        (touched("[1.0, 1.0]", "[1.0, 1.0]"), Tap(399, 799)),
        (touched("[0.8, 0.5]", "[0.2, 0.5]"), Swipe(200, 640, 200, 160)),
        (touched("[0.5, 0.2]", "[0.5, 0.8]"), Swipe(80, 400, 320, 400)),
        (touched("[8e-1, 5e-1]", "[2e-1, 0.5]"), Swipe(200, 640, 200, 160)),
        (said("TYPE", "best coffee maker"), Type("best coffee maker")),
        (said("TYPE", "beds, tables, and chairs: all"), Type("beds, tables, and chairs: all")),
        (said("TYPE", 'a 15" laptop'), Type('a 15" laptop')),
        (said("TYPE", ""), Type("")),
        (said("PRESS_BACK"), Key("back")),
        (said("PRESS_HOME"), Key("home")),
        (said("PRESS_ENTER"), Key("enter")),
        (said("STATUS_TASK_COMPLETE"), Finish()),
        (said("STATUS_TASK_IMPOSSIBLE"), Impossible()),
        (said("TASK_IMPOSSIBLE"), Impossible()),
        (said("press_back", plan=""), Key("back")),
        (f'"action_type": "PRESS_HOME", {NO_POINTS}, "typed_text": ""', Key("home")),
        ("{'action_type': 'TYPE', 'typed_text': 'it'}", Type("it")),
        ("action decision:  action_type: PRESS_BACK", Key("back")),
        (said("PRESS_BACK") + "</s><pad>", Key("back")),
        (said("PRESS_BACK") + said("PRESS_HOME"), Key("back")),
    ],
)
def test_it_reads_replies_of_models(words, action):
    assert Aitw().parse(words, FRAME).actions == (action,)


def test_plan_is_kept():
    decision = Aitw().parse(said("PRESS_BACK"), FRAME)
    assert decision.said == {"plan": "DUAL_POINT,TYPE,STATUS_TASK_COMPLETE"}


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("", 'no "action_type"'),
        ("I think I should press back.", 'no "action_type"'),
        (PLAN, 'no "action_type"'),
        (said("LONG_PRESS"), "no action of the type 'LONG_PRESS'"),
        (said("DUAL_POINT"), "outside the picture"),
        (touched("[0.5, 1.2]", "[0.5, 1.2]"), "the point (1.2, 0.5) is outside"),
        (touched("[0.5, 0.5]", "[0.5]"), 'no "lift_point"'),
        (touched("[0.5, 0.5]", "[0.5, 0.5]").split("5]", 1)[0], 'no "touch_point"'),
        (said("TYPE", "x").split(' "x"')[0], 'no "typed_text"'),
        (touched("[a, b]", "[0.5, 0.5]"), 'no "touch_point"'),
        (touched("[0.5, 1e999]", "[0.5, 0.5]"), "is not a number"),
        ('Action Decision: "action_type": "TYPE", "touch_point": "[-1.0, -1', 'no "typed_text"'),
    ],
)
def test_it_explains_why_a_reply_is_invalid(words, problem):
    with pytest.raises(DialectError) as caught:
        Aitw().parse(words, FRAME)
    assert problem in str(caught.value)
    assert caught.value.words == words


@pytest.mark.parametrize(
    ("variant", "lift", "action"),
    [
        ("auto-ui", "[0.5300, 0.5000]", Tap(200, 400)),
        ("digirl", "[0.5300, 0.5000]", Swipe(200, 400, 200, 424)),
        ("digirl", "[0.5030, 0.5000]", Tap(200, 400)),
        ("spa-bench", "[0.5300, 0.5000]", Swipe(200, 400, 200, 424, seconds=0.5)),
    ],
)
def test_tap_threshold_depends_on_the_variant(variant, lift, action):
    words = touched("[0.5000, 0.5000]", lift)
    assert Aitw(variant).parse(words, FRAME).actions == (action,)


def test_typing_on_spa_bench_clears_the_field_and_presses_enter():
    (action,) = Aitw("spa-bench").parse(said("TYPE", "tea"), FRAME).actions
    assert action == Type("tea", clear=True, enter=True)


def test_digirl_idles_on_an_invalid_decision():
    decision = Aitw("digirl").parse(said("SCROLL"), FRAME)
    assert (decision.actions, decision.signal) == ((), "idle")
    assert "SCROLL" in decision.said["problem"]


def test_digirl_gives_up_on_a_reply_without_a_decision():
    with pytest.raises(DialectError):
        Aitw("digirl").parse(PLAN, FRAME)


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
def test_it_cannot_express_actions_that_the_dialect_lacks(action):
    with pytest.raises(DialectError, match="cannot express"):
        Aitw().print(Decision((action,)), FRAME)


def test_it_expresses_one_action_at_a_time():
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


FRAGMENTS = [
    *("Action Decision: ", '"action_type": ', '"DUAL_POINT"', ", ", '"touch_point": ', "TYPE"),
    *('"[0.1, 0.2]"', '"lift_point": ', '"typed_text": ', '"[9e9, -1]"', "Action Plan: [", "]"),
]
