from __future__ import annotations

import io

from PIL import Image

from pytest_mobileagent import Finish, Impossible, Tap, Type, Wait
from pytest_mobileagent.agent.registry import shipped_agents
from pytest_mobileagent.llm.scripted.entries import ScriptedReply
from pytest_mobileagent.testing import FakePhone, MemoryPhone, make_screen
from tests.agents.playing import acted, did, player

AGENTS = shipped_agents()
FIELD = {"class": "android.widget.EditText", "content-desc": "Title", "focusable": "true"}


def choose(action: str, reason: str = "It is next.") -> str:
    return f"Reason: {reason}\nAction: {action}"


CLICK = choose('{"action_type": "click", "index": 1}')
DONE = choose('{"action_type": "status", "goal_status": "complete"}')


def phone() -> MemoryPhone:
    return MemoryPhone(
        {
            "home": make_screen("Clock", "Notes", shade=200),
            "notes": make_screen(FIELD, "Save", shade=100),
        },
        links={("home", "Notes"): "notes"},
    )


work = player("m3a", "Write a note.", phone=phone)


def test_the_agent_selects_and_sums_up_until_it_is_done() -> None:
    write = choose('{"action_type": "input_text", "text": "milk", "index": 0}')
    episode, model = work([CLICK, "Opened Notes.", write, "Typed it.", DONE])
    assert acted(episode) == [Tap(540, 180), Type("milk", at=(540, 60), enter=True), Finish()]
    assert episode.steps[0].said == CLICK
    assert [call.role for call in episode.calls] == ["actor", "summarizer"] * 2 + ["actor"]
    assert len(model.requests) == 5
    last = model.requests[-1].text
    assert 'Step 1- Action selected: {"action_type": "click", "index": 1}. Opened Notes.' in last
    assert '"index": 0}. Typed it.' in last
    assert "Step 2- " in last


def test_the_agent_shows_the_screen_plain_and_marked() -> None:
    _, model = work([CLICK, "Opened Notes.", DONE])
    select, summary, _ = model.requests
    assert "Write a note." in select.text
    assert 'UI element 1: {"index": 1, "text": "Notes"' in select.text
    assert "this is the first step" in select.text
    assert [message.role for message in select.messages] == ["user"]
    assert (select.temperature, select.max_tokens) == (0.0, 1000)
    plain, marked = (Image.open(io.BytesIO(image.data)) for image in select.images)
    assert plain.size == marked.size == (1080, 2400)
    assert plain.format == "JPEG"
    assert len(plain.convert("RGB").getcolors(10_000) or ()) == 1
    assert len(marked.convert("RGB").getcolors(100_000) or ()) > 1
    before, after = (Image.open(io.BytesIO(image.data)) for image in summary.images)
    assert [each.convert("L").getpixel((500, 2000)) for each in (before, after)] == [200, 100]
    assert [each.convert("L").getpixel((1075, 2375)) for each in (before, after)] == [255, 255]
    assert '"text": "Notes"' in summary.text
    assert '"content_description": "Title"' in summary.text
    assert "It is next." in summary.text


def test_an_answer_is_given_when_it_is_done() -> None:
    answer = choose('{"action_type": "answer", "text": "two notes"}')
    episode, _ = work([answer, "Answered.", DONE])
    assert acted(episode) == [Wait(0.0), Finish("two notes")]
    assert episode.answer == "two notes"


def test_a_reply_that_cannot_be_read_is_a_line_of_the_history() -> None:
    episode, model = work(["Tap Notes!", choose('{"action_type": "click", "index": 9}'), DONE])
    assert did(episode) == [(), (), (Finish(),)]
    assert [call.role for call in episode.calls] == ["actor"] * 3
    assert "Step 1- Nothing was done" in model.requests[-1].text
    assert "there is no mark '9'" in model.requests[-1].text


def test_an_action_that_cannot_be_done_is_not_summed_up() -> None:
    off = {"text": "Beyond", "bounds": "[1000,2300][2000,3000]"}
    episode, model = work(
        [choose('{"action_type": "click", "index": 0}'), DONE], phone=FakePhone([make_screen(off)])
    )
    assert [call.role for call in episode.calls] == ["actor", "actor"]
    assert '"index": 0}. It could not be done: ' in model.requests[-1].text


def test_a_refused_summary_is_recorded_as_missing() -> None:
    _, model = work([CLICK, ScriptedReply("", stop="refusal"), DONE])
    assert "The model refused to summarize this step." in model.requests[-1].text


def test_infeasible_is_impossible() -> None:
    episode, _ = work([choose('{"action_type": "status", "goal_status": "infeasible"}')])
    assert acted(episode) == [Impossible()]


def test_advice_on_the_task_can_be_given() -> None:
    _, model = work([DONE], options={"guidelines": "Use the Notes app.", "max_tokens": 300})
    assert "- Use the Notes app." in model.requests[0].text
    assert model.requests[0].max_tokens == 300


def test_papers_ran_it_unchanged() -> None:
    for preset in ("android-world", "spa-bench"):
        _, model = work([DONE], options={"preset": preset})
        assert model.requests[0].max_tokens == 1000
