from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import Image

from pytest_mobileagent import Task
from pytest_mobileagent.action import Ask, Finish, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import Scroll, Tap
from pytest_mobileagent.testing import FakePhone, make_screen
from tests.agents.playing import acted, did, player

TAP = "Thought: I tap Notes.\nAction: click(start_box='(546,180)')"
WAIT = "Thought: I wait.\nAction: wait()"
DONE = "Thought: It is there.\nAction: finished(content='two notes')"


work = player("ui_tars")


def shades(request: Any) -> list[Any]:
    return [
        Image.open(io.BytesIO(image.data)).convert("L").getpixel((5, 5)) for image in request.images
    ]


def test_the_agent_taps_types_and_answers():
    several = "Thought: a\nAction: type(content='milk\\n')\n\npress_back()"
    opening = "Action: open_app(app_name='Clock')"
    scroll = "Thought: more\nAction: scroll(start_box='(546,1204)', direction='down')"
    episode, _ = work([TAP, several, opening, scroll, DONE])
    assert did(episode) == [
        (Tap(540, 179),),
        (Type("milk", enter=True), Key("back")),
        (Open("com.android.deskclock"),),
        (Scroll("up", (540, 1200)),),
        (Finish("two notes"),),
    ]
    assert episode.answer == "two notes"
    assert episode.steps[0].said == TAP


def test_history_is_pictures_and_words_by_turns():
    _, model = work([TAP, WAIT, DONE])
    first, _, last = model.requests
    assert [message.role for message in first.messages] == ["system", "user", "user"]
    assert "Count the notes." in first.messages[1].text
    assert "in English" in first.text
    assert shades(first) == [200]
    roles = [message.role for message in last.messages]
    assert roles == ["system", "user", "user", "assistant", "user", "assistant", "user"]
    assert shades(last) == [200, 100, 100]
    assert last.messages[3].text == (
        "Thought: I tap Notes.\nAction: click(start_box='<|box_start|>(546,180)<|box_end|>')"
    )
    picture = Image.open(io.BytesIO(last.images[-1].data))
    assert (picture.size, picture.format) == ((1080, 2400), "PNG")


def test_the_agent_sees_five_pictures_and_all_its_replies():
    _, model = work([WAIT] * 7 + [DONE])
    last = model.requests[-1]
    assert len(last.images) == 5
    assert last.text.count("Action: wait()\n") + last.text.count("Action: wait()") >= 7
    assert [message.role for message in last.messages][2:6] == ["assistant"] * 3 + ["user"]


def test_the_number_of_pictures_can_be_chosen():
    _, model = work([WAIT] * 3 + [DONE], options={"pictures": 1})
    assert [len(request.images) for request in model.requests] == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("version", "words", "settings"),
    [
        (
            "1",
            "click(start_box='<|box_start|>(500,75)<|box_end|>')",
            (128, {"frequency_penalty": 1}),
        ),
        ("1.5", "click(start_box='(546,181)')", (400, {})),
        ("doubao", "click(point='<point>500 75</point>')", (400, {})),
    ],
)
def test_each_version_has_its_points_and_settings(version, words, settings):
    replies = [f"Thought: t\nAction: {words}", DONE]
    episode, model = work(replies, options={"version": version})
    assert episode.steps[0].action == Tap(540, 180)
    request = model.requests[0]
    assert (request.temperature, request.max_tokens, request.extra) == (0.0, *settings)
    assert words.partition("(")[0] + "(" + words.partition("(")[2][:5] in request.text


def test_an_unreadable_reply_is_requested_again():
    episode, model = work(["I am not sure.", "Action: fly()", DONE])
    assert acted(episode) == [Finish("two notes")]
    assert len(model.requests) == 3
    assert '"Action:" is missing' in model.requests[1].text


def test_three_unreadable_replies_end_the_episode_as_the_agents_failure():
    episode, _ = work(["What?", "What?", "What?"])
    assert "cannot be parsed" in episode.error


def test_the_agent_asks_the_user_and_receives_the_answer():
    asking = "Thought: Which list do you mean?\nAction: call_user()"
    task = Task("Count.", user="The red one.")
    episode, model = work([asking, DONE], task=task)
    assert episode.steps[0].action == Ask("Which list do you mean?")
    assert "The user answers: The red one." in model.requests[1].messages[-1].text


def test_the_screen_itself_stays_where_nothing_changes():
    episode, _ = work([WAIT, DONE], phone=FakePhone([make_screen("Save")]))
    assert episode.steps[0].action == Wait(5.0)
