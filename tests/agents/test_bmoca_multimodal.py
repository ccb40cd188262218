from __future__ import annotations

import io

from PIL import Image

from pytest_mobileagent import Tap
from pytest_mobileagent.agent.registry import find_agent, shipped_agents
from pytest_mobileagent.llm.scripted.entries import ScriptedReply
from pytest_mobileagent.llm.scripted.model import ScriptedModel
from pytest_mobileagent.testing import FakePhone, make_screen, play

BMocaMultimodal = find_agent("bmoca_multimodal", (shipped_agents(),)).load()


def test_the_agent_sends_a_small_screenshot_beside_the_list() -> None:
    model = ScriptedModel(
        [
            "- Thought: x\n- Action: tap(0)",
            ScriptedReply("I cannot.", stop="refusal"),
            ScriptedReply("- Thought:", stop="length"),
            "- Action: dual-gesture(0.5, 0.5, 0.5, 0.5)",
        ]
    )
    phone = FakePhone([make_screen("Clock", shade=90)])
    episode = play(BMocaMultimodal, "open Clock", phone=phone, model=model, step_limit=4)
    assert [step.actions for step in episode.steps] == [(Tap(540, 60),), (), (), (Tap(540, 1200),)]
    for request in model.requests:
        (image,) = request.images
        picture = Image.open(io.BytesIO(image.data))
        assert picture.size == (256, 512)
        assert picture.getpixel((100, 400)) == (90, 90, 90)
        assert "'text': 'Clock'" in request.text
    assert "tap({'numeric_tag': 0" in model.requests[1].text
