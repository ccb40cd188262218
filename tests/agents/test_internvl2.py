from __future__ import annotations

import pytest

from pytest_mobileagent import Finish, Impossible, Key, Scroll, Tap, Type
from pytest_mobileagent.testing import FakePhone, make_screen
from tests.agents.playing import acted, player

work = player("internvl2", "How many notes are there?", lambda: FakePhone([make_screen("Notes")]))


def test_the_agent_works_until_it_answers() -> None:
    episode, model = work(["CLICK[540,60]", "TYPE[milk]", "ENTER", "SCROLL[up]", "COMPLETE[3]"])
    assert acted(episode) == [
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


def test_the_agent_may_give_up() -> None:
    episode, _ = work(["IMPOSSIBLE[no such app]"])
    assert acted(episode) == [Impossible("no such app")]
