from __future__ import annotations

import io
import sys
from unittest.mock import Mock

import pytest
from PIL import Image

from pytest_mobileagent import Episode, Finish, Key, Open, Tap, Type
from pytest_mobileagent.llm.scripted.entries import ScriptedReply
from pytest_mobileagent.testing import FakePhone, MemoryPhone, make_screen
from tests.agents.playing import acted, did, player, shipped

PLAN = "### Thought ###\nTwo steps.\n\n### Plan ###\n1. Open the notes\n2. Write milk"
NEXT = (
    "### Thought ###\nOn.\n\n### Historical Operations ###\nOpened the notes\n\n"
    "### Plan ###\n1. Write milk"
)
FINISHED = (
    "### Thought ###\nAll done.\n\n### Historical Operations ###\nEverything\n\n"
    "### Plan ###\nFinished"
)
WORKED = "### Outcome ###\nA\n\n### Error Description ###\nNone"
NO_CHANGE = "### Outcome ###\nC\n\n### Error Description ###\nNothing has moved."


def act(action: str, description: str = "I do it.") -> str:
    return (
        f"### Thought ###\nIt is next.\n\n### Action ###\n{action}\n\n"
        f"### Description ###\n{description}"
    )


CLICK = act('{"action": "click", "coordinate": [546, 180]}', "I tap Notes.")
BACK = act('{"action": "system_button", "button": "Back"}', "I go back.")


def phone() -> MemoryPhone:
    return MemoryPhone(
        {"home": make_screen("Clock", "Notes"), "notes": make_screen("New note", shade=100)},
        links={("home", "Notes"): "notes", ("home", "org.notes"): "notes"},
    )


work = player("mobileagent_v3", "Note milk.", phone)


def roles(episode: Episode) -> list[str]:
    return [call.role for call in episode.calls]


def test_the_agent_plans_acts_and_reflects_until_the_plan_is_finished() -> None:
    write = act('{"action": "type", "text": "milk"}', "I type milk.")
    episode, model = work([PLAN, CLICK, WORKED, NEXT, write, WORKED, FINISHED])
    assert acted(episode) == [Tap(540, 179), Type("milk"), Finish()]
    assert roles(episode) == ["manager", "executor", "reflector"] * 2 + ["manager"]
    first_plan, decide, check, next_plan, decide_again, _, last_plan = model.requests
    assert "Note milk." in first_plan.text
    assert "### Historical Operations" not in first_plan.text
    assert "### Current Subgoal ###\n1. Open the notes 2. Write milk" in decide.text
    assert "### Latest Action History ###\nNone so far." in decide.text
    assert "Expectation: I tap Notes." in check.text
    assert 'Action: {"action": "click", "coordinate": [546, 180]}' in check.text
    assert "### Last Action Description ###\nI tap Notes." in next_plan.text
    assert "### Historical Operations ###\nOperations" not in next_plan.text
    assert "| Description: I tap Notes. | Outcome: Successful" in decide_again.text
    assert "### Historical Operations ###\nOpened the notes" in last_plan.text


def test_pictures_have_the_size_in_which_models_see_them() -> None:
    _, model = work([PLAN, CLICK, WORKED, FINISHED])
    assert [len(request.images) for request in model.requests] == [1, 1, 2, 1]
    pictures = [Image.open(io.BytesIO(image.data)) for image in model.requests[2].images]
    assert [(each.format, each.size) for each in pictures] == [("PNG", (1092, 2408))] * 2
    assert [each.getpixel((500, 2000)) for each in pictures] == [(255,) * 3, (100,) * 3]
    assert {(each.temperature, each.max_tokens) for each in model.requests} == {(None, None)}


def test_each_screen_is_encoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules[shipped("mobileagent_v3").__module__]
    encode = Mock(wraps=module.encode)
    monkeypatch.setattr(module, "encode", encode)
    _, model = work([PLAN, CLICK, WORKED, FINISHED])
    assert encode.call_count == 2
    before, after = model.requests[2].images
    assert model.requests[0].images == (before,)
    assert model.requests[3].images == (after,)


def test_an_answer_ends_it() -> None:
    episode, _ = work([PLAN, act('{"action": "answer", "text": "two"}')])
    assert acted(episode) == [Finish("two")]
    assert roles(episode) == ["manager", "executor"]


def test_after_an_invalid_action_the_executor_tries_again_without_the_manager() -> None:
    episode, model = work([PLAN, "Tap it!", CLICK, WORKED, FINISHED])
    assert did(episode) == [(), (Tap(540, 179),), (Finish(),)]
    assert roles(episode) == ["manager", "executor", "executor", "reflector", "manager"]
    assert 'Action: {"action": "invalid"}' in model.requests[2].text
    assert "Outcome: Failed | Feedback: there is no {…}" in model.requests[2].text


def test_after_two_failures_the_manager_is_told_of_both() -> None:
    _, model = work([PLAN, BACK, NO_CHANGE, NEXT, BACK, NO_CHANGE, FINISHED])
    assert "Potentially Stuck!" not in model.requests[3].text
    told = model.requests[-1].text
    assert "### Potentially Stuck! ###" in told
    assert told.count("Feedback: Nothing has moved.") == 2


def test_two_invalid_actions_bring_the_manager_back() -> None:
    episode, _ = work([PLAN, "Tap!", ScriptedReply("", stop="refusal"), FINISHED])
    assert roles(episode) == ["manager", "executor", "executor", "manager"]


def test_an_impossible_action_is_invalid() -> None:
    episode, model = work(
        [PLAN, act('{"action": "swipe", "coordinate": [5, 5], "coordinate2": [5, 9999]}'), BACK]
    )
    assert episode.steps[0].actions == ()
    assert "outside the picture" in model.requests[2].text


@pytest.mark.parametrize("words", ["", "no idea", "### Outcome ###\n?"])
def test_a_reflection_without_an_outcome_is_a_failure(words: str) -> None:
    _, model = work([PLAN, CLICK, words, NEXT, BACK, WORKED, FINISHED])
    assert "I tap Notes. | Outcome: Failed" in model.requests[4].text


def test_notes_are_taken_of_what_worked() -> None:
    noted = "### Important Notes ###\nThere is one note."
    episode, model = work(
        [PLAN, CLICK, WORKED, noted, NEXT, BACK, NO_CHANGE, FINISHED], options={"notetaker": True}
    )
    assert roles(episode)[:5] == ["manager", "executor", "reflector", "notetaker", "manager"]
    assert roles(episode).count("notetaker") == 1
    assert len(model.requests[3].images) == 1
    assert "### Important Notes ###\nThere is one note." in model.requests[4].text


def test_coordinates_may_go_up_to_a_thousand() -> None:
    click = act('{"action": "click", "coordinate": [500, 75]}')
    episode, _ = work([PLAN, click, WORKED, FINISHED], options={"coordinates": "0-1000"})
    assert episode.steps[0].action == Tap(540, 180)


def test_androidworlds_port_opens_apps_and_takes_notes() -> None:
    open_notes = act('{"action": "open_app", "text": "Notes"}')
    episode, model = work(
        [PLAN, open_notes, WORKED, "nothing", FINISHED],
        options={"preset": "android-world"},
        phone=FakePhone([make_screen("Notes")], apps=["org.notes"]),
    )
    assert episode.steps[0].action == Open("org.notes")
    assert "open_app(text)" in model.requests[1].text
    _, model = work([PLAN, BACK, WORKED, FINISHED])
    assert not any("open_app" in request.text for request in model.requests)


def test_knowledge_about_the_task_goes_to_the_manager() -> None:
    _, model = work([PLAN, CLICK, WORKED, FINISHED], options={"knowledge": "Notes are {yellow}."})
    manager, executor, _, again = model.requests
    assert "Notes are {yellow}." in manager.text
    assert "Notes are {yellow}." in again.text
    assert "yellow" not in executor.text


def test_only_the_first_three_subgoals_are_current() -> None:
    plan = "### Thought ###\nx\n### Plan ###\n1. a\n2. b\n3. c\n4. d\n5. e"
    episode, model = work([plan, BACK, WORKED, FINISHED])
    assert "### Current Subgoal ###\n1. a 2. b 3. c\n" in model.requests[1].text
    assert episode.steps[0].action == Key("back")
