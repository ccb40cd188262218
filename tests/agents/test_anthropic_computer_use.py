from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import Image

from pytest_mobileagent import (
    Finish,
    Key,
    LongPress,
    Open,
    Scroll,
    Tap,
    Type,
)
from pytest_mobileagent.agent.registry import find_agent, shipped_agents
from pytest_mobileagent.llm.clients.anthropic_messages import AnthropicMessages
from pytest_mobileagent.llm.model import Message, ToolCall
from pytest_mobileagent.llm.scripted.entries import ScriptedReply
from pytest_mobileagent.llm.scripted.model import ScriptedModel
from pytest_mobileagent.testing import play
from tests.agents.playing import notes_phone, player

AnthropicComputerUse = find_agent("anthropic_computer_use", (shipped_agents(),)).load()
# The size of the picture of a 1080x2400 screen.
SIZE = (705, 1568)


def use(action: str, id: str = "t1", **more: Any) -> ToolCall:
    return ToolCall(id, "computer", {"action": action, **more})


def says(*calls: ToolCall, text: str = "") -> ScriptedReply:
    return ScriptedReply(text, calls)


TAP = says(use("left_click", coordinate=[352, 118]), text="I tap Notes.")
LOOK = says(use("screenshot", "t0"))
BACK = says(ToolCall("t2", "back", {}))
DONE = "two notes"


work = player(AnthropicComputerUse)


def shade(message: Message) -> Any:
    picture = Image.open(io.BytesIO(message.images[-1].data))
    assert picture.size == SIZE
    return picture.convert("L").getpixel((5, 5))


def test_the_agent_acts_until_it_uses_no_tool() -> None:
    typing = says(use("type", text="milk\n"))
    scroll = says(use("scroll", coordinate=[352, 784], scroll_direction="down", scroll_amount=5))
    opening = says(ToolCall("t3", "open_app", {"name": "Clock"}))
    several = says(use("key", text="Return"), use("right_click", "t4", coordinate=[352, 784]))
    episode, _ = work([TAP, typing, scroll, opening, several, BACK, DONE])
    assert [step.actions for step in episode.steps] == [
        (Tap(539, 180),),
        (Type("milk", enter=True),),
        (Scroll("up", (539, 1200)),),
        (Open("com.android.deskclock"),),
        (Key("enter"), LongPress(539, 1200)),
        (Key("back"),),
        (Finish("two notes"),),
    ]
    assert episode.answer == "two notes"


def test_each_use_is_answered_and_the_last_one_with_the_screen() -> None:
    both = says(use("left_click", coordinate=[352, 118]), use("wait", "t2", duration=1))
    _, model = work([both, DONE])
    first, second = model.requests
    assert [message.role for message in first.messages] == ["system", "user"]
    assert shade(first.messages[1]) == 200
    assert [message.role for message in second.messages[2:]] == ["assistant", "tool", "tool"]
    assert [message.answers for message in second.messages[3:]] == ["t1", "t2"]
    assert not second.messages[3].images
    assert shade(second.messages[4]) == 100


def test_the_agent_declares_the_size_of_the_picture() -> None:
    _, model = work([DONE])
    computer, *functions = model.requests[0].tools
    assert computer.provider == {
        "type": "computer_20251124",
        "name": "computer",
        "display_width_px": 705,
        "display_height_px": 1568,
    }
    assert [tool.name for tool in functions][:2] == ["back", "home"]


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("claude-3-5-sonnet-20241022", "20241022"),
        ("claude-3-7-sonnet-latest", "20250124"),
        ("claude-sonnet-4-20250514", "20250124"),
        ("claude-sonnet-4-5", "20250124"),
        ("claude-haiku-4-5-20251001", "20250124"),
        ("claude-opus-4-1", "20250124"),
        ("claude-opus-4-5-20251101", "20251124"),
        ("claude-opus-4-7", "20251124"),
        ("claude-sonnet-4-6", "20251124"),
        ("scripted", "20251124"),
    ],
)
def test_the_models_name_says_the_version_of_the_tool(name: str, version: str) -> None:
    namespace = AnthropicComputerUse.start.__globals__
    assert namespace["version_of"](f"anthropic:{name}") == version


def test_the_older_tool_clicks_where_the_mouse_was_moved_to() -> None:
    move = says(use("mouse_move", coordinate=[352, 118]))
    episode, _ = work([move, says(use("left_click")), DONE], options={"version": "20241022"})
    assert [step.actions for step in episode.steps] == [(Tap(539, 180),), (Finish("two notes"),)]
    assert len(episode.steps[0].calls) == 2


def test_an_action_that_phones_lack_is_reported_and_uses_a_step() -> None:
    episode, model = work([says(use("triple_click", coordinate=[1, 1])), DONE])
    assert [step.actions for step in episode.steps] == [(), (Finish("two notes"),)]
    assert "a touchscreen has no triple click" in model.requests[1].messages[-1].text


def test_the_three_newest_screenshots_stay() -> None:
    wait = says(use("wait", duration=0))
    _, model = work([wait] * 5 + [DONE])
    assert [len(request.images) for request in model.requests] == [1, 2, 3, 3, 3, 3]


def test_the_agent_learns_which_action_failed() -> None:
    episode, model = work([says(use("wait", duration=1000)), DONE])
    assert episode.steps[0].notice
    assert "That could not be done" in model.requests[1].messages[-1].text


def test_the_agent_speaks_with_the_messages_api() -> None:
    several = says(use("left_click", coordinate=[352, 118]), use("key", "t2", text="Return"))
    model = ScriptedModel([LOOK, several, BACK, DONE])
    with model.serve() as served:
        client = AnthropicMessages("claude-opus-4-7", served, "key")
        episode = play(AnthropicComputerUse, "Count the notes.", phone=notes_phone(), model=client)
        client.close()
    assert [step.actions for step in episode.steps] == [
        (Tap(539, 180), Key("enter")),
        (Key("back"),),
        (Finish("two notes"),),
    ]
    answered = [message.answers for message in model.requests[-1].messages if message.answers]
    assert answered == ["t0", "t1", "t2", "t2"]
