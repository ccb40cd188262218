from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import (
    Ask,
    DoubleTap,
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
from pytest_mobileagent.dialect.androidcontrol import AndroidControl

FRAME = Frame((1080, 2400))
GOLDEN = (
    Path(__file__).parents[3]
    / "shared/data/androidcontrol-uis1/android_control_evaluation_std.json"
)


@pytest.mark.parametrize(
    ("words", "action"),
    [
        ('{"action_type": "click", "x": 540, "y": 2273}', Tap(540, 2273)),
        ('{"action_type":"click","x":"540","y":2273.9}', Tap(540, 2273)),
        ('```json\n{"action_type": "click", "x": 540, "y": 2273}\n```', Tap(540, 2273)),
        ("Action: {'action_type': 'click', 'x': 540, 'y': 2273} now", Tap(540, 2273)),
        ('{"action_type": "long_press", "x": 1, "y": 2}', LongPress(1, 2)),
        ('{"action_type": "scroll", "direction": "down"}', Scroll("up")),
        ('{"action_type": "scroll", "direction": "left"}', Scroll("right")),
        ('{"action_type": "open_app", "app_name": "Zoho Meeting"}', Open("Zoho Meeting")),
        ('{"action_type": "input_text", "text": "hi"}', Type("hi")),
        ('{"action_type": "type", "text": "hi", "x": 1, "y": 2}', Type("hi", (1, 2), enter=True)),
        ('{"action_type": "navigate_home"}', Key("home")),
        ('{"action_type": "navigate_back"}', Key("back")),
        ('{"action_type": "WAIT"}', Wait()),
        ('{"action": "click", "coordinate": [540, 2273]}', Tap(540, 2273)),
        ('{"action": "click", "coordinate": [540.0, 389.83], "bbox": [1, 2, 3, 4]}', Tap(540, 389)),
        ('{"action": "click", "coordinate": "(540, 2273)"}', Tap(540, 2273)),
        ('{"action": "long_press", "coordinate": [1, 2], "time": 2}', LongPress(1, 2, 2.0)),
        (
            '{"action": "swipe", "coordinate": [540, 1800], "coordinate2": [540, 600]}',
            Swipe(540, 1800, 540, 600),
        ),
        ('{"action": "type", "text": "a\\nb"}', Type("a\nb")),
        ('{"action": "open", "text": "pCloud"}', Open("pCloud")),
        ('{"action": "wait", "time": 2}', Wait(2.0)),
        ('{"action": "wait"}', Wait()),
        ('{"action": "system_button", "button": "Back"}', Key("back")),
        ('{"action": "system_button", "button": "menu"}', Key("overview")),
        ('{"action": "answer", "text": "42"}', Finish("42")),
        ('{"action": "terminate", "status": "success"}', Finish()),
        ('{"action": "terminate", "status": "failure"}', Impossible()),
    ],
)
def test_both_formats_are_parsed(words, action):
    assert AndroidControl().parse(words, FRAME).actions == (action,)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("", "no JSON object with action_type or action in ''"),
        ("click at 540, 2273", "no JSON object"),
        ('{"action_type": "click"', "no JSON object"),
        ("{}", "no JSON object"),
        ('{"action_type": "tap", "x": 1, "y": 2}', "no action_type 'tap'"),
        ('{"action_type": null}', "needs a string, not None"),
        ('{"action_type": "click", "x": 540}', "is not a number"),
        ('{"action_type": "click", "x": 1080.5, "y": 2}', "the point (1080.5, 2) is outside"),
        ('{"action_type": "click", "x": Infinity, "y": 2}', "is not a number"),
        ('{"action_type": "scroll", "direction": "on"}', "no direction"),
        ('{"action_type": "open_app"}', "needs a string, not None"),
        ('{"action": "click", "coordinate": [1, 2, 3]}', "two numbers"),
        ('{"action": "click", "coordinate": {"x": 1}}', "two numbers"),
        ('{"action": "swipe", "coordinate": [1, 2]}', "two numbers"),
        ('{"action": "system_button", "button": "Volume"}', "not 'Volume'"),
        ('{"action": "terminate", "status": "maybe"}', "not 'maybe'"),
        ('{"action": "key", "text": "27"}', "no action 'key'"),
        ('{"action": ["click"]}', "needs a string, not ["),
    ],
)
def test_it_explains_why_a_reply_is_invalid(words, problem):
    with pytest.raises(DialectError) as caught:
        AndroidControl().parse(words, FRAME)
    assert problem in str(caught.value)
    assert caught.value.words == words


def test_coordinates_refer_to_the_picture_sent():
    frame = Frame((1080, 2400), shown=(540, 1200))
    words = '{"action_type": "click", "x": 270, "y": 600}'
    assert AndroidControl().parse(words, frame).actions == (Tap(540, 1200),)


@pytest.fixture(scope="module")
def golden() -> list[dict[str, Any]]:
    if not GOLDEN.exists():
        pytest.skip(f"the recordings are not here: {GOLDEN}")
    episodes = json.loads(GOLDEN.read_text("utf-8"))
    return [step["action_content"] for episode in episodes for step in episode["steps"]]


def test_every_golden_action_is_parsed(golden):
    # The data do not state the screens' sizes.
    frame, dialect = Frame((4000, 4000)), AndroidControl("mobile_use")
    read: Counter[str] = Counter()
    for step in golden:
        decision = dialect.parse(json.dumps(step), frame)
        read[type(decision.actions[0]).__name__] += 1
        assert dialect.parse(dialect.print(decision, frame), frame) == decision
    assert read == {
        "Tap": 5074,
        "Swipe": 1211,
        "Type": 632,
        "Open": 608,
        "Wait": 567,
        "Key": 343,
        "LongPress": 9,
    }


@pytest.mark.parametrize("action", [Swipe(1, 2, 3, 4), DoubleTap(1, 2), Finish(), Key("enter")])
def test_the_original_form_cannot_express_some_actions(action):
    with pytest.raises(DialectError, match="cannot express"):
        AndroidControl().print(Decision((action,)), FRAME)


@pytest.mark.parametrize("action", [Scroll("up"), Type("a", (1, 1)), Ask("?"), Key("tab")])
def test_the_other_form_cannot_express_some_actions(action):
    with pytest.raises(DialectError, match="cannot express"):
        AndroidControl("mobile_use").print(Decision((action,)), FRAME)


points = st.tuples(st.integers(0, 1079), st.integers(0, 2399))
printable = st.text(st.characters(codec="utf-8", exclude_characters="<"), max_size=20)


@given(
    action=points.map(lambda p: Tap(*p))
    | points.map(lambda p: LongPress(*p))
    | printable.map(Type)
    | st.builds(lambda text, at: Type(text, at, enter=True), printable, points)
    | printable.map(Open)
    | st.builds(Scroll, st.sampled_from(["up", "down", "left", "right"]))
    | st.sampled_from([Key("back"), Key("home"), Wait()])
)
def test_the_original_form_reads_what_it_prints(action):
    decision, dialect = Decision((action,)), AndroidControl()
    assert dialect.parse(dialect.print(decision, FRAME), FRAME) == decision


@given(
    action=points.map(lambda p: Tap(*p))
    | st.builds(lambda p, s: LongPress(p[0], p[1], s), points, st.floats(0, 60))
    | st.builds(lambda p, q: Swipe(*p, *q), points, points)
    | printable.map(Type)
    | printable.map(Open)
    | printable.map(Finish)
    | st.floats(0, 60).map(Wait)
    | st.sampled_from([Key("back"), Key("home"), Key("enter"), Key("overview"), Impossible()])
)
def test_the_other_form_reads_what_it_prints(action):
    decision, dialect = Decision((action,)), AndroidControl("mobile_use")
    assert dialect.parse(dialect.print(decision, FRAME), FRAME) == decision


FRAGMENTS = [
    *('{"action_type": ', '"click"', ', "x": ', "5", ', "y": ', "}", '{"action": ', '"swipe"'),
    *(', "coordinate": [1, 2]', ', "time": ', '"terminate"', ', "status": "success"'),
]
