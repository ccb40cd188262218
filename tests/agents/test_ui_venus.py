from __future__ import annotations

import pytest

from pytest_mobileagent import Ask, Finish, Key, Open, Tap, Task, Type
from tests.agents.playing import acted, player

work = player("ui_venus")


def says(call: str, conclusion: str = "") -> str:
    ends = f"<conclusion>{conclusion}</conclusion>" if conclusion else ""
    return f"<think>I look.</think><action>{call}</action>{ends}"


TAP, DONE = says("Click(point=(500,75))"), says("Answer(content='two')")
OLDER = {"version": "1.5"}


def test_the_agent_works_until_it_answers():
    typing, back = says("Type(content='milk')"), says("PressBack()")
    episode, model = work([TAP, typing, back, says("LaunchApp(app='Clock')"), DONE])
    assert acted(episode) == [
        Tap(540, 180),
        Type("milk", clear=True),
        Key("back"),
        Open("com.android.deskclock"),
        Finish("two"),
    ]
    assert model.requests[0].temperature == 0.6
    assert model.requests[0].extra == {"repetition_penalty": 1.05, "frequency_penalty": 0.3}


@pytest.mark.parametrize(("pictures", "seen"), [(0, [1, 1, 1, 1]), (2, [1, 2, 3, 3])])
def test_version_2_sees_its_replies_and_its_newest_screenshots(pictures, seen):
    _, model = work([TAP, says("Wait()"), says("Wait()"), DONE], options={"pictures": pictures})
    assert [len(request.images) for request in model.requests] == seen
    last = model.requests[-1]
    assert [message.role for message in last.messages] == ["system"] + ["user", "assistant"] * 3 + [
        "user"
    ]
    assert last.messages[2].text == TAP
    assert ("History Screenshot:" in last.text) is (pictures > 0)
    assert last.messages[-1].text == "Current Screenshot:"


@pytest.mark.parametrize(("steps", "lines"), [(0, 2), (1, 1)])
def test_version_1_5_sees_its_steps_in_one_message(steps, lines):
    tap = says("Click(box=(500,75))", "I opened it.")
    wait, done = says("Wait()", "I waited."), says("CallUser(content='two')", "Done.")
    episode, model = work([tap, wait, done], options={**OLDER, "steps": steps})
    assert acted(episode)[-1] == Finish("two")
    (message,) = model.requests[-1].messages
    assert message.text.count("<think>I look.</think>") == lines
    assert "Step 0: <think>I look.</think><action>" in message.text
    assert "I opened it." not in message.text
    assert [len(request.images) for request in model.requests] == [1, 1, 1]
    assert model.requests[0].temperature == 0.0


def test_the_agent_asks_the_user_and_receives_the_answer():
    task = Task("Count.", user="The red one.")
    episode, model = work([says("CallUser(content='Which list?')"), DONE], task=task)
    assert episode.steps[0].action == Ask("Which list?")
    assert "The user answers: The red one." in model.requests[1].text


@pytest.mark.parametrize(("version", "ends"), [("1.5", "gave up"), ("2", "self-reported")])
def test_an_unreadable_reply(version, ends):
    episode, _ = work(["I am done.", DONE], options={"version": version})
    assert episode.termination.value == ends
