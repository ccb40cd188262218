from __future__ import annotations

from typing import Any

import pytest

from pytest_mobileagent import Episode, Key, Scroll, Swipe, Tap
from pytest_mobileagent.llm.scripted.entries import ScriptedReply
from tests.agents.playing import acted, did, notes_phone, player

DEMONSTRATION = """- Observation: [{'numeric_tag': 0}]
- Action: swipe("up")

- Observation: [{'numeric_tag': 1}]
- Action: tap(1)
"""


def call(function: str) -> str:
    return f"- Description: A screen.\n- Thought: I go on.\n- Action: {function}"


played = player("bmoca_text", "open Notes", lambda: notes_phone("New note"))


def work(replies: list[Any], **given: Any) -> tuple[Episode, Any]:
    return played(replies, step_limit=len(replies), **given)


def test_the_agent_calls_functions_until_the_limit():
    functions = ["tap(1)", 'swipe("left")', 'press("back")', "dual-gesture(0.9, 0.5, 0.1, 0.5)"]
    episode, model = work([call(each) for each in functions])
    assert acted(episode) == [
        Tap(540, 180),
        Scroll("right"),
        Key("back"),
        Swipe(540, 2160, 540, 240),
    ]
    assert [each.role for each in episode.calls] == ["actor"] * 4
    assert episode.steps[0].said == call("tap(1)")
    first, _, _, last, *_ = model.requests
    assert [message.role for message in first.messages] == ["system", "user"]
    assert not first.images
    assert "Goal: open Notes" in first.text
    assert "'numeric_tag': 1, 'resource_id': ''" in first.text
    assert "Previous actions: []" in first.text
    assert (first.temperature, first.top_p, first.max_tokens, first.seed) == (0.1, 1.0, 256, 123)
    assert "'swipe(left)', 'press(BACK)']" in last.text
    assert "tap({'numeric_tag': 1, " in last.text


def test_the_agent_remembers_the_last_four_actions():
    _, model = work([call('press("HOME")')] + [call('swipe("up")')] * 4)
    assert "press(HOME)" in model.requests[4].text
    _, model = work([call('press("HOME")')] + [call('swipe("up")')] * 5)
    assert "press(HOME)" not in model.requests[5].text
    _, model = work([call('press("HOME")')] * 2, options={"history": 0})
    assert "Previous actions: []" in model.requests[1].text


def test_wrong_replies_are_steps_that_are_not_remembered():
    wrong = [
        "tap Notes",
        call("tap(99)"),
        call("type('milk')"),
        ScriptedReply("", stop="refusal"),
        ScriptedReply("- Description: A scr", stop="length"),
    ]
    episode, model = work([*wrong, call("tap(1)")])
    assert did(episode) == [()] * 5 + [(Tap(540, 180),)]
    assert "Previous actions: []" in model.requests[5].text


def test_examples_are_drawn_from_your_own_texts(tmp_path):
    (tmp_path / "task").mkdir()
    (tmp_path / "task" / "one.txt").write_text(DEMONSTRATION)
    _, model = work([call("tap(1)")], options={"shots": 3, "examples": tmp_path})
    assert model.requests[0].text.count("Demonstration Example:\n- Observation") == 3
    assert model.requests[0].text.count('- Action: swipe("up")\n') == 3
    options = {"preset": "b-moca-few-shot", "examples": tmp_path, "example_type": "transition"}
    _, model = work([call("tap(1)")], options=options)
    assert model.requests[0].text.count("Demonstration Example:") == 3
    assert model.requests[0].text.count("- Action: ") == 3 + 2  # two are in the prompt itself


def test_examples_are_the_same_with_the_same_seed(tmp_path):
    for number in range(9):
        (tmp_path / f"{number}.txt").write_text(f"- Observation: {number}\n- Action: tap(0)")
    options = {"shots": 3, "examples": tmp_path}
    runs = [work([call("tap(1)")] * 2, options=options, seed=seed)[1] for seed in (1, 1, 2)]
    texts = [[request.text for request in model.requests] for model in runs]
    assert texts[0] == texts[1] != texts[2]


@pytest.mark.parametrize("examples", ["", "nowhere"])
def test_shots_need_examples(examples):
    episode, _ = work([call("tap(1)")], options={"shots": 1, "examples": examples})
    assert "needs examples=FILE or FOLDER" in episode.error


def test_an_empty_folder_has_no_examples(tmp_path):
    episode, _ = work([call("tap(1)")], options={"shots": 1, "examples": tmp_path})
    assert "there are no examples in" in episode.error
