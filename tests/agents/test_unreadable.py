"""Unreadable replies: what each agent does by default, as the user decides, and strictly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Impossible, Task
from pytest_mobileagent.agent.options import make_options
from pytest_mobileagent.screen import ocr
from pytest_mobileagent.testing import ScriptedReply
from tests.agents.playing import acted, notes_phone, player, shipped
from tests.suite.test_agents import SOLVED

if TYPE_CHECKING:
    from PIL.Image import Image

    from pytest_mobileagent.screen.ocr import TextBox

REFUSAL = ScriptedReply("I cannot.", stop="refusal")
# Unreadable replies, and what an agent that gives up says of them.
WHY: list[tuple[Any, str]] = [
    ("Hm, well.", ""),
    (REFUSAL, "the model refuses"),
    (ScriptedReply("I look at the", stop="length"), "(the reply was cut off)"),
]
POINTS = '"touch_point": "[-1.0, -1.0]", "lift_point": "[-1.0, -1.0]"'
AITW = f'Action Decision: "action_type": "STATUS_TASK_{{}}", {POINTS}, "typed_text": ""'
WORLD = 'Reason: r\nAction: {"action_type": "status", "goal_status": "complete"}'
CALL = '{"name": "mobile_use", "arguments": {"action": "answer", "text": "two"}}'
DECISION = "### Thought ###\nt\n### Action ###\n{}\n### {} ###\no"
# For each agent, what it does by default, the replies before an unreadable one, and those after it.
AGENTS: dict[str, tuple[str, list[str], list[str]]] = {
    "agentcpm": ("no action", [], ['{"STATUS":"finish"}']),
    "androidarena": ("no action", [], ["#finish#"]),
    "appagent": ("give up", [], ["Observation: o\nThought: t\nAction: FINISH\nSummary: s"]),
    "auto_ui": ("give up", [], [AITW.format("COMPLETE")]),
    "autodroid": ("finish", [], ["{'Finished': 'Yes'}"]),
    "autoglm": ("finish", [], ['<answer>finish(message="two")</answer>']),
    "bmoca_multimodal": ("no action", [], ['- Action: press("home")'] * 2),
    "bmoca_text": ("no action", [], ['- Action: press("home")'] * 2),
    "cogagent": ("no action", [], ["Grounded Operation:task complete"]),
    "digirl": ("give up", [], [AITW.format("COMPLETE")]),
    "gelab_zero": ("crash", [], ["explain:e\taction:COMPLETE\treturn:two"]),
    "gpt4o_som": ("finish", [], ["COMPLETE"]),
    "internvl2": ("finish", [], ["COMPLETE"]),
    "m3a": ("no action", [], [WORLD]),
    "mai_ui": ("ask again", [], [f"<thinking></thinking><tool_call>{CALL}</tool_call>"]),
    "mobileagent": ("ask again", [], ["Observation: o\nThought: t\nAction: stop"]),
    "mobileagent_v3": (
        "no action",
        [DECISION.format("", "Plan")],
        [DECISION.format('{"action": "answer", "text": "two"}', "Description")],
    ),
    "odyssey": ("no action", [], ["COMPLETE"]),
    "os_atlas": ("no action", [], ["actions:\nCOMPLETE"]),
    "qwen_vl": ("crash", [], [CALL]),
    "seeact": ("no action", ["I look."], ["I stop.", "ELEMENT: None\nACTION: TERMINATE\nVALUE: "]),
    "t3a": ("no action", [], [WORLD]),
    "ui_tars": ("ask again", [], ["Action: finished(content='two')"]),
    "ui_venus": ("no action", [], ["<action>Answer(content='two')</action>"]),
}
REFUSED = {"m3a": "give up", "t3a": "give up"}
# Replies that are read, and how a strict episode ends with them, as in the original.
ENDINGS = {
    "autodroid": (
        ['{"Finished": "No", "id": 0, "action": "tap", "input_text": null}'],
        "self-reported",
    ),
    "mobileagent_v2": (["### Action ###\nTap (5,6)\n### Operation ###\na"], "agent error"),
    "qwen_vl": ([CALL], "agent error"),
    "androidarena": ([""], "agent error"),
    "auto_ui": ([AITW.format("IMPOSSIBLE")], "gave up"),
    "odyssey": (["COMPLETE", "COMPLETE: "], "self-reported"),
    "t3a": (['Reason: a\nAction: {"action_type": "click"}'], "agent error"),
    "bmoca_text": (["- Action: Tap(0)", "- Action: Tap(0)"], "step limit"),
}


class Blind:
    """An OCR engine that is immediately ready."""

    def read(self, image: Image) -> list[TextBox]:
        return []


@pytest.fixture(autouse=True)
def blind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let agents that read pictures find no text."""
    monkeypatch.setitem(ocr._engines, "rapidocr", Blind())


def followed(name: str, reply: Any, why: str, on_error: str = "") -> str:
    """Return the policy by which an agent went on after an unreadable reply.

    The task has an instruction for the first step only.
    """
    _, before, after = AGENTS[name]
    given: Any = {"options": {"on_error": on_error}} if on_error else {}
    given["phone"] = notes_phone(size=(108, 240))  # whose pictures are made quickly
    task = Task("Do it.", instructions=("Look around.",))
    episode, model = player(name)([*before, reply, *after], task=task, step_limit=2, **given)
    assert "Look around." in model.requests[0].text
    if episode.termination == "agent error":
        assert why in episode.error
        return "crash"
    if acted(episode)[0] is None:
        is_chat = name == "autoglm"  # which sends all prompts again
        assert ("Look around." in model.requests[-1].text) is is_chat
        return "no action"
    if isinstance(action := acted(episode)[0], Impossible):
        assert why in action.reason
        return "give up"
    return "finish" if len(model.requests) == len(before) + 1 else "ask again"


@pytest.mark.parametrize("name", AGENTS)
def test_an_unreadable_reply_is_treated_as_by_the_original(name: str) -> None:
    default = AGENTS[name][0]
    expected = [default, REFUSED.get(name, default), default]
    assert [followed(name, *each) for each in WHY] == expected


@pytest.mark.parametrize("name", AGENTS)
def test_the_user_decides_what_follows_an_unreadable_reply(name: str) -> None:
    assert {followed(name, *each, "give up") for each in WHY} == {"give up"}
    other = "finish" if AGENTS[name][0] == "no action" else "no action"
    assert followed(name, *WHY[0], other) == other


def test_every_agent_of_a_model_can_be_strict() -> None:
    for name in SOLVED:
        options = shipped(name).Options
        assert make_options(name, options, []).strict is False
        assert make_options(name, options, ["strict=true"]).strict is True


@pytest.mark.parametrize("name", ENDINGS)
def test_strictly_an_episode_ends_as_in_the_original(name: str) -> None:
    replies, termination = ENDINGS[name]
    options = {"strict": True}
    episode, _ = player(name)([*replies, *replies], step_limit=len(replies), options=options)
    assert episode.termination == termination
