from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_mobileagent import Ask, Finish, Impossible, Key, Open, Scroll, Swipe, Tap, Task, Type
from tests.agents.playing import acted, player

work = player("mai_ui")


def call(action: str, **more: Any) -> str:
    tool = json.dumps({"name": "mobile_use", "arguments": {"action": action, **more}})
    return f"<thinking>\nI {action}.\n</thinking>\n<tool_call>\n{tool}\n</tool_call>"


TAP, WAIT, DONE = call("click", coordinate=[500, 75]), call("wait"), call("answer", text="two")


def test_the_agent_works_until_it_answers() -> None:
    drag = call("drag", start_coordinate=[500, 75], end_coordinate=[500, 500])
    others = [call("type", text="milk"), call("swipe", direction="up"), drag]
    buttons = [call("system_button", button="back"), call("open", text="Clock")]
    episode, model = work([TAP, *others, *buttons, DONE])
    assert acted(episode) == [
        Tap(540, 180),
        Type("milk"),
        Scroll("up"),
        Swipe(540, 180, 540, 1201, 1.0),
        Key("back"),
        Open("com.android.deskclock"),
        Finish("two"),
    ]
    first = model.requests[0]
    assert (first.temperature, first.top_p, first.max_tokens, first.seed) == (0.0, 1.0, 2048, 42)
    assert first.extra == {"top_k": -1, "repetition_penalty": 1.0}


@pytest.mark.parametrize(("pictures", "seen"), [(3, [1, 2, 3, 3, 3]), (1, [1, 1, 1, 1, 1])])
def test_agent_sees_all_its_replies_and_its_newest_screenshots(
    pictures: int, seen: list[int]
) -> None:
    _, model = work([TAP, WAIT, WAIT, WAIT, DONE], options={"pictures": pictures})
    assert [len(request.images) for request in model.requests] == seen
    last = model.requests[-1].messages
    assert [message.text for message in last if message.role == "assistant"] == [
        *(TAP, WAIT, WAIT, WAIT)
    ]
    assert last[1].text == "Count the notes."


def test_the_user_s_answer_follows_the_reply_that_asks() -> None:
    task = Task("Count.", user="The red one.")
    episode, model = work([call("ask_user", text="Which list?"), DONE], task=task)
    assert episode.steps[0].action == Ask("Which list?")
    roles = [(message.role, message.text) for message in model.requests[1].messages[3:]]
    assert roles[0][0] == "assistant"
    assert roles[1:] == [("user", "The red one."), ("user", "")]


@pytest.mark.parametrize(("preset", "asks"), [("android-world", False), ("mobileworld", True)])
def test_the_presets_offer_the_actions_of_each_benchmark(preset: str, asks: bool) -> None:
    _, model = work([DONE], options={"preset": preset})
    system = model.requests[0].messages[0].text
    assert ("ask_user" in system) is ("double_click" in system) is asks
    assert "Apps on this phone: Clock." in system


def test_agent_gives_up_with_the_status_fail() -> None:
    episode, _ = work([call("terminate", status="fail")])
    assert episode.steps[0].action == Impossible()
    assert episode.termination.value == "gave up"


def test_a_reply_without_an_action_is_not_remembered() -> None:
    _, model = work(["I am done.", TAP, DONE], options={"on_error": "no action"})
    assert "I am done." not in model.requests[-1].text
    assert TAP in model.requests[-1].text
