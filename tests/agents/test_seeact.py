from __future__ import annotations

import io

from PIL import Image

from pytest_mobileagent import Finish, Scroll, Tap, Type, Wait
from pytest_mobileagent.llm.scripted.entries import ScriptedReply
from pytest_mobileagent.testing import FakePhone, make_screen
from tests.agents.playing import acted, did, notes_phone, player

BUTTON = {"class": "android.widget.Button", "text": "Notes", "clickable": "true"}
FIELD = {"class": "android.widget.EditText", "content-desc": "Title"}


def lines(element: str, action: str, value: str = "None") -> str:
    return f"It is this.\n\nELEMENT: {element}\n\nACTION: {action}\n\nVALUE: {value}"


DONE = ["I am done.", lines("None", "TERMINATE")]


work = player("seeact", "Write a note.", lambda: notes_phone(FIELD, home=("Clock", BUTTON)))


def test_the_agent_describes_the_action_and_then_chooses_the_element() -> None:
    episode, model = work(
        [
            "I tap the Notes button.",
            lines("B", "CLICK"),
            "I type.",
            lines("A", "INPUT TEXT", "buy milk"),
            "I look further down.",
            lines("None", "SWIPE", "up"),
            *DONE,
        ]
    )
    assert acted(episode) == [
        Tap(540, 180),
        Type("buy milk", at=(540, 60), enter=True),
        Scroll("up"),
        Finish(),
    ]
    assert [call.role for call in episode.calls] == ["planner", "actor"] * 4
    assert '"Notes" button -> CLICK\n' in model.requests[2].text
    history = model.requests[-1].text
    assert 'a "Title" text box that is empty -> INPUT TEXT: buy milk\nSWIPE: up\n' in history


def test_the_second_call_goes_on_with_the_first() -> None:
    _, model = work(["I tap Notes.", lines("B", "CLICK"), *DONE])
    first, second, *_ = model.requests
    assert [message.role for message in first.messages] == ["system", "user"]
    assert [message.role for message in second.messages] == ["system", "user", "assistant", "user"]
    assert second.messages[:2] == first.messages
    assert second.messages[2].text == "\n\nI tap Notes."
    assert 'B. "Notes" button' in second.messages[3].text
    assert "C. None of these" in second.messages[3].text
    (image,) = first.images
    assert image.detail == "high"
    assert Image.open(io.BytesIO(image.data)).size == (1080, 2400)
    assert (first.temperature, first.max_tokens) == (0.0, 4096)


def test_an_answer_is_given_when_it_terminates() -> None:
    episode, model = work(["It is 5:30.", lines("None", "ANSWER", "5:30"), *DONE])
    assert acted(episode) == [Wait(0.0), Finish("5:30")]
    assert "ANSWER: 5:30" in model.requests[-1].text


def test_invalid_replies_are_no_operations_in_the_history() -> None:
    episode, model = work(
        [
            *("I tap.", lines("Z", "CLICK")),
            *("I tap.", lines("B", "CLICK", "Notes")),
            *("I tap.", "The button, of course."),
            *("I tap.", ScriptedReply("", stop="refusal")),
            *("I tap.", ScriptedReply("ELEMENT: B\nACTION: CLI", stop="length")),
            *DONE,
        ]
    )
    assert did(episode) == [(), (), (), (), (), (Finish(),)]
    history = model.requests[-1].text
    for error in (
        "CLICK needs one of the listed elements",
        "must be None",
        "no line 'ACTION",
        "model refuses",
    ):
        assert f"No Operation with error: {error}" in history or error in history
    assert "(the reply was cut off)" in history
    assert history.count("No Operation with error") == 5


def test_a_failed_action_is_in_the_history() -> None:
    off = {"text": "Beyond", "bounds": "[1000,2300][2000,3000]", "class": "a.Button"}
    _, model = work(["I tap.", lines("A", "CLICK"), *DONE], phone=FakePhone([make_screen(off)]))
    assert '"Beyond" button -> CLICK (No Operation with error: ' in model.requests[-1].text


def test_advice_on_the_task_can_be_given() -> None:
    _, model = work(DONE, options={"guidelines": "Use Notes.", "preset": "spa-bench"})
    assert model.requests[0].messages[0].text.endswith(" Use Notes.")
