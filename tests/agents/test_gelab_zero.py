from __future__ import annotations

import pytest

from pytest_mobileagent import Ask, Finish, Impossible, Open, Swipe, Tap, Task, Type
from tests.agents.playing import acted, player

work = player("gelab_zero")


def says(*fields: str, summary: str = "") -> str:
    ends = [f"summary:{summary}"] if summary else []
    return "<THINK> I look. </THINK>\n" + "\t".join(["explain:so", *fields, *ends])


TAP = says("action:CLICK", "point:500,75", summary="I opened the notes.")
DONE = says("action:COMPLETE", "return:two")


def test_the_agent_works_until_it_completes() -> None:
    slide = says("action:SLIDE", "point1:500,700", "point2:500,300")
    typing = says("action:TYPE", "value:milk", "point:500,75")
    episode, model = work([TAP, typing, slide, says("action:AWAKE", "value:Clock"), DONE])
    assert acted(episode) == [
        Tap(540, 180),
        Type("milk", (540, 180)),
        Swipe(540, 1680, 540, 720, 1.5),
        Open("com.android.deskclock"),
        Finish("two"),
    ]
    first = model.requests[0]
    assert (first.temperature, first.top_p, first.max_tokens) == (0.1, 0.95, 4096)


def test_agent_sees_the_screen_and_its_last_summary() -> None:
    tap = says("action:CLICK", "point:500,75", summary="Then I saved.")
    _, model = work([TAP, tap, DONE])
    assert [len(request.messages) for request in model.requests] == [1, 1, 1]
    assert [len(request.images) for request in model.requests] == [1, 1, 1]
    first, second, third = (request.text for request in model.requests)
    assert "还没有任何操作" in first
    assert "I opened the notes." in second
    assert "Then I saved." in third
    assert "I opened" not in third
    assert model.requests[0].images[0].data[:2] == b"\xff\xd8"  # a JPEG


@pytest.mark.parametrize("summary", ["", "I saw two lists."])
def test_the_user_s_answer_follows_the_summary(summary: str) -> None:
    task = Task("Count.", user="The red one.")
    asks = says("action:INFO", "value:Which list?", summary=summary)
    episode, model = work([asks, DONE], task=task)
    assert episode.steps[0].action == Ask("Which list?")
    assert f"{summary}用户的回答：The red one." in model.requests[1].text


def test_the_point_of_typing_is_ignored_strictly() -> None:
    typing = says("action:TYPE", "value:milk", "point:500,75")
    episode, _ = work([TAP, typing, DONE], options={"strict": True})
    assert episode.steps[1].action == Type("milk")


def test_agent_gives_up_with_a_reason() -> None:
    episode, _ = work([says("action:ABORT", "value:no notes")])
    assert episode.steps[0].action == Impossible("no notes")


def test_the_server_s_default_is_shorter() -> None:
    _, model = work([DONE], options={"preset": "server-default"})
    assert model.requests[0].max_tokens == 512
