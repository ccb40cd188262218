from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Finish, Key, Type
from pytest_mobileagent.action.gestures import Scroll, Swipe, Tap
from pytest_mobileagent.dialect import Decision, DialectError, Frame
from pytest_mobileagent.dialect.mobileagent import MobileAgent

FRAME = Frame((1080, 2400))
DOWN, UP = Swipe(540, 1200, 540, 600, 0.5), Swipe(540, 1200, 540, 1800, 0.5)


def reply(action):
    return f"Observation: A list.\nThought: I go on.\nAction: {action}"


TEXTS = st.text("ab (Wi-Fi)_.é", min_size=1, max_size=20)


@given(st.sampled_from([Finish(), DOWN, UP, Key("back"), Key("home")]) | st.builds(Type, TEXTS))
def test_printed_actions_round_trip(action):
    said = {"observation": "o", "thought": "t"}
    with suppress(DialectError):  # Unbalanced parentheses and outer spaces cannot be printed.
        words = MobileAgent().print(Decision((action,), said), FRAME)
        decision = MobileAgent().parse(words, FRAME)
        assert decision.actions == (action,)
        assert said.items() <= decision.said.items()


@pytest.mark.parametrize(
    "action", ["open App (Clock)", "click text (a (b))", "click icon (red X, top)", "fly"]
)
def test_signals_round_trip(action):
    decision = MobileAgent().parse(reply(action), FRAME)
    assert MobileAgent().parse(MobileAgent().print(decision, FRAME), FRAME) == decision


def test_scroll_is_printed_as_a_page_turn():
    words = MobileAgent().print(Decision((Scroll("up"),)), FRAME)
    assert words.endswith("Action: page down")


@pytest.mark.parametrize("action", [Tap(1, 2), Scroll("left"), Type("x", clear=True), Type("a)")])
def test_actions_that_mobile_agent_lacks_are_not_printed(action):
    with pytest.raises(DialectError):
        MobileAgent().print(Decision((action,)), FRAME)
