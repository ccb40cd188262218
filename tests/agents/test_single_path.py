"""On a single path, published agents remember the golden actions instead of their own."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Bounds, Key, Tap, Task, Termination, Type
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.llm.model import ToolCall
from pytest_mobileagent.llm.scripted.entries import ScriptedReply
from pytest_mobileagent.screen.ocr import TextBox
from pytest_mobileagent.testing import MemoryPhone, ScriptedModel, make_screen
from tests.agents.playing import acted, player, shipped

if TYPE_CHECKING:
    from pytest_mobileagent import Episode

SIZE = (1080, 2400)
FIRST, SECOND = Bounds(0, 0, 1080, 120), Bounds(0, 120, 1080, 240)
FIELD = {"class": "android.widget.EditText", "content-desc": "Title", "focusable": "true"}
GOLDEN = (
    Golden(Tap(540, 180), SIZE, (SECOND,), "home"),
    Golden(Type("milk", at=(540, 60)), SIZE, (FIRST,), "notes"),
    Golden(Tap(540, 180), SIZE, (SECOND,), "saved"),
)
INSTRUCTIONS = ("Open the notes.", "Write milk.", "Close it at last.")
UNUSED = '"touch_point": "[-1.0, -1.0]", "lift_point": "[-1.0, -1.0]"'
HOME = f'"action_type": "PRESS_HOME", {UNUSED}, "typed_text": ""'
TYPED = f'"action_type": "TYPE", {UNUSED}, "typed_text": "milk"'
AITW = f"Action Plan: [PRESS_HOME]; Action Decision: {HOME}"
JSON_HOME = '{"action_type": "navigate_home"}'
USE = {"name": "mobile_use", "arguments": {"action": "system_button", "button": "Home"}}
V3 = {"action": "system_button", "button": "Home"}


def phone() -> MemoryPhone:
    pages = {
        "home": make_screen("Clock", "Notes", shade=200),
        "notes": make_screen(FIELD, "Save", shade=100),
        "saved": make_screen("Share", "Close", shade=150),
    }
    return MemoryPhone(pages, {}, apps=["com.android.deskclock"])


def follow(name: str, replies: list[Any], **given: Any) -> tuple[Episode, ScriptedModel]:
    """Play an agent on the golden path, repeating these replies."""
    task = Task("Note the milk.", golden=GOLDEN, instructions=INSTRUCTIONS)
    return player(name, phone=phone)(replies * 3, task=task, path="single", **given)


# For each agent: its replies in a step, what its last prompt contains about the golden actions, and
# what it would contain about the agent's own decisions.
CASES: dict[str, tuple[list[Any], list[str], str]] = {
    "auto_ui": ([AITW], ["[0.0752, 0.5005]", TYPED], "PRESS_HOME"),
    "digirl": ([AITW], [f"Previous Actions: {TYPED} Goal"], "PRESS_HOME"),
    "gpt4o_som": (["I think.\nHOME"], ["1. CLICK[2]\n2. TYPE[milk]"], ". HOME"),
    "internvl2": (["HOME"], ["1. CLICK[540,180]\n2. TYPE[milk]"], ". HOME"),
    "odyssey": (["PRESS_HOME"], ["1. CLICK: (500, 75)\n2. TYPE: milk"], "PRESS_HOME"),
    "os_atlas": (
        ["Thoughts:\nwrong idea\nActions:\nPRESS_HOME"],
        ["Step 1: CLICK <point>[[500,75]]</point>\nStep 2: TYPE [milk]"],
        "wrong idea",
    ),
    "qwen_vl": (
        [f"Thought: t\nAction: wrong idea\n<tool_call>\n{json.dumps(USE)}\n</tool_call>"],
        ["action: click, coordinate: [500, 75]", "action: type, text: milk"],
        "wrong idea",
    ),
    "ui_tars": (
        ["Thought: wrong idea\nAction: press_home()"],
        ["Action: click(start_box='<|box_start|>", "Action: type(content='milk')"],
        "wrong idea",
    ),
    "autoglm": (
        ['<think>wrong idea</think>\n<answer>do(action="Home")</answer>'],
        ['do(action="Tap", element=[500, 75])', 'do(action="Type", text="milk")'],
        "wrong idea",
    ),
    "m3a": (
        [f"Reason: wrong idea\nAction: {JSON_HOME}", "It worked."],
        ['{"action_type": "click", "index": 1}. It worked.', '"text": "milk", "index": 0}. It'],
        "Action selected: " + JSON_HOME,
    ),
    "t3a": (
        [f"Reason: wrong idea\nAction: {JSON_HOME}", "It worked."],
        ['{"action_type": "click", "index": 1}. It worked.', '"text": "milk", "index": 0}. It'],
        "Action selected: " + JSON_HOME,
    ),
    "seeact": (
        ["I see.", "ELEMENT: None\nACTION: NAVIGATE HOME\nVALUE: None"],
        ['"Notes" icon -> CLICK', '"Title" text box that is empty -> INPUT TEXT: milk'],
        "\nNAVIGATE HOME\n",
    ),
    "androidarena": (
        ["wrong idea #press_home#"],
        ["Previous Action: click Notes", "Previous Action: type milk in Title"],
        "invalid action",
    ),
    "bmoca_text": (
        ['- Description: d\n- Thought: t\n- Action: press("HOME")'],
        ["Previous actions: [\"tap({'numeric_tag': 1,", "'type \"milk\"']"],
        "'press(HOME)'",
    ),
    "appagent": (
        ["Observation: o\nThought: t\nAction: tap(1)\nSummary: wrong idea"],
        ['so far: tap "Notes"; type "milk"'],
        "wrong idea",
    ),
    "mai_ui": (
        [f"<thinking>wrong idea</thinking>\n<tool_call>\n{json.dumps(USE)}\n</tool_call>"],
        ['"action": "click", "coordinate": [500, 75]', '"action": "type", "text": "milk"'],
        "wrong idea",
    ),
    "gelab_zero": (
        ["explain:e\taction:INFO\tvalue:Which?\tsummary:wrong idea"],
        ['tap "Notes"; type "milk"'],
        "wrong idea",
    ),
    "autodroid": (
        ['{"Finished": "No", "id": "1", "action": "tap", "input_text": "N/A"}'],
        ["Notes</button>\n- TapOn: <input text='Title'></input> InputText: milk"],
        "Save</button>\n\n",
    ),
    "mobileagent": (
        ["Observation: o\nThought: t\nAction: exit"],
        ["click text (Notes)", "type (milk)"],
        "\nexit\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_an_agent_remembers_the_golden_actions(name):
    replies, golden, own = CASES[name]
    episode, model = follow(name, replies)
    assert (episode.termination, episode.error) == (Termination.PATH, "")
    assert [step.golden for step in episode.steps if step.counts] == list(GOLDEN)
    last = next(r.text for r in reversed(model.requests) if "Close it at last." in r.text)
    for words in golden:
        assert words in last
    assert own not in last
    assert "Close it at last." not in model.requests[0].text
    assert ("Open the notes." in last) is (name == "autoglm")  # whose chat has all prompts


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("agentcpm", '{"thought":"wrong idea","PRESS":"HOME"}'),
        ("cogagent", "Grounded Operation: press home"),
    ],
)
def test_an_agent_without_memory_stays_without(name, reply):
    episode, model = follow(name, [reply])
    assert acted(episode) == [Key("home")] * 3
    assert "wrong idea" not in model.requests[-1].text
    assert "Close it at last." in model.requests[-1].text


def test_appagent_of_mobile_bench_v2_remembers_nothing():
    replies = ["Observation: o\nThought: t\nAction: click(c1)\nSummary: wrong idea"]
    _, model = follow("appagent", replies, options={"preset": "mobile-bench-v2"})
    assert "Notes" not in model.requests[-1].text
    assert "wrong idea" not in model.requests[-1].text


def test_mobileagent_v2_plans_upon_golden_actions_without_reflection(monkeypatch):
    module = sys.modules[f"{shipped('mobileagent_v2').__module__}.perception"]
    monkeypatch.setattr(module, "read_text", lambda *_: (TextBox("Notes", SECOND, 0.9),))
    monkeypatch.setattr(module, "find_icons", lambda _: ())
    decision = "### Thought ###\nt\n### Action ###\nHome\n### Operation ###\nwrong idea"
    replies = [decision, "### Important content ###\nNone", "### Completed contents ###\nSome."]
    episode, model = follow("mobileagent_v2", replies)
    assert episode.termination is Termination.PATH
    roles = [call.role for call in episode.calls]
    assert roles == ["decision", "decision", "planning"] * 2 + ["decision", "decision"]
    last = model.requests[-2].text
    assert 'Step-1: [Operation: tap "Notes"; Action: Tap (540, 180)]' in last
    assert 'Step-2: [Operation: type "milk"; Action: Type (milk)]' in last
    assert "wrong idea" not in last


def test_mobileagent_v3_takes_golden_actions_for_successes():
    plan = "### Thought ###\nt\n### Historical Operations ###\nx\n### Plan ###\n1. Go on with it."
    act = f"### Thought ###\nt\n### Action ###\n{json.dumps(V3)}\n### Description ###\nwrong idea"
    episode, model = follow("mobileagent_v3", [plan, act])
    assert [call.role for call in episode.calls] == ["manager", "executor"] * 3
    last = model.requests[-1].text
    assert '"action": "click", "coordinate": [547, 181]} | Description: tap "Notes"' in last
    assert 'Description: type "milk" | Outcome: Successful' in last
    assert "wrong idea" not in last


def test_mobileagent_v3_goes_on_when_its_plan_is_finished():
    plan = "### Thought ###\nt\n### Historical Operations ###\nx\n### Plan ###\nFinished"
    episode, model = follow("mobileagent_v3", [plan])
    assert len(model.requests) == len(episode.steps) == 3
    assert episode.termination is Termination.PATH


@pytest.mark.parametrize("name", ["openai_computer_use", "anthropic_computer_use"])
def test_tool_calls_are_answered_with_what_was_done(name):
    replies = [ScriptedReply("wrong idea", (ToolCall("f1", "home", {}),))]
    given = {"options": {"version": "20260801"}} if name.startswith("anthropic") else {}
    episode, model = follow(name, replies, **given)
    assert episode.termination is Termination.PATH
    last = model.requests[-1].text
    assert 'Instead of what you decided, this was done, since it is right: tap "Notes".' in last
    assert 'this was done, since it is right: type "milk".' in last
    assert "Close it at last." in last


def test_m3a_answers_at_once_on_a_path():
    say = '{"action_type": "answer", "text": "two"}'
    episode, _ = follow("m3a", [f"Reason: r\nAction: {say}", "Answered."])
    assert [type(step.action).__name__ for step in episode.steps] == ["Wait", "Finish", "Finish"]
