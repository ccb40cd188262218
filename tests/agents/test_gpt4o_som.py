from __future__ import annotations

import io

from PIL import Image

from pytest_mobileagent import Finish, Open, Scroll, Tap, Type
from pytest_mobileagent.llm.scripted.entries import ScriptedReply
from pytest_mobileagent.testing import FakePhone, make_screen
from tests.agents.playing import acted, did, notes_phone, player

work = player("gpt4o_som", "Note milk.", lambda: notes_phone("New note", apps=["org.maps"]))


def test_the_agent_acts_on_numbered_elements() -> None:
    episode, model = work(
        [
            "The notes are there.\nCLICK[2]",
            "Now I type.\nTYPE[milk]",
            "SCROLL[up]",
            "OPEN[Maps]",
            "It is done.\nCOMPLETE[one note]",
        ]
    )
    assert acted(episode) == [
        Tap(540, 180),
        Type("milk", clear=True),
        Scroll("up"),
        Open("org.maps"),
        Finish("one note"),
    ]
    assert [call.role for call in episode.calls] == ["actor"] * 5
    assert "Your actions so far:\nnone\n" in model.requests[0].text
    assert "1. CLICK[2]\n2. TYPE[milk]\n3. SCROLL[up]\n4. OPEN[Maps]\n" in model.requests[4].text


def test_the_agent_sends_the_marked_screenshot() -> None:
    _, model = work(["COMPLETE"])
    (request,) = model.requests
    assert "Note milk." in request.text
    assert request.temperature == 0.0
    (image,) = request.images
    picture = Image.open(io.BytesIO(image.data)).convert("RGB")
    assert picture.size == (1080, 2400)
    assert len(picture.getcolors(100_000) or ()) > 2


def test_the_agent_can_continue_instead() -> None:
    episode, model = work(
        ["Tap!", ScriptedReply("I think", stop="length"), "COMPLETE"],
        options={"on_error": "no action", "preset": "a3"},
    )
    assert did(episode) == [(), (), (Finish(),)]
    assert "1. an answer that could not be read: there is no action in" in model.requests[2].text
    assert "(the reply was cut off)" in model.requests[2].text


def test_the_agent_learns_which_action_failed() -> None:
    off = {"text": "Beyond", "bounds": "[1000,2300][2000,3000]", "clickable": "true"}
    _, model = work(["CLICK[1]", "COMPLETE"], phone=FakePhone([make_screen(off)]))
    assert "The last one could not be done: " in model.requests[1].text
