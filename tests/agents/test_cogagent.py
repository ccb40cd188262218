from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import Image

from pytest_mobileagent import Finish, Key, Open, Scroll, Tap, Type
from pytest_mobileagent.llm.scripted.entries import ScriptedReply
from pytest_mobileagent.testing import FakePhone, make_screen
from tests.agents.playing import acted, did, player

FIELD = {"class": "android.widget.EditText", "text": "Title", "focused": "true"}
PLAIN, FOCUSED = make_screen("Notes", "Clock"), make_screen(FIELD)


def old(operation: str) -> str:
    return f"Plan: 1. Open it.\nNext Action: Go on.\nGrounded Operation:{operation}"


def new(operation: str, action: str = "Go on.") -> str:
    return f"Action: {action}\nGrounded Operation: {operation}\n<<一般操作>>"


work = player("cogagent", "Write a note.", lambda: FakePhone([PLAIN]))


def test_the_18b_model_works_until_it_is_done() -> None:
    replies = [old("tap [[500,25]]"), old('type "milk"'), old("press enter"), old("task complete")]
    episode, model = work(replies)
    assert acted(episode) == [Tap(540, 60), Type("milk"), Key("enter"), Finish()]
    question = 'What steps do I need to take to "Write a note."?(with grounding)'
    assert [request.text for request in model.requests] == [question] * 4
    assert (model.requests[0].max_tokens, model.requests[0].temperature) == (2048, 0.0)


def test_the_18b_model_sees_a_square() -> None:
    _, model = work([old("task complete")])
    [image] = model.requests[0].images
    assert Image.open(io.BytesIO(image.data)).size == (1120, 1120)


def test_spa_bench_says_whether_the_keyboard_is_shown() -> None:
    episode, model = work(
        [old("tap [[500,25]]"), old('type "milk"'), old("task complete")],
        *(PLAIN, FOCUSED, FOCUSED),
        options={"preset": "spa-bench"},
    )
    first, second, _ = (request.text for request in model.requests)
    assert '"Write a note."? (note: keyboard is not activated, ' in first
    assert '"Write a note."? (note: keyboard is activated ) (with grounding)' in second
    assert episode.steps[1].action == Type("milk", clear=True, enter=True)
    assert episode.termination == "self-reported"


def test_spa_bench_breaks_off_when_text_is_typed_without_a_keyboard() -> None:
    episode, _ = work([old('type "milk"')], options={"preset": "spa-bench"})
    assert episode.termination == "agent error"
    assert episode.steps == ()


def test_the_9b_model_works_until_it_is_done_and_sees_its_history() -> None:
    replies = [
        new("CLICK(box=[[400,000,600,050]], element_info='Notes')", "Open Notes."),
        new("TYPE(box=[[400,000,600,050]], text='milk')", "Type milk."),
        new("SCROLL_DOWN(box=[[0,0,998,998]], step_count=5)"),
        new("LAUNCH(app='Clock', url='None')"),
        new("END()", "It is done."),
    ]
    episode, model = work(replies, options={"version": "9b"})
    assert acted(episode) == [
        Tap(540, 60),
        Type("milk", at=(540, 60)),
        Scroll("up", at=(538, 1197)),
        Open("Clock"),
        Finish(),
    ]
    assert model.requests[0].text == (
        "Task: Write a note.\nHistory steps: \n(Platform: Mobile)\n"
        "(Answer in Action-Operation-Sensitive format.)\n"
    )
    assert (
        "History steps: \n"
        "0. CLICK(box=[[400,000,600,050]], element_info='Notes')\tOpen Notes.\n"
        "1. TYPE(box=[[400,000,600,050]], text='milk')\tType milk.\n"
        "(Platform: Mobile)" in model.requests[2].text
    )
    [image] = model.requests[0].images
    assert Image.open(io.BytesIO(image.data)).size == (1080, 2400)


def test_an_operation_without_the_phone_is_a_step_without_an_action() -> None:
    episode, _ = work(
        [new("LLM(prompt='Sum up', output='__CogName_x__')"), new("END()")],
        options={"version": "9b"},
    )
    assert did(episode) == [(), (Finish(),)]


@pytest.mark.parametrize("words", ["Done.", new("CLICK(box=[["), ScriptedReply("", stop="refusal")])
def test_words_without_an_operation_end_the_9b_models_episode(words: Any) -> None:
    episode, _ = work([words], options={"version": "9b"})
    assert acted(episode) == [Finish()]
