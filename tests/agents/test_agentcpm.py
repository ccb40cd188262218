from __future__ import annotations

import io
import json

from PIL import Image

from pytest_mobileagent import Ask, Finish, Key, Scroll, Tap, Task, Type
from tests.agents.playing import acted, did, player

TAP = '{"thought":"点击","POINT":[500,75]}'
DONE = '{"thought":"完成","STATUS":"finish"}'


work = player("agentcpm", "Open Notes.")


def test_the_agent_works_until_it_is_done() -> None:
    replies = [TAP, '{"TYPE":"milk"}', '{"PRESS":"BACK"}', '{"POINT":[500,500],"to":"up"}', DONE]
    episode, _ = work(replies)
    assert acted(episode) == [
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
    assert did(episode) == [(Tap(540, 180), Finish())]


def test_the_agent_asks_the_user_and_receives_the_answer() -> None:
    task = Task("Open it.", user="Notes.")
    episode, model = work(['{"thought":"Which?","STATUS":"need_feedback"}', DONE], task=task)
    assert episode.steps[0].action == Ask("Which?")
    assert "用户的回答：Notes." in model.requests[1].text
