from __future__ import annotations

from pytest_mobileagent import Finish, Scroll, Tap
from pytest_mobileagent.llm.scripted.entries import ScriptedReply
from tests.agents.playing import acted, did, notes_phone, player


def choose(action: str) -> str:
    return f"Reason: It is next.\nAction: {action}"


CLICK = choose('{"action_type": "click", "index": 1}')
DONE = choose('{"action_type": "status", "goal_status": "complete"}')


work = player("t3a", "Open the notes.", lambda: notes_phone("New note"))


def test_the_agent_works_without_pictures() -> None:
    scroll = choose('{"action_type": "scroll", "direction": "down"}')
    episode, model = work([CLICK, "Opened Notes.", scroll, "Nothing new.", DONE])
    assert acted(episode) == [Tap(540, 180), Scroll("up"), Finish()]
    assert [call.role for call in episode.calls] == ["actor", "summarizer"] * 2 + ["actor"]
    assert not any(request.images for request in model.requests)
    select, summary, *_, last = model.requests
    assert "UI element 1: UIElement(text='Notes'" in select.text
    assert "UIElement(text='Notes'" in summary.text
    assert "UIElement(text='New note'" in summary.text
    assert 'Step 1: Action selected: {"action_type": "click", "index": 1}.' in last.text
    assert "Step 2: " in last.text


def test_wrong_replies_are_lines_of_the_history() -> None:
    episode, model = work(
        [
            "tap 1",
            choose('{"action_type": "click"}'),
            choose('{"action_type": "input_text", "text": "x", "index": 7}'),
            ScriptedReply("Reason:", stop="length"),
            DONE,
        ]
    )
    assert did(episode) == [(), (), (), (), (Finish(),)]
    history = model.requests[-1].text
    for problem in ("not of the form", "click needs an index", "no mark '7'", "was cut off"):
        assert problem in history
