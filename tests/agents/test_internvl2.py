from __future__ import annotations

from typing import Any

import pytest

from pytest_mobileagent import Finish, Impossible, Key, Scroll, Tap, Task, Type
from pytest_mobileagent.llm.scripted.entries import ScriptedReply
from pytest_mobileagent.testing import FakePhone, make_screen
from tests.agents.playing import player

work = player("internvl2", "How many notes are there?", lambda: FakePhone([make_screen("Notes")]))


def test_the_agent_works_until_it_answers() -> None:
    episode, model = work(["CLICK[540,60]", "TYPE[milk]", "ENTER", "SCROLL[up]", "COMPLETE[3]"])
    assert [step.action for step in episode.steps] == [
        Tap(540, 60),
        Type("milk", clear=True),
        Key("enter"),
        Scroll("up"),
        Finish("3"),
    ]
    assert len(model.requests) == 5


def test_the_agent_receives_goal_picture_and_past_actions() -> None:
    _, model = work(["CLICK[540,60]", "BACK", "IMPOSSIBLE"])
    first, _, last = model.requests
    assert "Goal: How many notes are there?\nActions so far:\nNone\n" in first.text
    assert "1080 pixels wide and 2400 high" in first.text
    assert len(first.images) == 1
    assert "Actions so far:\n1. CLICK[540,60]\n2. BACK\n" in last.text
    assert (first.max_tokens, first.temperature) == (256, 0.0)


def test_options_stand_in_for_what_the_original_sends() -> None:
    _, model = work(["COMPLETE"], options={"temperature": "0.7"})
    assert (model.requests[0].max_tokens, model.requests[0].temperature) == (256, 0.7)


@pytest.mark.parametrize(("history", "past"), [("0", "None"), ("1", "2. BACK"), ("3", "1. HOME")])
def test_the_agent_can_see_fewer_actions(history: str, past: str) -> None:
    _, model = work(["HOME", "BACK", "COMPLETE"], options={"history": history})
    assert f"Actions so far:\n{past}\n" in model.requests[-1].text


def test_at_the_low_level_it_receives_the_instruction_of_each_step() -> None:
    task = Task("Count the notes.", instructions=("Open Notes.",))
    _, model = work(["CLICK[540,60]", "COMPLETE[3]"], task=task)
    assert "Goal: Count the notes.\nAt this step: Open Notes.\n" in model.requests[0].text
    assert "At this step" not in model.requests[1].text


@pytest.mark.parametrize(
    "words",
    [
        "Let me think.",
        "CLICK[540,9999]",
        ScriptedReply("CLI", stop="length"),
        ScriptedReply("I cannot.", stop="refusal"),
        "",
    ],
)
def test_an_unreadable_reply_ends_the_episode(words: Any) -> None:
    episode, _ = work([words])
    assert [step.action for step in episode.steps] == [Finish()]


def test_the_agent_may_give_up() -> None:
    episode, _ = work(["IMPOSSIBLE[no such app]"])
    assert [step.action for step in episode.steps] == [Impossible("no such app")]
