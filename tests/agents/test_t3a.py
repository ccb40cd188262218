from __future__ import annotations

from pytest_mobileagent import Finish, Impossible, Scroll, Tap
from pytest_mobileagent.llm.scripted.entries import ScriptedReply
from tests.agents.playing import notes_phone, player


def choose(action: str) -> str:
    return f"Reason: It is next.\nAction: {action}"


CLICK = choose('{"action_type": "click", "index": 1}')
DONE = choose('{"action_type": "status", "goal_status": "complete"}')


work = player("t3a", "Open the notes.", lambda: notes_phone("New note"))


def test_the_agent_works_without_pictures() -> None:
    scroll = choose('{"action_type": "scroll", "direction": "down"}')
    episode, model = work([CLICK, "Opened Notes.", scroll, "Nothing new.", DONE])
    assert [step.action for step in episode.steps] == [Tap(540, 180), Scroll("up"), Finish()]
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
    assert [step.actions for step in episode.steps] == [(), (), (), (), (Finish(),)]
    history = model.requests[-1].text
    for problem in ("not of the form", "click needs an index", "no mark '7'", "was cut off"):
        assert problem in history


def test_a_refused_selection_ends_the_episode() -> None:
    episode, _ = work([ScriptedReply("", stop="refusal")])
    assert [step.action for step in episode.steps] == [Impossible("the model refuses")]


def test_another_policy_for_wrong_replies_can_be_chosen() -> None:
    episode, model = work(["tap 1", DONE], options={"on_error": "ask again"})
    assert [step.action for step in episode.steps] == [Finish()]
    assert len(model.requests) == 2
