from __future__ import annotations

import io
import json
from typing import Any

import pytest
from PIL import Image

from pytest_mobileagent import Ask, Finish, Key, Open, Tap, Task, Type, Wait
from pytest_mobileagent.llm.model import ToolCall
from pytest_mobileagent.llm.scripted.entries import ScriptedReply
from tests.agents.playing import acted, player


def call(action: str, said: str = '"I tapped on Notes."', **more: Any) -> str:
    tool = json.dumps({"name": "mobile_use", "arguments": {"action": action, **more}})
    return f"Thought: It is next.\nAction: {said}\n<tool_call>\n{tool}\n</tool_call>"


TAP = call("click", coordinate=[500, 75])
WAIT = call("wait", "I wait.", time=1)
DONE = call("terminate", status="success")


work = player("qwen_vl")


def size(image: Any) -> tuple[int, int]:
    return Image.open(io.BytesIO(image.data)).size


def test_the_agent_works_until_it_terminates() -> None:
    back = call("system_button", button="Back")
    typing = call("type", text="milk")
    opening = call("open", text="Clock")
    episode, _ = work([TAP, typing, back, opening, DONE])
    assert acted(episode) == [
        Tap(540, 180),
        Type("milk"),
        Key("back"),
        Open("com.android.deskclock"),
        Finish(),
    ]


def test_the_agent_sees_the_current_picture_and_its_past_actions() -> None:
    _, model = work([TAP, WAIT, DONE])
    first, _, last = model.requests
    assert [message.role for message in last.messages] == ["system", "user"]
    assert "The user query: Count the notes." in first.text
    assert "Step 1" not in first.text
    assert "Step 1: I tapped on Notes.; Step 2: I wait.; " in last.text
    assert "999x999" in last.messages[0].text
    assert [size(image) for image in last.images] == [(1080, 2400)]


def test_the_declared_tool_is_json() -> None:
    _, model = work([DONE])
    system = model.requests[0].messages[0].text
    tool = json.loads(system.partition("<tools>\n")[2].partition("\n</tools>")[0])
    enum = tool["function"]["parameters"]["properties"]["action"]["enum"]
    assert "answer" in enum
    assert "key" not in enum


def test_version_2_5_answers_in_pixels_of_a_picture_of_known_size() -> None:
    reply = call("click", coordinate=[546, 181]).partition('I tapped on Notes."\n')[2]
    episode, model = work([reply, DONE], options={"version": "2.5"})
    assert episode.steps[0].action == Tap(540, 180)
    assert "1092x2408" in model.requests[0].text
    assert size(model.requests[0].images[0]) == (1092, 2408)
    assert "Step 1: {name: mobile_use" in model.requests[1].text


def test_gui_owl_sees_its_last_four_turns() -> None:
    episode, model = work([WAIT] * 6 + [DONE], options={"version": "gui-owl"})
    assert len(episode.steps) == 7
    assert [len(request.images) for request in model.requests] == [1, 2, 3, 4, 5, 5, 5]
    last = model.requests[-1]
    assert "Previous actions:\nStep 1: I wait.\nStep 2: I wait." in last.text
    assert "Step 3" not in last.text
    assert "2026-01-01 Thursday" in last.text
    roles = [message.role for message in last.messages]
    assert roles == ["system"] + ["user", "assistant"] * 4 + ["user"]
    assert "Previous actions:\nNone" in model.requests[0].text


@pytest.mark.parametrize(
    ("reply", "line"),
    [
        (call("wait", 'I "wait"\nhere.', time=1), 'I "wait"\nhere.'),
        (WAIT.partition("I wait.")[2].strip(), "<tool_call>"),
        (f"<think>Action: none.</think>\n{WAIT}", "none.</think>\nThought: It is next."),
    ],
)
def test_gui_owl_s_older_steps_are_lines_as_in_its_program(reply: str, line: str) -> None:
    _, model = work([reply] * 5 + [DONE], options={"version": "gui-owl"})
    assert f"Previous actions:\nStep 1: {line}" in model.requests[-1].messages[1].text


def xml(action: str, **more: Any) -> str:
    """Return a reply of Qwen3.5."""
    given = {"action": action, **more}
    lines = "".join(f"<parameter={key}>\n{given[key]}\n</parameter>\n" for key in given)
    return (
        "<think>\nIt is next.\n</think>\n\nThought: It is next.\nAction: I go on.\n"
        f"<tool_call>\n<function=mobile_use>\n{lines}</function>\n</tool_call>"
    )


def test_version_3_5_calls_in_xml() -> None:
    typing = xml("type", text='a "b"\n<c>')
    replies = [xml("click", coordinate=[500, 75]), typing, WAIT, xml("answer", text="two")]
    episode, model = work(replies, options={"version": "3.5"})
    assert acted(episode) == [Tap(540, 180), Type('a "b"\n<c>'), Wait(1.0), Finish("two")]
    last = model.requests[-1]
    assert "<parameter=coordinate>" in last.messages[0].text
    assert "Step 1: I go on.; Step 2: I go on.; Step 3: I wait.; " in last.text
    assert (last.temperature, last.top_p, last.max_tokens) == (1.0, 0.95, 32_768)
    assert last.extra["presence_penalty"] == 1.5


def test_gui_owl_points_go_to_1000() -> None:
    episode, _ = work([TAP, DONE], options={"version": "gui-owl"})
    assert episode.steps[0].action == Tap(540, 180)


@pytest.mark.parametrize("text", ["", "Thought: It is next.\nAction: I tap Notes.\n"])
def test_a_server_may_read_the_calls_itself(text: str) -> None:
    arguments = {"action": "click", "coordinate": [500, 75]}
    tapped = ScriptedReply(text, [ToolCall("1", "mobile_use", arguments)])
    done = ScriptedReply("", [ToolCall("2", "mobile_use", {"action": "terminate"})])
    episode, model = work([tapped, done])
    assert acted(episode) == [Tap(540, 180), Finish()]
    line = "I tap Notes." if text else "{name: mobile_use, arguments: {action: click"
    assert f"Step 1: {line}" in model.requests[1].text


def test_a_wrong_call_that_a_server_has_read_is_asked_for_again_in_words() -> None:
    wrong = ScriptedReply("", [ToolCall("1", "mobile_use", {"action": "fly"})])
    _, model = work([wrong, DONE], options={"on_error": "ask again"})
    said = model.requests[1].messages[-2]
    assert (said.role, said.tool_calls) == ("assistant", ())
    assert '"action": "fly"' in said.text


def test_answers_end_the_episode() -> None:
    episode, _ = work([call("answer", text="two")])
    assert episode.answer == "two"


def test_the_agent_asks_the_user_and_receives_the_answer() -> None:
    task = Task("Count.", user="The red one.")
    asking = call("interact", text="Which list?")
    episode, model = work([asking, DONE], task=task, options={"version": "gui-owl"})
    assert episode.steps[0].action == Ask("Which list?")
    assert "The user has answered: The red one." in model.requests[1].text
