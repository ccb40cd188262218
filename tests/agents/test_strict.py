"""The option `strict`, which every agent that parses replies in a dialect has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.agent.options import make_options
from pytest_mobileagent.agent.registry import find_agent, shipped_agents
from pytest_mobileagent.screen import ocr
from pytest_mobileagent.testing import MemoryPhone, ScriptedModel, make_screen, play
from tests.suite.test_agents import SOLVED

if TYPE_CHECKING:
    from PIL.Image import Image

    from pytest_mobileagent.screen.ocr import TextBox

POINTS = '"touch_point": "[-1.0, -1.0]", "lift_point": "[-1.0, -1.0]"'
# A reply that is accepted leniently, and how a strict episode ends with it, as in the original.
ENDINGS = {
    "autodroid": (
        ['{"Finished": "No", "id": 0, "action": "tap", "input_text": null}'],
        "self-reported",
    ),
    "mobileagent_v2": (["### Action ###\nTap (5,6)\n### Operation ###\na"], "agent error"),
    "qwen_vl": (['{"name": "mobile_use", "arguments": {"action": "wait"}}'], "agent error"),
    "androidarena": ([""], "agent error"),
    "auto_ui": (
        [f'Action Decision: "action_type": "STATUS_TASK_IMPOSSIBLE", {POINTS}, "typed_text": ""'],
        "gave up",
    ),
    "odyssey": (["COMPLETE", "COMPLETE: "], "self-reported"),
    "t3a": (['Reason: a\nAction: {"action_type": "click"}'], "agent error"),
    "bmoca_text": (["- Action: Tap(0)", "- Action: Tap(0)"], "step limit"),
}


@pytest.mark.parametrize("name", SOLVED)
def test_every_agent_of_a_model_can_be_strict(name):
    options = find_agent(name, (shipped_agents(),)).load().Options
    assert make_options(name, options, []).strict is False
    assert make_options(name, options, ["strict=true"]).strict is True


class Blind:
    """An OCR engine that is immediately ready."""

    def read(self, image: Image) -> list[TextBox]:
        return []


@pytest.mark.parametrize("name", ENDINGS)
def test_strictly_an_episode_ends_as_in_the_original(name, monkeypatch):
    monkeypatch.setitem(ocr._engines, "rapidocr", Blind())
    replies, termination = ENDINGS[name]
    agent = find_agent(name, (shipped_agents(),)).load()
    episode = play(
        agent,
        "Open Notes.",
        phone=MemoryPhone({"home": make_screen("Clock", "Notes")}, {}),
        model=ScriptedModel([*replies, *replies]),
        options={"strict": True},
        step_limit=len(replies),
    )
    assert episode.termination == termination
