from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Finish, Key, Scroll, Swipe, Tap, Type
from pytest_mobileagent.dialect import Decision, DialectError, Frame
from pytest_mobileagent.dialect.mobileagent import MobileAgent

FRAME = Frame((1080, 2400))
DOWN, UP = Swipe(540, 1200, 540, 600, 0.5), Swipe(540, 1200, 540, 1800, 0.5)


def reply(action):
    return f"Observation: A list.\nThought: I go on.\nAction: {action}"


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("stop", Finish()),
        ("Stop.", Finish()),
        ("The task is done, stop", Finish()),
        ("page down", DOWN),
        ("page up", UP),
        ("4. page down.", DOWN),
        ("page down, page up", DOWN),
        ("back", Key("back")),
        ("exit", Key("home")),
        ("exit the App", Key("home")),
        ("type (Milk)", Type("Milk")),
        ("type (Milk (2 l))", Type("Milk (2 l)")),
        ("type (snake_case)", Type("snake_case")),
        ("type (Milk\\n)", Type("Milk", enter=True)),
        ("type (a\\nb)", Type("a\nb")),
        ('type ("Milk")', Type('"Milk"')),
        ("type Milk", Type("Milk")),
        ("type （牛奶）", Type("牛奶")),
        ("type (bus stop)", Type("bus stop")),
    ],
)
def test_actions_without_a_target_are_parsed(action, expected):
    decision = MobileAgent().parse(reply(action), FRAME)
    assert decision.actions == (expected,)
    assert decision.said["action"] == action.strip("*_` ")


@pytest.mark.parametrize(
    ("action", "signal", "said"),
    [
        ("open App (Clock)", "open app", {"name": "Clock"}),
        ("Open app (Clock).", "open app", {"name": "Clock"}),
        ("click text (Wi-Fi)", "click text", {"text": "Wi-Fi"}),
        ("click text (Bus stop)", "click text", {"text": "Bus stop"}),
        ("click text (Sum (all))", "click text", {"text": "Sum (all)"}),
        ("2. click text (Save). There is text there.", "click text", {"text": "Save"}),
        ("I click text (Save)", "click text", {"text": "Save"}),
        ("click icon (red circle, top)", "click icon", {"icon": "red circle", "place": "top"}),
        ("click icon (X,Top Left)", "click icon", {"icon": "X", "place": "top left"}),
        ("fly away", "unknown", {}),
        ("page left", "unknown", {}),
        ("None", "unknown", {}),
        ("Type", "unknown", {}),
        ("I BACK off", "unknown", {}),
    ],
)
def test_actions_on_texts_and_icons_are_signals(action, signal, said):
    decision = MobileAgent().parse(reply(action), FRAME)
    assert (decision.actions, decision.signal) == ((), signal)
    assert said.items() <= decision.said.items()


@pytest.mark.parametrize(
    "words",
    [
        "Observation: x\nThought: y\nAction: back",
        "Observation:x\nThought:y\nAction:back\n",
        "**Observation:** x\n**Thought:** y\n**Action:** back",
        "observation: x\nthought: y\naction: back",
        "Observation：x\nThought：y\nAction：back",
        "Observation: x\nThought: y\nAction:\nback",
        "<think>Action: stop</think>Observation: x\nThought: y\nAction: back",
    ],
)
def test_parts_are_found_in_any_notation(words):
    assert MobileAgent().parse(words, FRAME) == Decision(
        (Key("back"),), {"observation": "x", "thought": "y", "action": "back"}
    )


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("", "no 'Observation:'"),
        ("I'm sorry, but I can't assist with that.", "no 'Observation:'"),
        ("Observation: x\nAction: back", "no 'Thought:'"),
        ("Observation: x\nThought: y", "no 'Action:'"),
        (reply("click text ()"), "no text in parentheses"),
        (reply("open App"), "no text in parentheses"),
        (reply("click icon (red circle)"), "a description and a place"),
    ],
)
def test_unparsable_reply_says_why(words, problem):
    with pytest.raises(DialectError, match=problem) as caught:
        MobileAgent().parse(words, FRAME)
    assert caught.value.words == words


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
