from __future__ import annotations

import io
from typing import Any

from PIL import Image

from pytest_mobileagent import Task
from pytest_mobileagent.action import Ask, Finish, Impossible, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import LongPress, Tap
from pytest_mobileagent.llm.clients.openai import OpenAIResponses
from pytest_mobileagent.llm.model import Message, ToolCall
from pytest_mobileagent.llm.scripted import ScriptedModel
from pytest_mobileagent.llm.scripted.entries import ScriptedReply
from pytest_mobileagent.testing import play
from tests.agents.playing import acted, did, notes_phone, player, shipped


def computer(*actions: dict[str, Any], id: str = "c1") -> ToolCall:
    arguments = actions[0] if len(actions) == 1 else {"actions": list(actions)}
    return ToolCall(id, "computer", arguments, "computer_call")


def says(*calls: ToolCall, text: str = "") -> ScriptedReply:
    return ScriptedReply(text, calls)


# The picture is 720x1600, two thirds of the screen's size.
CLICK = {"type": "click", "button": "left", "x": 360, "y": 120}
TAP = says(computer(CLICK))
LOOK = says(computer({"type": "screenshot"}, id="c0"))
BACK = says(ToolCall("f1", "back", {}))
DONE = "two notes"


work = player("openai_computer_use")


def shade(message: Message) -> Any:
    picture = Image.open(io.BytesIO(message.images[-1].data))
    assert picture.size == (720, 1600)
    return picture.convert("L").getpixel((5, 5))


def test_the_agent_acts_until_it_calls_no_tool() -> None:
    several = says(computer(CLICK, {"type": "type", "text": "milk\n"}, id="c2"))
    opening = says(ToolCall("f2", "open_app", {"name": "Clock"}))
    holding = says(ToolCall("f3", "long_press", {"x": 360, "y": 120}), text="I hold it.")
    episode, _ = work([TAP, several, opening, holding, BACK, DONE])
    assert did(episode) == [
        (Tap(540, 180),),
        (Tap(540, 180), Type("milk", enter=True)),
        (Open("com.android.deskclock"),),
        (LongPress(540, 180),),
        (Key("back"),),
        (Finish("two notes"),),
    ]
    assert episode.answer == "two notes"
    assert episode.steps[3].said.startswith("I hold it.\n{")


def test_each_call_is_answered_with_the_screen_in_the_next_request() -> None:
    _, model = work([TAP, BACK, DONE])
    first, second, third = model.requests
    assert [message.role for message in first.messages] == ["system", "user"]
    assert "Count the notes." in first.messages[1].text
    assert shade(first.messages[1]) == 200
    assert [message.role for message in second.messages[2:]] == ["assistant", "tool"]
    assert second.messages[2].tool_calls[0].id == second.messages[3].answers == "c1"
    assert shade(second.messages[3]) == 100
    assert third.messages[5].answers == "f1"
    assert third.messages[5].text == "done"
    assert shade(third.messages[5]) == 200


def test_the_agent_declares_the_computer_and_what_a_phone_has_besides() -> None:
    _, model = work([DONE])
    computer, *functions = model.requests[0].tools
    assert computer.provider == {"type": "computer"}
    names = ["back", "home", "recents", "open_app", "long_press", "ask_user", "give_up"]
    assert [tool.name for tool in functions] == names
    assert functions[3].parameters["required"] == ["name"]


def test_the_older_tool_is_told_the_size_of_the_picture() -> None:
    _, model = work([DONE], options={"tool": "computer_use_preview"})
    assert model.requests[0].tools[0].provider == {
        "type": "computer_use_preview",
        "display_width": 720,
        "display_height": 1600,
        "environment": "browser",
    }


def test_the_picture_may_stay_as_it_is() -> None:
    big = says(computer({"type": "click", "x": 540, "y": 180}))
    episode, model = work([big, DONE], options={"longest": 0})
    assert episode.steps[0].action == Tap(540, 180)
    assert Image.open(io.BytesIO(model.requests[0].images[0].data)).size == (1080, 2400)


def test_looking_at_the_screen_is_not_a_step_until_it_is_repeated() -> None:
    episode, model = work([LOOK, TAP, DONE])
    assert acted(episode) == [Tap(540, 180), Finish("two notes")]
    assert shade(model.requests[1].messages[-1]) == 200
    assert len(episode.steps[0].calls) == 2
    episode, model = work([LOOK, LOOK, LOOK, TAP, DONE])
    assert did(episode) == [(), (Tap(540, 180),), (Finish("two notes"),)]
    answered = [message.answers for message in model.requests[-1].messages if message.answers]
    assert answered == ["c0", "c0", "c0", "c1"]
    assert "cut off" not in model.requests[-1].text


def test_an_unreadable_call_is_answered_and_uses_a_step() -> None:
    wrong = computer({"type": "click", "button": "wheel", "x": 1, "y": 1})
    after = ToolCall("f1", "back", {})
    episode, model = work([says(wrong, after), DONE])
    assert did(episode) == [(), (Finish("two notes"),)]
    first, second, told = model.requests[-1].messages[-3:]
    assert first.content == first.images  # computer_call_output accepts only an image
    assert second.text == "not done, because the call before it was not"
    assert told.role == "user"
    assert "a touchscreen has no button 'wheel'" in told.text


def test_the_agent_asks_the_user_and_receives_the_answer() -> None:
    task = Task("Count.", user="The red one.")
    asking = says(ToolCall("f1", "ask_user", {"question": "Which list?"}))
    episode, model = work([asking, DONE], task=task)
    assert episode.steps[0].action == Ask("Which list?")
    assert "The user answers: The red one." in model.requests[1].messages[-1].text


def test_a_function_and_a_refusal_give_up() -> None:
    episode, _ = work([says(ToolCall("f1", "give_up", {"reason": "no such app"}))])
    assert acted(episode) == [Impossible("no such app")]
    episode, _ = work([ScriptedReply("I will not.", stop="refusal")])
    assert acted(episode) == [Impossible("the model refuses")]


def test_a_truncated_reply_is_a_step_without_an_action() -> None:
    episode, model = work([ScriptedReply("I see", stop="length"), DONE])
    assert did(episode) == [(), (Finish("two notes"),)]
    assert "was cut off" in model.requests[1].messages[-1].text


def test_instructions_of_steps_stand_beside_the_goal() -> None:
    task = Task("Count.", instructions=("Open Notes.", "Go back."))
    _, model = work([TAP, BACK, DONE], task=task)
    assert "Open Notes." in model.requests[0].text
    assert "Go back." in model.requests[1].messages[-1].text
    assert model.requests[2].messages[-1].role == "tool"


def test_older_screenshots_can_be_left_out() -> None:
    wait = says(computer({"type": "wait"}))
    episode, model = work([wait, wait, wait, DONE], options={"pictures": 2})
    assert episode.steps[0].action == Wait(2.0)
    assert [len(request.images) for request in model.requests] == [1, 2, 2, 2]
    assert "a screenshot that is left out" in model.requests[-1].messages[1].text


def test_the_agent_speaks_with_the_responses_api() -> None:
    several = says(computer(CLICK, {"type": "wait"}), ToolCall("f1", "home", {}), text="I tap.")
    model = ScriptedModel([LOOK, several, DONE])
    with model.serve() as served:
        client = OpenAIResponses("gpt-5.4", served + "/v1", "key")
        agent = shipped("openai_computer_use")
        episode = play(agent, "Count the notes.", phone=notes_phone(), model=client)
        client.close()
    assert did(episode) == [(Tap(540, 180), Wait(2.0), Key("home")), (Finish("two notes"),)]
    assert [message.answers for message in model.requests[-1].messages if message.answers] == [
        "c0",
        "c1",
        "f1",
    ]
