from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Ask, Finish, Impossible, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect import Decision, DialectError, Frame
from pytest_mobileagent.dialect.androidcontrol import AndroidControl

FRAME = Frame((1080, 2400))
GOLDEN = (
    Path(__file__).parents[3]
    / "shared/data/androidcontrol-uis1/android_control_evaluation_std.json"
)


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
