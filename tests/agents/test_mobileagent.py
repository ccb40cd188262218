import io
import sys
from dataclasses import replace

import pytest
from PIL import Image, ImageDraw, ImageFont

from pytest_mobileagent.action import Finish, Key, Type
from pytest_mobileagent.action.gestures import Swipe, Tap
from pytest_mobileagent.screen.element import Bounds
from pytest_mobileagent.screen.ocr import TextBox
from pytest_mobileagent.testing import FakePhone, Fault, ScriptedReply, make_screen
from tests.agents.playing import acted, player, shipped

SCREEN = make_screen("Clock", "Save")
CLOCK = TextBox("Clock", Bounds(100, 1000, 200, 1040), 0.9)
SAVE = TextBox("Save", Bounds(400, 1200, 500, 1240), 0.9)
OTHER = TextBox("Save", Bounds(400, 1800, 500, 1840), 0.9)


@pytest.fixture
def perceived(monkeypatch):
    """Replaces OCR and icon detection with results given by the test."""

    def let(texts=(), icons=()):
        module = sys.modules[shipped("mobileagent").__module__]
        monkeypatch.setattr(module, "read_text", lambda image, engine: tuple(texts))
        monkeypatch.setattr(module, "find_icons", lambda image: tuple(icons))

    return let


def reply(action):
    return f"Observation: A list.\nThought: I go on.\nAction: {action}"


played = player("mobileagent", "Wake me.", lambda: FakePhone([SCREEN]))


def test_a_task_is_a_chat_that_grows_with_all_screenshots(perceived):
    perceived([CLOCK, SAVE])
    episode, model = played(
        [
            reply("open App (Clock)"),
            reply("click text (Save)"),
            reply("page down"),
            reply("type (7:00)"),
            reply("back"),
            reply("exit"),
            reply("stop"),
        ]
    )
    assert acted(episode) == [
        Tap(151, 960),
        Tap(453, 1224),
        Swipe(540, 1200, 540, 600, 0.5),
        Type("7:00"),
        Key("back"),
        Key("home"),
        Finish(),
    ]
    roles = [[message.role[0] for message in request.messages] for request in model.requests]
    assert ["".join(each) for each in roles[:3]] == ["uau", "uauau", "uauauau"]
    assert [len(request.images) for request in model.requests] == [1, 2, 3, 4, 5, 6, 7]
    first, second = model.requests[0].messages, model.requests[1].messages
    assert "My instruction is: Wake me." in first[0].text
    assert second[3].text == "open App (Clock)"
    assert (model.requests[0].max_tokens, model.requests[0].temperature) == (2048, None)


def test_screenshots_are_jpegs_of_half_the_size(perceived):
    perceived()
    _, model = played([reply("stop")])
    (image,) = model.requests[0].images
    assert image.media_type == "image/jpeg"
    assert Image.open(io.BytesIO(image.data)).size == (540, 1200)


def test_a_second_call_chooses_between_two_equal_texts(perceived):
    perceived([SAVE, OTHER])
    episode, model = played([reply("click text (Save)"), "Number 2.", reply("stop")])
    assert episode.steps[0].action == Tap(453, 1824)
    assert len(episode.steps[0].calls) == 2
    choice = model.requests[1]
    assert [message.role[0] for message in choice.messages] == ["u", "a", "u", "a", "u"]
    assert len(choice.images) == 3  # the screenshot and the two places
    assert "numbered 1 to 2" in choice.messages[-1].text
    assert len(model.requests[2].images) == 4  # the choice remains in the chat


@pytest.mark.parametrize(
    ("texts", "action", "problem"),
    [
        ([], "open App (Clock)", "There is no app named Clock."),
        ([CLOCK], "click text (Delete)", 'does not show the text "Delete"'),
        ([SAVE] * 5, "click text (Save)", 'the text "Save" is there too often'),
        ([], "click icon (red circle, top)", "there is no such icon"),
        ([], "dance", "no action could be found"),
        ([], "type (\0)", "must not contain NUL"),
    ],
)
def test_a_failed_action_is_reported_in_the_chat(perceived, texts, action, problem):
    perceived(texts)
    episode, model = played([reply(action), reply("stop")])
    assert episode.step_count == 1
    complaint, answer = model.requests[1].messages[-3:-1]
    assert problem in complaint.text
    assert len(complaint.images) == 1
    assert answer.text == "I will try something else."


def test_an_icon_is_found_by_its_place_and_chosen_by_its_look(perceived):
    top, bottom = Bounds(900, 100, 960, 160), Bounds(900, 2200, 960, 2260)
    left = Bounds(100, 2200, 160, 2260)
    perceived(icons=[top, bottom, left])
    episode, model = played(
        [
            reply("click icon (red circle, top)"),
            reply("click icon (red circle, bottom)"),
            "2",
            reply("stop"),
        ]
    )
    assert [step.action for step in episode.steps[:2]] == [Tap(928, 120), Tap(129, 2232)]
    assert "Which of them is this: red circle?" in model.requests[2].text
    assert [call.role for call in episode.steps[1].calls] == ["actor", "grounder"]


@pytest.mark.parametrize("words", ["none of them", "3", "0"])
def test_an_invalid_choice_is_reported(perceived, words):
    perceived([SAVE, OTHER])
    episode, model = played([reply("click text (Save)"), words, reply("stop")])
    assert episode.steps[0].actions == ()
    assert "no number from 1 to 2" in model.requests[2].text


def test_an_answer_without_its_parts_is_asked_for_again(perceived):
    perceived()
    cut = ScriptedReply("Observation: x\nThou", stop="length")
    episode, model = played(["Hm.", cut, Fault(503), reply("stop")])
    assert episode.step_count == 0
    assert model.requests[0].messages == model.requests[1].messages == model.requests[3].messages


def test_repeated_refusals_are_the_agents_failure(perceived):
    perceived()
    episode, model = played([ScriptedReply("I can't.", stop="refusal")] * 5)
    assert "the model refuses" in episode.error
    assert len(model.requests) == 5


@pytest.mark.slow
def test_texts_are_really_read():
    pytest.importorskip("rapidocr")
    picture = Image.new("RGB", (720, 1280), "white")
    font = ImageFont.load_default(40)
    ImageDraw.Draw(picture).text((200, 600), "Display settings", font=font, fill="black")
    stream = io.BytesIO()
    picture.save(stream, "png")
    screen = make_screen(size=(720, 1280))
    replies = [reply("click text (Display settings)"), reply("stop")]
    episode, _ = played(replies, replace(screen, png=stream.getvalue()))
    tap = episode.steps[0].action
    assert isinstance(tap, Tap)
    assert 200 < tap.x < 520
    assert 590 < tap.y < 660
