from __future__ import annotations

import io

from PIL import Image

from pytest_mobileagent import Tap
from pytest_mobileagent.llm.scripted.entries import ScriptedReply
from pytest_mobileagent.testing import make_screen
from tests.agents.playing import did, player


def test_the_agent_sends_a_small_screenshot_beside_the_list() -> None:
    replies = [
        "- Thought: x\n- Action: tap(0)",
        ScriptedReply("I cannot.", stop="refusal"),
        ScriptedReply("- Thought:", stop="length"),
        "- Action: dual-gesture(0.5, 0.5, 0.5, 0.5)",
    ]
    work = player("bmoca_multimodal", "open Clock")
    episode, model = work(replies, make_screen("Clock", shade=90), step_limit=4)
    assert did(episode) == [(Tap(540, 60),), (), (), (Tap(540, 1200),)]
    for request in model.requests:
        (image,) = request.images
        picture = Image.open(io.BytesIO(image.data))
        assert picture.size == (256, 512)
        assert picture.getpixel((100, 400)) == (90, 90, 90)
        assert "'text': 'Clock'" in request.text
    assert "tap({'numeric_tag': 0" in model.requests[1].text
