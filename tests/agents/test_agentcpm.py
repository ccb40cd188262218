from __future__ import annotations

import io
import json
from typing import Any

import pytest
from PIL import Image

from pytest_mobileagent import Ask, Finish, Impossible, Key, Scroll, Tap, Task, Type
from pytest_mobileagent.llm.scripted.entries import ScriptedReply
from tests.agents.playing import player

TAP = '{"thought":"点击","POINT":[500,75]}'
DONE = '{"thought":"完成","STATUS":"finish"}'


work = player("agentcpm", "Open Notes.")


def test_the_agent_works_until_it_is_done() -> None:
    replies = [TAP, '{"TYPE":"milk"}', '{"PRESS":"BACK"}', '{"POINT":[500,500],"to":"up"}', DONE]
    episode, _ = work(replies)
    assert [step.action for step in episode.steps] == [
        Tap(540, 180),
        Type("milk"),
        Key("back"),
        Scroll("up", (540, 1200)),
        Finish(),
    ]


def test_the_agent_sees_one_small_picture_and_no_history() -> None:
    _, model = work([TAP, DONE])
    for request in model.requests:
        assert [message.role for message in request.messages] == ["system", "user"]
        (image,) = request.images
        picture = Image.open(io.BytesIO(image.data))
        assert (picture.size, picture.format) == ((504, 1120), "JPEG")
        assert request.messages[1].text.startswith("<Question>Open Notes.</Question>\n")
        assert (request.temperature, request.max_tokens) == (0.1, 2048)


def test_the_schema_in_its_prompt_is_compact_json() -> None:
    _, model = work([DONE])
    schema = model.requests[0].messages[0].text.partition("# Schema\n")[2]
    assert json.dumps(json.loads(schema), ensure_ascii=False, separators=(",", ":")) == schema


def test_the_last_action_may_come_with_the_end() -> None:
    episode, _ = work(['{"POINT":[500,75],"STATUS":"finish"}'])
    assert [step.actions for step in episode.steps] == [(Tap(540, 180), Finish())]


@pytest.mark.parametrize(
    "reply",
    [
        "I tap Notes.",
        ScriptedReply('{"thought":"点', stop="length"),
        ScriptedReply("不行。", stop="refusal"),
    ],
)
def test_an_unreadable_reply_is_a_step_without_an_action(reply: Any) -> None:
    episode, _ = work([reply, DONE])
    assert [step.actions for step in episode.steps] == [(), (Finish(),)]


def test_an_unreadable_reply_can_also_end_the_episode() -> None:
    episode, _ = work([ScriptedReply("不行。", stop="refusal")], options={"on_error": "give up"})
    assert [step.action for step in episode.steps] == [Impossible("the model refuses")]


def test_the_agent_asks_the_user_and_receives_the_answer() -> None:
    task = Task("Open it.", user="Notes.")
    episode, model = work(['{"thought":"Which?","STATUS":"need_feedback"}', DONE], task=task)
    assert episode.steps[0].action == Ask("Which?")
    assert "用户的回答：Notes." in model.requests[1].text


def test_instructions_of_steps_stand_beside_the_goal() -> None:
    _, model = work([TAP, DONE], task=Task("Open it.", instructions=("Tap Notes.",)))
    assert ["Tap Notes." in request.text for request in model.requests] == [True, False]
