"""Tests common to all dialects: any text is either parsed or refused, without side effects."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_mobileagent.dialect import (
    A3,
    AgentCpm,
    Aitw,
    Aitz,
    AndroidArena,
    AndroidControl,
    AndroidWorld,
    AnthropicComputerUse,
    AppAgent,
    AppAgentReflection,
    AutoDroid,
    AutoGlm,
    BMoca,
    BMocaDiscrete,
    BMocaGesture,
    CogAgent,
    DialectError,
    Frame,
    GelabZero,
    GeminiComputerUse,
    MobileAgent,
    MobileAgentV2,
    MobileAgentV3,
    MobileBenchV2,
    Odyssey,
    OpenAiComputerUse,
    OsAtlas,
    Qwen,
    SeeAct,
    UiTars,
    UiVenus,
    dialects,
)
from pytest_mobileagent.perception.marks import Mark
from pytest_mobileagent.screen.element import Bounds

if TYPE_CHECKING:
    from pytest_mobileagent.dialect import Dialect

    Words = st.SearchStrategy[str]

LABELS = ("0", "1", "2", "5", "12", "A", "B", "AA", "c5", "s21", "n5cf0", "n1a2b")
FRAME = Frame(
    (1080, 2400),
    marks={
        label: Mark(label, Bounds(0, 100 * at, 500, 100 * at + 100))
        for at, label in enumerate(LABELS)
    },
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def behind(*beginnings: str) -> Words:
    """Return text that follows one of several beginnings."""
    return st.builds(str.__add__, st.sampled_from(beginnings), st.text())


def within(*templates: str, characters: str = "") -> Words:
    """Return templates whose "_" are replaced by text, optionally of the given characters only."""
    text = st.text(characters) if characters else st.text()

    def filled(template: str) -> Words:
        first, *rest = template.split("_")
        texts = st.lists(text, min_size=len(rest), max_size=len(rest))
        return texts.map(lambda each: first + "".join(map(str.__add__, each, rest)))

    return st.sampled_from(templates).flatmap(filled)


def pieces(*fragments: str) -> Words:
    """Return fragments in any order, with a little text between them."""
    return st.lists(st.sampled_from(fragments) | st.text(max_size=3)).map("".join)


def objects(names: str, values: st.SearchStrategy[Any] = ANYTHING) -> st.SearchStrategy[Any]:
    """Return objects that have some of these fields."""
    return st.dictionaries(st.sampled_from(names.split()), values)


MOUSE_ACTIONS = ["left_click", "left_click_drag", "left_mouse_down", "left_mouse_up", "mouse_move"]
COMPUTER_USES = behind("{", '{"action": ') | objects(
    "action coordinate start_coordinate scroll_direction scroll_amount text name input type",
    ANYTHING
    | st.lists(st.integers(0, 500), min_size=2, max_size=2)
    | st.sampled_from([*MOUSE_ACTIONS, "right_click", "scroll", "type", "key", "wait"]),
).map(json.dumps)
QWEN_ARGUMENTS = objects(
    "action coordinate start_coordinate end_coordinate coordinate2 direction text time button",
    ANYTHING | st.sampled_from(["click", "swipe", "wait", "type", "system_button", "drag", "up"]),
)
THOUGHT_CALL = "<thinking></thinking><tool_call>%s</tool_call>"
AUTODROID = ["Steps", "Analyses", "Finished", "Next step", "id", "action", "input_text", "x"]
GEMINI_NAMES = (
    "click long_press type type_text_at drag_and_drop scroll_at scroll_document press_key "
    "key_combination open_app wait message"
)
GEMINI_ARGUMENTS = (
    "x y text press_enter clear_before_typing start_x start_y end_x end_y seconds key "
    "destination_x destination_y direction magnitude app_name keys"
)
OPENAI_NAMES = "click double_click scroll drag type keypress wait move"
APPAGENT = "Observation: a\nThought: b\nAction: _\nSummary: d"
# Each dialect in its variants, and text that is nearly valid: made from its fragments, from its
# characters, or from its objects with any values.
# fmt: off
DIALECTS: list[tuple[list[Dialect], Words]] = [
    ([A3("device"), A3("paper"), A3(clear=False)], within("CLICK[_]", "{_}", "SCROLL[5, _]")),
    ([AgentCpm()],
        behind("{", '{"POINT":', '{"TYPE":')
        | objects("thought POINT to duration PRESS TYPE STATUS", ANYTHING
                  | st.lists(st.integers(-10, 1010))
                  | st.sampled_from(["up", "HOME", "finish"])).map(json.dumps)),
    ([Aitw("auto-ui"), Aitw("digirl"), Aitw("spa-bench")],
        pieces("Action Decision: ", '"action_type": ', '"DUAL_POINT"', ", ", '"touch_point": ',
        '"[0.1, 0.2]"', '"lift_point": ', '"typed_text": ', '"[9e9, -1]"', "Action Plan: [",
        "TYPE", "]")),
    ([Aitz("text"), Aitz("marks")],
        pieces('{"ACTION": ', '"click_element"', ', "ARGS": ', '{"bbox": ', "[1, 2, 3, 4]", "}",
        "```", '"scroll"', '{"direction": "up"', '{"result_action_type": 4',
        ', "result_touch_yx": "[1,2]"')),
    ([AndroidArena()], within("#_#", characters="#clicksettxf [n5f0]_")),
    ([AndroidControl("original"), AndroidControl("mobile_use")],
        pieces('{"action_type": ', '"click"', ', "x": ', "5", ', "y": ', "}", '{"action": ',
        '"swipe"', ', "coordinate": [1, 2]', ', "time": ', '"terminate"',
        ', "status": "success"')),
    ([AndroidWorld(), AndroidWorld(text_only=True)],
        within("Reason: a\nAction: _", "Reason: a\nAction: {_}")),
    ([AnthropicComputerUse(), AnthropicComputerUse("20241022"),
      AnthropicComputerUse(cursor=(1, 1), pressed=(1, 1))], COMPUTER_USES),
    ([AppAgent(), AppAgent(grid=True), AppAgent(functions="mobile-bench-v2")],
        within(APPAGENT, characters='tapswiegrdlonx(),"\' 0123456789')),
    ([AppAgentReflection()],
        within("Decision: _\nThought: b\nDocumentation: _", "Decision: BACK\n_\n_")
        | pieces("Decision: ", "BACK", "INEFFECTIVE", "\n", "Thought: a\n", "Documentation: b")),
    ([AutoDroid()],
        st.dictionaries(st.sampled_from(AUTODROID), ANYTHING).map(repr)),
    ([AutoGlm()], behind("<answer>", "do(action=", 'do(action="Tap", ', "finish(message=")),
    ([BMoca()], within("- Description: a\n- Thought: b\n- Action: _", "tap(_)")),
    ([BMocaDiscrete()], st.integers().map(str)),
    ([BMocaGesture(), BMocaGesture(low=0.0)], st.lists(st.floats()).map(str)),
    ([CogAgent("18b"), CogAgent("9b"), CogAgent("9b", submit=True)],
        pieces("Grounded Operation:", "CLICK(", "TYPE(", "box=[[", "1,2,3,4", "]]", "text='",
        "'", ")", " ", "tap", "type", '"', "->", "SCROLL_UP(", "KEY_PRESS(key='", "LAUNCH(app=",
        "<<", ">>", "\n")),
    ([GelabZero()],
        pieces("<THINK>", "</THINK>", "explain:", "action:", "\t", "CLICK", "TYPE", "WAIT",
        "SLIDE", "point:", "point1:", "point2:", "500,", "250", "value:", "summary:", "\n")),
    ([GeminiComputerUse(), GeminiComputerUse("browser")],
        behind("{", '{"name": ')
        | st.builds(lambda name, given: json.dumps({"name": name, "arguments": given}),
                    st.sampled_from(GEMINI_NAMES.split()) | ANYTHING,
                    objects(GEMINI_ARGUMENTS, ANYTHING | st.integers(0, 1000)
                            | st.sampled_from(["up", "enter"])) | ANYTHING)),
    ([MobileAgent()],
        within("Observation: a\nThought: b\nAction: _", characters="openApcliktx ()ybdw,\\n")),
    ([MobileAgentV2()],
        within("### Thought ###\na\n### Action ###\n_\n### Operation ###\nb",
        characters="TapSwiey ()123,-.xOn\\")),
    ([MobileAgentV3("abs"), MobileAgentV3("0-1000")],
        within("### Thought ###\na\n\n### Action ###\n_\n\n### Description ###\nb",
        "### Thought ###\na\n\n### Action ###\n{_}\n\n### Description ###\nb")),
    ([MobileBenchV2()],
        pieces("Action: ", "click(", "c5", ")", "scroll(", "s21", ', "up"', 'input("', '"', "\n")),
    ([Odyssey(), Odyssey(submit=True)],
        pieces("CLICK", ": ", "(", "500", ", ", ")", "SCROLL", "TYPE", "PRESS_", "HOME", "\n",
        "1. ")),
    ([OpenAiComputerUse()],
        behind("{", '{"type": ')
        | objects("type x y scroll_x scroll_y path text keys button name arguments actions content",
                  ANYTHING | st.sampled_from(OPENAI_NAMES.split())).map(json.dumps)),
    ([OsAtlas("finger"), OsAtlas("content")],
        pieces("actions:", "\n", "CLICK", " ", "<point>", "[[", "5", ",", "]]", "TYPE [",
        "SCROLL")),
    ([Qwen("2.5"), Qwen("3"), Qwen("gui-owl"), Qwen("mai-ui")],
        behind("<tool_call>\n", '{"action": "click", ') | QWEN_ARGUMENTS.map(json.dumps)
        | QWEN_ARGUMENTS.map(lambda each: THOUGHT_CALL % json.dumps({"arguments": each}))),
    ([SeeAct()], within("ELEMENT: _\n\nACTION: _\n\nVALUE: _")),
    ([UiTars("1"), UiTars("1.5"), UiTars("doubao")],
        behind("Action: ", "Thought: a\nAction: click(")),
    ([UiVenus("1.5"), UiVenus("2")],
        within("<think>a</think><action>_</action>", "<action>Click(box=_)</action>")),
]
# fmt: on


def test_every_dialect_is_tested():
    assert {each.name for variants, _ in DIALECTS for each in variants} == set(dialects())


def test_every_dialect_is_documented():
    page = (Path(__file__).parents[2] / "docs" / "dialects.md").read_text("utf-8")
    rows = set(re.findall(r"(?m)^\| `(\w+)` \|", page))
    assert {each.__name__ for each in dialects().values()} <= rows


@pytest.mark.parametrize(
    ("variants", "own"), DIALECTS, ids=[variants[0].name for variants, _ in DIALECTS]
)
@settings(deadline=None)
@given(data=st.data())
def test_any_text_is_parsed_or_refused(variants, own, data):
    words = data.draw(st.text() | own)
    for dialect in variants:
        with suppress(DialectError):
            dialect.parse(words, FRAME)
        with suppress(DialectError):
            dialect.parse_strictly(words, FRAME)


@pytest.mark.parametrize("part", ["[", "{", '{"a":', "{'a': ", "9"])
def test_endless_nesting_and_numbers_are_parsed_or_refused(part):
    words = part * (10_000 // len(part))
    for dialect in (each() for each in dialects().values()):
        for reply in (words, f"Thought: a\nReason: a\nAction: {words}"):
            with suppress(DialectError):
                dialect.parse(reply, FRAME)


@given(st.text() | COMPUTER_USES)
def test_any_text_moves_the_mouse_or_is_refused(words):
    for mouse in (AnthropicComputerUse(), AnthropicComputerUse(cursor=(1, 1), pressed=(1, 1))):
        with suppress(DialectError):
            mouse.after(words)
