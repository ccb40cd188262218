from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Finish, Key, Type
from pytest_mobileagent.action.gestures import LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect import Decision, DialectError, Frame
from pytest_mobileagent.dialect.mobileagent_v2 import MobileAgentV2

FRAME = Frame((1080, 2400))


def reply(action):
    return f"### Thought ###\nI go on.\n### Action ###\n{action}\n### Operation ###\nIt goes on."


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("### Thought ###\nB would be bad.\n### Answer ###\nA", "A"),
        ("### Thought ###\nA\n### Answer ###\nB: A wrong page.", "B"),
        ("### Answer ###\n**C**", "C"),
        ("### Answer ###\nMy answer is B", "B"),
        ("### Answer:\nC", "C"),
        ("All is well.", "A"),
        ("none", ""),
        ("", ""),
    ],
)
def test_outcome_is_a_letter(words, expected):
    assert MobileAgentV2.outcome(words) == expected


POINTS = st.tuples(st.integers(0, 1079), st.integers(0, 2399))
ACTIONS = (
    st.sampled_from([Finish(), Key("back"), Key("home")])
    | POINTS.map(lambda at: Tap(*at))
    | st.tuples(POINTS, POINTS).map(lambda ends: Swipe(*ends[0], *ends[1], 0.5))
    | st.text("ab (Tap)_.é", min_size=1, max_size=20).map(Type)
)


@given(ACTIONS, st.sampled_from([FRAME, Frame((1080, 2400), shown=(2160, 4800))]))
def test_printed_actions_round_trip(action, frame):
    with suppress(DialectError):  # Unbalanced parentheses and outer spaces cannot be printed.
        words = MobileAgentV2().print(Decision((action,), {"thought": "t"}), frame)
        decision = MobileAgentV2().parse(words, frame)
        assert (decision.actions, decision.said["thought"]) == ((action,), "t")


def test_scroll_is_printed_as_a_swipe():
    words = MobileAgentV2().print(Decision((Scroll("up"),)), FRAME)
    assert "Swipe (540, 1200), (540, 600)" in words


@pytest.mark.parametrize("action", [LongPress(1, 2), Key("enter"), Type("text"), Type("a", (1, 2))])
def test_actions_that_mobile_agent_v2_lacks_are_not_printed(action):
    with pytest.raises(DialectError):
        MobileAgentV2().print(Decision((action,)), FRAME)


@given(st.text())
def test_any_reflection_has_an_outcome_or_none(words):
    assert MobileAgentV2.outcome(words) in {"A", "B", "C", ""}
