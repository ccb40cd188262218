from __future__ import annotations

import base64
import io
from typing import Any

from PIL import Image

from pytest_mobileagent import Finish, Key, LongPress, Scroll, Tap, Type
from pytest_mobileagent.testing import FakePhone, make_screen
from tests.agents.playing import acted, player

FIELD = {"class": "android.widget.EditText", "text": "Title", "focused": "true"}
PLAIN, FOCUSED = make_screen("Notes", "Clock", shade=200), make_screen(FIELD, shade=100)


work = player("odyssey", "write a note", lambda: FakePhone([PLAIN]))


def shade(data: bytes) -> Any:
    return Image.open(io.BytesIO(data)).convert("L").getpixel((0, 0))


def test_the_agent_works_until_it_is_done() -> None:
    replies = [
        *("CLICK: (500, 25)", "TYPE: milk: 2", "SCROLL: UP", "LONG_PRESS: (500, 25)"),
        *("PRESS_RECENT", "PRESS_BACK", "COMPLETE"),
    ]
    episode, model = work(replies)
    assert acted(episode) == [
        Tap(540, 60),
        Type("milk: 2"),
        Scroll("up"),
        LongPress(540, 60),
        Key("overview"),
        Key("back"),
        Finish(),
    ]
    assert len(model.requests) == 7
    assert (model.requests[0].max_tokens, model.requests[0].temperature) == (30, 0.0)


def test_at_first_there_are_no_past_steps() -> None:
    _, model = work(["COMPLETE"])
    [request] = model.requests
    assert request.text == (
        "You are a helpful assistant.\nPicture 1:\nI'm looking for guidance on how to write a note"
        "\nPrevious screenshots: None\nPrevious Actions: None"
        "\nProvide the command-style action directly."
    )
    [image] = request.images
    assert Image.open(io.BytesIO(image.data)).size == (448, 448)


def test_the_agent_sees_past_screenshots_and_past_actions() -> None:
    _, model = work(["CLICK: (500, 25)", "PRESS_BACK", "COMPLETE"], PLAIN, FOCUSED, PLAIN)
    request = model.requests[2]
    assert [shade(image.data) for image in request.images] == [200, 200, 100]
    assert "Previous Actions: 1. CLICK: (500, 25)\n2. PRESS_BACK\n" in request.text


def test_the_agent_remembers_four_steps() -> None:
    _, model = work([f"CLICK: ({number}, 1)" for number in range(6)] + ["COMPLETE"])
    assert len(model.requests[-1].images) == 5
    assert "1. CLICK: (2, 1)\n2. CLICK: (3, 1)" in model.requests[-1].text


def test_the_agent_may_remember_nothing() -> None:
    _, model = work(["PRESS_BACK", "COMPLETE"], options={"history": 0})
    assert "Previous Actions: None" in model.requests[1].text


def test_spa_benchs_server_is_sent_past_steps_beside_the_question() -> None:
    replies = ["CLICK: (500, 25)", "PRESS_BACK", "TYPE: milk", "COMPLETE"]
    episode, model = work(replies, PLAIN, FOCUSED, FOCUSED, options={"preset": "spa-bench"})
    assert episode.steps[2].action == Type("milk", clear=True, enter=True)
    first, *_, third, last = model.requests
    assert 'how to "write a note"? (note: keyboard is not activated, ' in first.text
    assert 'how to "write a note"? (note: keyboard is activated )' in third.text
    assert first.extra == {"inputs": ["", ""]}
    images, commands = last.extra["inputs"]
    assert commands == "PRESS_BACK<sep>TYPE: milk"
    assert [shade(base64.b64decode(data)) for data in images.split("<sep>")] == [100, 100]
    assert len(last.images) == 1


def test_spa_bench_breaks_off_when_text_is_typed_without_a_keyboard() -> None:
    episode, _ = work(["TYPE: milk"], options={"preset": "spa-bench"})
    assert episode.termination == "agent error"
