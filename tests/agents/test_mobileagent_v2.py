import io
import sys

import pytest
from PIL import Image

from pytest_mobileagent import Task
from pytest_mobileagent.action import Finish, Key, Type
from pytest_mobileagent.action.gestures import Swipe, Tap
from pytest_mobileagent.screen.element import Bounds
from pytest_mobileagent.screen.ocr import TextBox
from pytest_mobileagent.testing import FakePhone, ScriptedReply, make_screen
from tests.agents.playing import acted, did, player, shipped

CLOCK = TextBox("Clock", Bounds(100, 1000, 200, 1040), 0.9)
KEYBOARD = TextBox("ADB Keyboard {On}", Bounds(100, 2300, 500, 2340), 0.9)
ICON = Bounds(900, 100, 960, 160)
SCREEN = make_screen("Clock")
NOTHING = "### Important content ###\nNone"
GOOD, WRONG, SAME = (f"### Thought ###\nt\n### Answer ###\n{letter}" for letter in "ABC")


@pytest.fixture(autouse=True)
def perceived(monkeypatch):
    """Replaces OCR and icon detection with results given by the test."""
    module = sys.modules[f"{shipped('mobileagent_v2').__module__}.perception"]

    def let(texts=(CLOCK,), icons=(ICON,)):
        monkeypatch.setattr(module, "read_text", lambda image, engine: tuple(texts))
        monkeypatch.setattr(module, "find_icons", lambda image: tuple(icons))

    let()
    return let


def decision(action, operation="Taps it to go on."):
    return f"### Thought ###\nI go on.\n### Action ###\n{action}\n### Operation ###\n{operation}"


def completed(words):
    return f"### Completed contents ###\n{words}"


played = player("mobileagent_v2", "Wake me.", lambda: FakePhone([SCREEN]))


def test_a_step_is_a_decision_a_memory_a_reflection_and_a_plan():
    episode, model = played(
        [
            decision("Tap (540, 60)"),
            "### Important content ###\nThe code is 42.\n\nThat is all.",
            GOOD,
            completed("It was tapped."),
            decision("Swipe (540, 1800), (540, 600)", "Swipes up."),
            NOTHING,
            GOOD,
            completed("It was swiped."),
            decision("Stop"),
            NOTHING,
        ]
    )
    assert acted(episode) == [Tap(540, 60), Swipe(540, 1800, 540, 600, 0.5), Finish()]
    roles = [call.role for step in episode.steps for call in step.calls]
    assert roles == ["decision"] * 2 + ["reflection", "planning", "decision", "decision"] * 2
    assert [len(request.images) for request in model.requests] == [1, 1, 2, 0, 1, 1, 2, 0, 1, 1]
    for request in model.requests:
        assert (request.temperature, request.max_tokens, request.seed) == (0.0, 2048, 1234)
        assert request.messages[0].role == "system"
    memory, plan = model.requests[1], model.requests[3]
    assert [message.role[0] for message in memory.messages] == ["s", "u", "a", "u"]
    assert "### Current operation ###\nThought: I go on.\nOperation: Taps it\n" in plan.text
    last = model.requests[8].text
    assert "Step-1: [Operation: Taps it; Action: Tap (540, 60)]" in last
    assert "Step-2: [Operation: Swipes up.; Action: Swipe (540, 1800), (540, 600)]" in last
    assert "What is complete: It was swiped." in last
    assert "Noted from earlier screens:\nThe code is 42.\n" in last
    assert "That is all." not in last


def test_perceived_elements_are_listed_in_pixels():
    _, model = played([decision("Stop"), NOTHING])
    assert "[150, 1020]; text: Clock\n[930, 130]; icon\n" in model.requests[0].text
    (image,) = model.requests[0].images
    assert image.media_type == "image/jpeg"
    assert Image.open(io.BytesIO(image.data)).size == (1080, 2400)


def test_a_wrong_page_is_left_by_the_back_key():
    episode, model = played([decision("Tap (1, 2)"), NOTHING, WRONG, decision("Stop"), NOTHING])
    assert acted(episode) == [Tap(1, 2), Key("back"), Finish()]
    assert "### Last operation ###" in model.requests[3].text
    assert "So you did this: Tap (1, 2)" in model.requests[3].text
    assert "History operations" not in model.requests[3].text


def test_an_action_that_changed_nothing_does_not_enter_the_history():
    _, model = played(
        [
            decision("Tap (1, 2)"),
            NOTHING,
            SAME,
            decision("Tap (3, 4)"),
            NOTHING,
            GOOD,
            completed("x"),
            decision("Stop"),
            NOTHING,
        ]
    )
    assert "### Last operation ###" in model.requests[3].text
    last = model.requests[7].text
    assert "Step-1: [Operation: Taps it; Action: Tap (3, 4)]" in last
    assert "Last operation" not in last


def test_a_reflection_that_answers_nothing_changes_nothing():
    _, model = played([decision("Home"), NOTHING, "no idea", decision("Stop"), NOTHING])
    assert "Last operation" not in model.requests[3].text
    assert "History operations" not in model.requests[3].text


def test_an_app_is_opened_above_its_name():
    replies = [decision("Open app (Clock)"), NOTHING, GOOD, completed("x")]
    episode, _ = played([*replies, decision("Stop"), NOTHING])
    assert episode.steps[0].action == Tap(150, 980)


def test_a_missing_app_is_a_step_without_an_action():
    replies = [decision("Open app (Maps)"), NOTHING, SAME]
    episode, _ = played([*replies, decision("Stop"), NOTHING])
    assert episode.steps[0].actions == ()


def test_typing_is_offered_while_the_keyboard_is_open(perceived):
    _, model = played([decision("Stop"), NOTHING])
    assert "You cannot type now" in model.requests[0].text
    perceived([KEYBOARD])
    episode, model = played(
        [decision("Type (7:00)"), NOTHING, GOOD, completed("x"), decision("Stop"), NOTHING]
    )
    assert "Type (text): types" in model.requests[0].text
    assert episode.steps[0].action == Type("7:00")


def test_the_keyboard_is_open_where_a_field_has_the_focus():
    field = {"class": "android.widget.EditText", "focused": "true"}
    _, model = played([decision("Stop"), NOTHING], make_screen(field))
    assert "The keyboard is open" in model.requests[0].text


def test_memory_and_reflection_can_be_switched_off():
    episode, model = played(
        [decision("Home"), completed("x"), decision("Stop")],
        options={"memory": False, "reflection": False},
    )
    assert [call.role for step in episode.steps for call in step.calls] == [
        "decision",
        "planning",
        "decision",
    ]
    assert "Step-1" in model.requests[2].text


def test_icons_are_described_by_the_captioner():
    _, model = played(
        ["A red\ncircle.", decision("Stop"), NOTHING], options={"preset": "spa-bench"}
    )
    assert "[930, 130]; icon: A red circle.\n" in model.requests[1].text
    (image,) = model.requests[0].images
    assert Image.open(io.BytesIO(image.data)).size == (60, 60)


@pytest.mark.parametrize(
    "words", [decision("Tap the clock"), decision("Tap (5000, 1)"), decision("Swipe (1, 2)")]
)
def test_invalid_coordinates_crash_as_in_the_original(words):
    episode, _ = played([words])
    assert episode.termination == "agent error"
    assert "cannot be parsed" in episode.error


def test_another_policy_continues():
    episode, _ = played(
        [decision("Tap x"), decision("Stop"), NOTHING], options={"on_error": "no action"}
    )
    assert did(episode) == [(), (Finish(),)]


def test_a_refusal_is_a_step_that_is_reflected_upon():
    refusal = ScriptedReply("I can't help with that.", stop="refusal")
    episode, _ = played([refusal, NOTHING, SAME, decision("Stop"), NOTHING])
    assert did(episode) == [(), (Finish(),)]


def test_a_reply_that_was_cut_off_crashes_where_its_action_is():
    cut = ScriptedReply("### Thought ###\nx\n### Action ###\nTap (54", stop="length")
    episode, _ = played([cut])
    assert "the reply was cut off" in episode.error


def test_the_instruction_of_each_step_is_given_beside_the_goal():
    task = Task("Wake me.", instructions=("Go home.",))
    replies = [decision("Home"), NOTHING, GOOD, completed("x"), decision("Stop"), NOTHING]
    _, model = played(replies, task=task)
    assert "This step has to do this: Go home." in model.requests[0].text
    assert "This step has to do this" not in model.requests[4].text
