from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import (
    Action,
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
from pytest_mobileagent.dialect.androidworld import AndroidWorld
from pytest_mobileagent.dialect.dialect import Decision, DialectError, Frame
from pytest_mobileagent.perception.marks import Mark
from pytest_mobileagent.screen.element import Bounds

DIALECT = AndroidWorld()
MARKS = {
    "0": Mark("0", Bounds(0, 0, 100, 100)),
    "3": Mark("3", Bounds(500, 1000, 580, 1100)),
}
FRAME = Frame((1080, 2400), marks=MARKS)
BARE = Frame((1080, 2400))


def reply(action: str) -> str:
    return f"Reason: It is next.\nAction: {action}"


@pytest.mark.parametrize(
    ("action", "meant"),
    [
        ('{"action_type": "click", "index": 3}', [Tap(540, 1050)]),
        ("{'action_type': 'click', 'index': 3}", [Tap(540, 1050)]),
        ('{"action_type": "click", "index": "3"}', [Tap(540, 1050)]),
        ('```json\n{"action_type": "click",\n "index": 3}\n```', [Tap(540, 1050)]),
        ('{"action_type": "CLICK", "index": 3} as said', [Tap(540, 1050)]),
        ('{"action_type": "click", "index": 3, "text": null}', [Tap(540, 1050)]),
        ('{"action_type": "click", "x": 7, "y": 8}', [Tap(7, 8)]),
        ('{"action_type": "long_press", "index": 0}', [LongPress(50, 50)]),
        ('{"action_type": "double_tap", "index": 0}', [DoubleTap(50, 50)]),
        (
            '{"action_type": "input_text", "text": "hi", "index": 3}',
            [Type("hi", at=(540, 1050), enter=True)],
        ),
        (
            '{"action_type": "input_text", "text": 5, "index": 3}',
            [Type("5", (540, 1050), False, True)],
        ),
        ('{"action_type": "input_text", "text": "a}b"}', [Type("a}b", enter=True)]),
        (
            '{"action_type": "input_text", "text": "hi", "clear_text": true}',
            [Type("hi", clear=True, enter=True)],
        ),
        ('{"action_type": "input_text", "text": "", "index": 3}', []),
        ('{"action_type": "keyboard_enter"}', [Key("enter")]),
        ('{"action_type": "navigate_home"}', [Key("home")]),
        ('{"action_type": "navigate_back"}', [Key("back")]),
        ('{"action_type": "scroll", "direction": "down"}', [Scroll("up")]),
        ('{"action_type": "scroll", "direction": "left", "index": 0}', [Scroll("right", (50, 50))]),
        ('{"action_type": "scroll"}', []),
        ('{"action_type": "swipe", "direction": "up"}', [Scroll("up")]),
        ('{"action_type": "swipe", "direction": "left"}', [Scroll("right")]),
        ('{"action_type": "open_app", "app_name": "Clock"}', [Open("Clock")]),
        ('{"action_type": "wait"}', [Wait()]),
        ('{"action_type": "answer", "text": "42"}', [Finish("42")]),
        ('{"action_type": "answer"}', []),
        ('{"action_type": "status", "goal_status": "complete"}', [Finish()]),
        ('{"action_type": "status", "goal_status": "infeasible"}', [Impossible()]),
        ('{"action_type": "status"}', [Finish()]),
        ('{"action_type": "unknown"}', []),
    ],
)
def test_actions_are_parsed(action: str, meant: list[Action]) -> None:
    assert DIALECT.parse(reply(action), FRAME) == Decision(tuple(meant), {"reason": "It is next."})


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("", "not of the form"),
        ("I am sorry.", "not of the form"),
        ('Action: {"action_type": "wait"}', "not of the form"),
        ('Action: {"action_type": "wait"}\nReason: it loads', "not of the form"),
        ('Reason:\nAction: {"action_type": "wait"}', "not of the form"),
        (reply("click 3"), r"there is no \{…\}"),
        (reply('{"action_type": "click", "index"'), "not a JSON object"),
        (reply('{"action_type": "click", "index": 1'), "not a JSON object"),
        (reply('{"click"}'), "not a JSON object"),
        (reply('{"action_type": "click"}'), "needs an index"),
        (reply('{"action_type": "click", "index": 9}'), "no mark '9'"),
        (reply('{"action_type": "click", "index": -1}'), "no mark '-1'"),
        (reply('{"action_type": "click", "index": "Save"}'), "index is not a number"),
        (reply('{"action_type": "click", "index": NaN}'), "index is not a number"),
        (reply('{"action_type": "click", "index": 3, "x": 1, "y": 2}'), "either an index, or"),
        (reply('{"action_type": "click", "x": 2000, "y": 2}'), "outside"),
        (reply('{"action_type": "click", "target": 3}'), "no field 'target'"),
        (reply('{"action_type": "tap", "index": 3}'), "no action_type 'tap'"),
        (reply('{"action_type": "scroll", "direction": "downwards"}'), "no direction"),
        (reply('{"action_type": "open_app"}'), "needs an app_name"),
        (reply("{" * 3000), "not a JSON object"),
        (reply('{"action_type": 0x' + "f" * 9000 + "}"), "not a JSON object"),
    ],
)
def test_unparsable_reply_says_why(words: str, problem: str) -> None:
    with pytest.raises(DialectError, match=problem) as caught:
        DIALECT.parse(words, FRAME)
    assert caught.value.words == words


def test_reason_may_mention_actions() -> None:
    words = 'Reason: Action: click did not work, {see} it.\nAction: {"action_type": "wait"}'
    # As in the original, the first {…} after the first "Action:" counts.
    with pytest.raises(DialectError):
        DIALECT.parse(words, FRAME)


def test_bold_headings_and_thoughts_are_skipped() -> None:
    words = '<think>Action: {"x": 1}</think>**Reason:** so\n**Action:** {"action_type": "wait"}'
    assert DIALECT.parse(words, FRAME) == Decision((Wait(),), {"reason": "so"})


def test_history_contains_the_action_as_one_line_of_json() -> None:
    words = reply("```{'action_type': 'click',\n 'index': 3}```")
    assert AndroidWorld.action_json(words) == '{"action_type": "click", "index": 3}'


@pytest.mark.parametrize("action", [Ask("which?"), Swipe(1, 2, 3, 4), Type("x"), Key("tab")])
def test_unsupported_actions_are_refused(action: Action) -> None:
    with pytest.raises(DialectError):
        DIALECT.print(Decision((action,)), BARE)


TEXT = st.text(st.characters(codec="utf-8"), min_size=1)
X, Y = st.integers(0, 1079), st.integers(0, 2399)
AT = st.none() | st.tuples(X, Y)
ACTIONS = st.one_of(
    st.builds(Tap, X, Y),
    st.builds(DoubleTap, X, Y),
    st.builds(LongPress, X, Y),
    st.builds(Type, TEXT, AT, st.booleans(), st.just(value=True)),
    st.builds(Scroll, st.sampled_from(["up", "down", "left", "right"]), AT),
    st.builds(Open, TEXT),
    st.builds(Finish, TEXT | st.just("")),
    st.sampled_from([Key("enter"), Key("home"), Key("back"), Wait(), Impossible()]),
)


@given(ACTIONS)
def test_printed_actions_round_trip(action: Action) -> None:
    decision = Decision((action,), {"reason": "so"})
    assert DIALECT.parse(DIALECT.print(decision, BARE), BARE) == decision


@given(st.sampled_from(["0", "3"]))
def test_marks_are_named_by_index(label: str) -> None:
    decision = Decision((Tap(*MARKS[label].bounds.center),), {"reason": "so"})
    words = DIALECT.print(decision, FRAME)
    assert f'"index": {label}' in words
    assert DIALECT.parse(words, FRAME) == decision
