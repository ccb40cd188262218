from __future__ import annotations

from typing import Any

import pytest

from pytest_mobileagent import Ask, Finish, Open, Tap, Task, Type
from pytest_mobileagent.llm.scripted.entries import ScriptedReply
from pytest_mobileagent.testing import MemoryPhone, make_screen
from tests.agents.playing import acted, did, player


def say(instruction: str) -> str:
    return f"<think>It is next.</think>\n<answer>{instruction}</answer>"


TAP = say('do(action="Tap", element=[500,75])')
BACK = say('do(action="Back")')
DONE = say('finish(message="two notes")')


def phone() -> MemoryPhone:
    return MemoryPhone(
        {
            "home": make_screen("Clock", "Notes", package="com.android.settings"),
            "notes": make_screen("Save", package="org.notes"),
        },
        links={("home", "Notes"): "notes"},
        apps=["com.android.deskclock"],
    )


work = player("autoglm", phone=phone)


def test_the_agent_works_until_it_finishes() -> None:
    launch = 'I start it.\ndo(action="Launch", app="Clock")'
    typing = say('do(action="Type", text="milk")')
    episode, _ = work([TAP, launch, typing, DONE])
    assert acted(episode) == [
        Tap(540, 180),
        Open("com.android.deskclock"),
        Type("milk", clear=True),
        Finish("two notes"),
    ]
    assert episode.answer == "two notes"


def test_the_chat_grows_and_keeps_only_the_newest_picture() -> None:
    _, model = work([TAP, BACK, DONE])
    assert [len(request.images) for request in model.requests] == [1, 1, 1]
    first, _, last = model.requests
    roles = [message.role for message in last.messages]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]
    assert first.messages[1].text == 'Count the notes.\n\n{"current_app": "Settings"}'
    assert last.messages[1].text == first.messages[1].text
    assert last.messages[2].text == (
        '<think>It is next.</think><answer>do(action="Tap", element=[500,75])</answer>'
    )
    assert last.messages[3].text == '** Screen Info **\n\n{"current_app": "org.notes"}'
    assert last.messages[5].images


def test_the_agent_asks_as_the_original_does() -> None:
    _, model = work([DONE])
    request = model.requests[0]
    assert (request.temperature, request.top_p, request.max_tokens) == (0.0, 0.85, 3000)
    assert request.extra == {"frequency_penalty": 0.2}
    assert request.stream
    assert "2026-01-01, Thursday" in request.messages[0].text


@pytest.mark.parametrize(
    "task", ["打开设置", Task("Open Settings.", language="zh"), Task("Open", language="zh-CN")]
)
def test_chinese_goals_get_a_chinese_prompt(task: Any) -> None:
    _, model = work([DONE], task=task)
    system = model.requests[0].messages[0].text
    assert "今天的日期是：2026年01月01日 星期四" in system
    assert "<think>{think}</think>" in system


def test_an_impossible_action_uses_a_step() -> None:
    note = say('do(action="Note", message="True")')
    episode, _ = work([say('do(action="Fly")'), note, DONE])
    assert did(episode) == [(), (), (Finish("two notes"),)]


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("There are two.", "There are two."),
        (ScriptedReply("I will not do that.", stop="refusal"), "I will not do that."),
        (
            ScriptedReply('do(action="Tap", element=[5', stop="length"),
            'do(action="Tap", element=[5',
        ),
    ],
)
def test_an_unreadable_reply_ends_the_run(reply: Any, answer: str) -> None:
    episode, _ = work([reply])
    assert acted(episode) == [Finish(answer)]


def test_typing_that_was_cut_off_is_done_as_far_as_it_goes() -> None:
    cut = ScriptedReply('I type.\ndo(action="Type", text="oat mil', stop="length")
    episode, _ = work([cut, DONE])
    assert episode.steps[0].action == Type("oat mil", clear=True)
    assert episode.answer == "two notes"


def test_strictly_its_own_format_ends_the_run_as_in_the_original() -> None:
    options = {"strict": True}
    episode, _ = work([BACK], options=options)
    assert acted(episode) == [Finish('do(action="Back")')]
    cut = 'I type.\ndo(action="Type", text="oat milk'
    episode, _ = work([cut, 'Done.\nfinish(message="two")'], options=options)
    assert acted(episode) == [Type("oat mi", clear=True), Finish("two")]


def test_the_agent_asks_the_user_and_receives_the_answer() -> None:
    task = Task("Log in.", user="Done.")
    episode, model = work([say('do(action="Take_over", message="Your code?")'), DONE], task=task)
    assert episode.steps[0].action == Ask("Your code?")
    assert '"user_reply": "Done."' in model.requests[1].messages[-1].text
