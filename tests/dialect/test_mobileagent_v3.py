from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Action, Ask, Finish, Impossible, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect.dialect import Decision, Frame
from pytest_mobileagent.dialect.errors import DialectError
from pytest_mobileagent.dialect.mobileagent_v3 import MobileAgentV3

DIALECT = MobileAgentV3()
FRAME = Frame((1080, 2400))


def reply(action: str) -> str:
    return (
        f"### Thought ###\nIt is next.\n\n### Action ###\n{action}\n\n### Description ###\nI do it."
    )


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
