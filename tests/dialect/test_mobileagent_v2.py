from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Finish, Key, LongPress, Scroll, Swipe, Tap, Type
from pytest_mobileagent.dialect import Decision, DialectError, Frame
from pytest_mobileagent.dialect.mobileagent_v2 import MobileAgentV2

FRAME = Frame((1080, 2400))


def reply(action):
    return f"### Thought ###\nI go on.\n### Action ###\n{action}\n### Operation ###\nIt goes on."


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("Tap (540, 1200)", Tap(540, 1200)),
        ("Tap (540,1200)", Tap(540, 1200)),
        ("Tap [540, 1200]", Tap(540, 1200)),
        ("Tap (x=540, y=1200)", Tap(540, 1200)),
        ("Tap （540，1200）", Tap(540, 1200)),
        ("tap (540.5, 1200)", Tap(540, 1200)),
        ("Tap (540, 1200) on the icon (a gear)", Tap(540, 1200)),
        ("1. Tap (540, 1200)", Tap(540, 1200)),
        ("I would Tap (540, 1200).", Tap(540, 1200)),
        ("Tap (1, 2), then Tap (540, 1200)", Tap(540, 1200)),
        ("Swipe (540, 1800), (540, 600)", Swipe(540, 1800, 540, 600, 0.5)),
        ("Swipe (540,1800),(540,600)", Swipe(540, 1800, 540, 600, 0.5)),
        ("Swipe (540, 1800) to (540, 600)", Swipe(540, 1800, 540, 600, 0.5)),
        ("Type (Milk)", Type("Milk")),
        ("Type (Milk (2 l))", Type("Milk (2 l)")),
        ("Type (Back home)", Type("Back home")),
        ("Type (Milk\\n)", Type("Milk", enter=True)),
        ('Type (text) "Milk"', Type("Milk")),
        ("Home", Key("home")),
        ("Back", Key("back")),
        ("Stop", Finish()),
        ("Stop.", Finish()),
        ("All is done: Stop", Finish()),
    ],
)
def test_coordinates_are_in_pixels(action, expected):
    decision = MobileAgentV2().parse(reply(action), FRAME)
    assert decision.actions == (expected,)
    assert decision.said == {"thought": "I go on.", "action": action, "operation": "It goes on."}


def test_opening_an_app_is_a_signal():
    decision = MobileAgentV2().parse(reply("Open app (Clock)"), FRAME)
    assert (decision.signal, decision.said["name"]) == ("open app", "Clock")


@pytest.mark.parametrize(
    "words",
    ["", "I'm sorry, I can't help: go back.", reply("Wait"), reply("homework"), reply("tap")],
)
def test_an_unknown_action_is_a_signal(words):
    decision = MobileAgentV2().parse(words, FRAME)
    assert (decision.actions, decision.signal) == ((), "unknown")


@pytest.mark.parametrize(
    "words",
    [
        "Tap (1, 2)",
        "### Action ###\nTap (1, 2)",
        "### Thought\nx\n### Action\nTap (1, 2)\n### Operation\ny",
        "**### Thought ###**\nx\n**### Action ###**\nTap (1, 2)\n**### Operation ###**\ny",
        "### thought ### x ### action ### Tap (1, 2) ### operation ### y",
        "### Action: Tap (1, 2)",
        "### Action ### Home\n\n### Action ###\nTap (1, 2)",
        "<think>Tap (3, 4)</think>### Action ###\nTap (1, 2)",
    ],
)
def test_action_is_found_under_any_heading(words):
    assert MobileAgentV2().parse(words, FRAME).actions == (Tap(1, 2),)


@pytest.mark.parametrize(
    ("action", "problem"),
    [
        ("Tap (2000, 5)", r"\(2000, 5\) is outside the picture, which is 1080x2400"),
        ("Tap (-1, 5)", "outside"),
        ("Tap the gear", "such as .540, 1200.: 'the gear'"),
        ("Tap (x, y)", "expected at least"),
        ("Swipe (1, 2)", r"2 point\(s\)"),
        ("Swipe up", r"2 point\(s\)"),
        ("Type", "no text in parentheses"),
        ("Type (text)", "no text to type"),
        ("Open app ()", "no text in parentheses"),
        ("Tap (" + "9" * 5000 + ", 1)", "outside"),
    ],
)
def test_unparsable_reply_says_why(action, problem):
    with pytest.raises(DialectError, match=problem) as caught:
        MobileAgentV2().parse(reply(action), FRAME)
    assert caught.value.words == reply(action)


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
