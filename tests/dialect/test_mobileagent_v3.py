from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import (
    Action,
    Ask,
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
from pytest_mobileagent.dialect.dialect import Decision, DialectError, Frame
from pytest_mobileagent.dialect.mobileagent_v3 import MobileAgentV3

DIALECT = MobileAgentV3()
FRAME = Frame((1080, 2400))
SENT = Frame((1080, 2400), shown=(1092, 2408))


def reply(action: str) -> str:
    return (
        f"### Thought ###\nIt is next.\n\n### Action ###\n{action}\n\n### Description ###\nI do it."
    )


@pytest.mark.parametrize(
    ("action", "meant"),
    [
        ('{"action": "click", "coordinate": [540, 1200]}', Tap(540, 1200)),
        ("{'action': 'click', 'coordinate': [540, 1200]}", Tap(540, 1200)),
        ("{'action': 'click', 'coordinate': (540, 1200)}", Tap(540, 1200)),
        ('```json\n{"action": "click",\n"coordinate": [540, 1200]}\n```', Tap(540, 1200)),
        ('{"action": "click", "coordinate": ["540", "1200"]}', Tap(540, 1200)),
        ('{"action": "Click", "coordinate": [540, 1200]} now', Tap(540, 1200)),
        ('{"action": "long_press", "coordinate": [1, 2]}', LongPress(1, 2)),
        ('{"action": "long_press", "coordinate": [1, 2], "time": 3}', LongPress(1, 2, 3)),
        (
            '{"action": "swipe", "coordinate": [500, 1500], "coordinate2": [500, 500]}',
            Swipe(500, 1500, 500, 500, 0.5),
        ),
        ('{"action": "type", "text": "in json {a}"}', Type("in json {a}")),
        ('{"action": "type", "text": ""}', Type("")),
        ('{"action": "system_button", "button": "Back"}', Key("back")),
        ('{"action": "system_button", "button": "home"}', Key("home")),
        ('{"action": "system_button", "button": "Enter"}', Key("enter")),
        ('{"action": "system_button", "button": "Menu"}', Key("overview")),
        ('{"action": "open_app", "text": "Clock"}', Open("Clock")),
        ('{"action": "open", "text": "Clock"}', Open("Clock")),
        ('{"action": "wait", "time": 2}', Wait(2)),
        ('{"action": "answer", "text": "42"}', Finish("42")),
        ('{"action": "done"}', Finish()),
        ('{"action": "terminate", "status": "failure"}', Impossible()),
    ],
)
def test_actions_are_parsed(action: str, meant: Action) -> None:
    said = {"thought": "It is next.", "description": "I do it."}
    assert DIALECT.parse(reply(action), FRAME) == Decision((meant,), said)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("", "no thought"),
        ("I cannot help with that.", r"no \{…\}"),
        ("### Thought ###\n### Action ###\n{}", "no thought"),
        (reply(""), r"no \{…\}"),
        (reply("click (3, 4)"), r"no \{…\}"),
        (reply('{"action": "click", "coordinate": [540'), "not a JSON object"),
        (reply('{"action": "click"}'), r"coordinate is not \[x, y\]"),
        (reply('{"action": "click", "coordinate": 540}'), "coordinate is not"),
        (reply('{"action": "click", "coordinate": "540, 3"}'), "coordinate is not"),
        (reply('{"action": "click", "coordinate": ["a", 3]}'), "x is not a number"),
        (reply('{"action": "click", "coordinate": [5000, 3]}'), "outside"),
        (reply('{"action": "swipe", "coordinate": [5, 3]}'), "coordinate2 is not"),
        (reply('{"action": "system_button", "button": "Power"}'), "no button"),
        (reply('{"action": "type"}'), "needs text"),
        (reply('{"action": "scroll", "direction": "up"}'), "no action 'scroll'"),
        (reply("{}"), "no action 'none'"),
    ],
)
def test_unparsable_reply_says_why(words: str, problem: str) -> None:
    with pytest.raises(DialectError, match=problem) as caught:
        DIALECT.parse(words, FRAME)
    assert caught.value.words == words


def test_bare_object_is_enough() -> None:
    words = '{"action": "click", "coordinate": [540, 1200]}'
    assert DIALECT.parse(words, FRAME).actions == (Tap(540, 1200),)


def test_coordinates_refer_to_the_picture_sent() -> None:
    words = reply('{"action": "click", "coordinate": [1091, 2407]}')
    assert DIALECT.parse(words, SENT).actions == (Tap(1079, 2399),)


def test_coordinates_may_be_thousandths() -> None:
    words = reply('{"action": "click", "coordinate": [500, 1000]}')
    assert MobileAgentV3("0-1000").parse(words, SENT).actions == (Tap(540, 2399),)


def test_history_contains_the_action_as_json() -> None:
    words = reply("```json\n{'action': 'click',\n'coordinate': [5, 6]}\n```")
    assert MobileAgentV3.action_json(words) == '{"action": "click", "coordinate": [5, 6]}'


@pytest.mark.parametrize(
    "action", [Ask("?"), Key("tab"), Type("x", at=(1, 1)), Scroll("up"), Type("x", enter=True)]
)
def test_unsupported_actions_are_refused(action: Action) -> None:
    with pytest.raises(DialectError):
        DIALECT.print(Decision((action,)), FRAME)


TEXT = st.text(st.characters(codec="utf-8"))
SECONDS = st.floats(0, 60)
X, Y = st.integers(0, 1079), st.integers(0, 2399)
ACTIONS = st.one_of(
    st.builds(Tap, X, Y),
    st.builds(LongPress, X, Y, SECONDS),
    st.builds(Swipe, X, Y, X, Y, st.just(0.5)),
    st.builds(Type, TEXT),
    st.builds(Open, TEXT),
    st.builds(Finish, TEXT),
    st.builds(Wait, SECONDS),
    st.sampled_from([Key("enter"), Key("home"), Key("back"), Key("overview"), Impossible()]),
)


@example(Tap(0, 1), Frame((500, 900)))
@given(ACTIONS, st.sampled_from([FRAME, Frame((500, 900))]))
def test_printed_actions_round_trip(action: Action, frame: Frame) -> None:
    said = {"thought": "so", "description": "I do it"}
    if frame.size == (500, 900):  # The scale of 0 to 1000 is finer than this screen's pixels.
        dialect = MobileAgentV3("0-1000")
        action = Tap(action.x % 500, action.y % 900) if isinstance(action, Tap) else Wait(1)
    else:
        dialect = DIALECT
    decision = Decision((action,), said)
    assert dialect.parse(dialect.print(decision, frame), frame) == decision
