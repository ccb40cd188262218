from __future__ import annotations

from pytest_mobileagent import Finish, Key, Open, Scroll, Tap, Type, Wait
from pytest_mobileagent.testing import FakePhone, make_screen
from tests.agents.playing import acted, player


def act(action: str, thought: str = "") -> str:
    return (f"thoughts:\n{thought}\n" if thought else "") + f"actions:\n{action}"


work = player("os_atlas", "Write a note.", lambda: FakePhone([make_screen("Notes")]))


def test_the_agent_works_until_it_is_done() -> None:
    replies = [
        act("OPEN_APP [Notes]", "Open the app."),
        act("WAIT"),
        act("CLICK <point>[[500,25]]</point>"),
        act("TYPE [milk]"),
        act("SCROLL [UP]"),
        act("ENTER"),
        act("COMPLETE<|im_end|>"),
    ]
    episode, model = work(replies)
    assert acted(episode) == [
        Open("Notes"),
        Wait(),
        Tap(540, 60),
        Type("milk"),
        Scroll("up"),
        Key("enter"),
        Finish(),
    ]
    assert len(model.requests) == 7


def test_the_agent_receives_actions_task_and_screenshot() -> None:
    _, model = work([act("COMPLETE")])
    [request] = model.requests
    assert "Basic Action 3: SCROLL" in request.text
    assert "- format: CLICK <point>[[x-axis, y-axis]]</point>" in request.text
    assert "Custom Action 9: IMPOSSIBLE" in request.text
    assert request.text.endswith("Task: Write a note.\nHistory: \nNone\n")
    assert len(request.images) == 1
    assert (request.max_tokens, request.temperature) == (128, 0.0)


def test_its_history_is_what_it_thought_or_else_did() -> None:
    _, model = work([act("PRESS_HOME", "Go home,\nfirst of all."), act("WAIT"), act("COMPLETE")])
    assert "History: \nStep 1: Go home, first of all.\nStep 2: WAIT\n" in (model.requests[-1].text)


def test_trained_on_androidcontrol_it_scrolls_the_content() -> None:
    episode, _ = work([act("SCROLL [DOWN]"), act("COMPLETE")], options={"preset": "androidcontrol"})
    assert episode.steps[0].action == Scroll("up")
