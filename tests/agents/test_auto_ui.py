from __future__ import annotations

from pytest_mobileagent import Finish, Impossible, Key, Swipe, Tap, Type
from pytest_mobileagent.testing import FakePhone, MemoryPhone, make_screen
from tests.agents.playing import acted, player

UNUSED = "[-1.0, -1.0]"


def decision(kind: str, touch: str = UNUSED, lift: str = "", text: str = "") -> str:
    points = f'"touch_point": "{touch}", "lift_point": "{lift or touch}"'
    return f'"action_type": "{kind}", {points}, "typed_text": "{text}"'


def reply(*args: str, **named: str) -> str:
    return f"Action Plan: [{args[0]},STATUS_TASK_COMPLETE]; Action Decision: " + decision(
        *args, **named
    )


TAP = reply("DUAL_POINT", "[0.075, 0.5]")
TYPE = reply("TYPE", text="milk, eggs")
DONE = reply("STATUS_TASK_COMPLETE")


work = player("auto_ui", "Write a note.", lambda: FakePhone([make_screen("Notes")]))


def test_the_agent_works_until_it_is_done() -> None:
    pages = {"home": make_screen("Clock", "Notes"), "notes": make_screen("Title")}
    phone = MemoryPhone(pages, links={("home", "Notes"): "notes"})
    episode, model = work([TAP, TYPE, reply("PRESS_ENTER"), DONE], phone=phone)
    assert acted(episode) == [Tap(540, 180), Type("milk, eggs"), Key("enter"), Finish()]
    assert [step.said for step in episode.steps] == [TAP, TYPE, reply("PRESS_ENTER"), DONE]
    assert len(model.requests) == len(episode.calls) == 4


def test_the_agent_sends_the_whole_screenshot_and_the_words_of_the_training() -> None:
    _, model = work([TAP, DONE])
    first, second = model.requests
    assert first.text == "Previous Actions: \nGoal: Write a note."
    touched = decision("DUAL_POINT", "[0.075, 0.5]")
    assert second.text == f"Previous Actions: {touched}\nGoal: Write a note."
    assert [image.media_type for image in first.images] == ["image/png"]
    assert first.images[0].data.startswith(b"\x89PNG")
    assert (first.max_tokens, first.temperature) == (128, 0.0)


def test_the_agent_sees_its_last_eight_actions() -> None:
    taps = [reply("DUAL_POINT", f"[0.{number}, 0.5]") for number in range(10, 20)]
    _, model = work([*taps, DONE])
    assert model.requests[-1].text.count('"action_type"') == 8
    assert "[0.12, 0.5]" in model.requests[-1].text
    assert "[0.11, 0.5]" not in model.requests[-1].text


def test_the_agent_can_see_fewer_actions() -> None:
    _, model = work([TAP, TYPE, DONE], options={"history": 0})
    assert model.requests[-1].text == "Previous Actions: \nGoal: Write a note."


def test_points_that_are_near_each_other_are_a_tap() -> None:
    swipe = reply("DUAL_POINT", "[0.8, 0.5]", "[0.2, 0.5]")
    episode, _ = work([reply("DUAL_POINT", "[0.5, 0.5]", "[0.52, 0.5]"), swipe, DONE])
    assert [step.action for step in episode.steps[:2]] == [
        Tap(540, 1200),
        Swipe(540, 1920, 540, 480),
    ]


def test_spa_bench_shows_all_actions_and_submits_typed_text() -> None:
    near = reply("DUAL_POINT", "[0.5, 0.5]", "[0.52, 0.5]")
    episode, model = work([near] * 9 + [TYPE, DONE], options={"preset": "spa-bench"})
    assert episode.steps[0].action == Swipe(540, 1200, 540, 1248, seconds=0.5)
    assert episode.steps[9].action == Type("milk, eggs", clear=True, enter=True)
    assert model.requests[-1].text.count('"action_type"') == 10
    assert model.requests[0].temperature == 0.1


def test_spa_bench_stops_at_an_unreadable_reply() -> None:
    episode, _ = work(["Tap on Notes."], options={"preset": "spa-bench"})
    assert episode.termination == "agent error"


def test_the_agent_says_what_is_impossible() -> None:
    episode, _ = work([reply("STATUS_TASK_IMPOSSIBLE")])
    assert acted(episode) == [Impossible()]
