from __future__ import annotations

from pytest_mobileagent import Finish, Key, Swipe, Tap, Type
from pytest_mobileagent.testing import FakePhone, make_screen
from tests.agents.playing import acted, did, player

UNUSED = "[-1.0, -1.0]"


def decision(kind: str, touch: str = UNUSED, lift: str = "", text: str = "") -> str:
    points = f'"touch_point": "{touch}", "lift_point": "{lift or touch}"'
    return f'"action_type": "{kind}", {points}, "typed_text": "{text}"'


def reply(*args: str, **named: str) -> str:
    return f"Action Plan: [{args[0]}]; Action Decision: " + decision(*args, **named)


TAP = reply("DUAL_POINT", "[0.07511, 0.5]")
DONE = reply("STATUS_TASK_COMPLETE")


work = player("digirl", "Write a note.", lambda: FakePhone([make_screen("Notes")]))


def test_the_agent_works_until_it_is_done() -> None:
    episode, model = work([TAP, reply("TYPE", text="milk"), reply("PRESS_HOME"), DONE])
    assert acted(episode) == [Tap(540, 180), Type("milk"), Key("home"), Finish()]
    assert len(model.requests) == 4


def test_the_agent_sees_only_its_last_action_with_four_decimals() -> None:
    _, model = work([TAP, reply("TYPE", text="milk"), DONE])
    first, second, third = (request.text for request in model.requests)
    assert first == "Previous Actions: Goal: Write a note.</s>"
    touched = decision("DUAL_POINT", "[0.0751, 0.5000]")
    assert second == f"Previous Actions: {touched} Goal: Write a note.</s>"
    typed = decision("TYPE", text="milk")
    assert third == f"Previous Actions: {typed} Goal: Write a note.</s>"
    assert model.requests[0].temperature == 1.0
    assert len(model.requests[0].images) == 1


def test_only_points_at_the_same_place_are_a_tap() -> None:
    episode, _ = work([reply("DUAL_POINT", "[0.5, 0.5]", "[0.52, 0.5]"), DONE])
    assert episode.steps[0].action == Swipe(540, 1200, 540, 1248)


def test_an_invalid_decision_is_a_step_without_an_action() -> None:
    episode, model = work([reply("SCROLL", "[0.5, 0.5]"), DONE])
    assert did(episode) == [(), (Finish(),)]
    assert model.requests[1].text == "Previous Actions:  Goal: Write a note.</s>"


def test_spa_bench_runs_it_as_auto_ui() -> None:
    typing = reply("TYPE", text="milk")
    episode, model = work([TAP, typing, DONE], options={"preset": "spa-bench"})
    assert episode.steps[1].action == Type("milk", clear=True, enter=True)
    lines = f"{decision('DUAL_POINT', '[0.0751, 0.5000]')}\n{decision('TYPE', text='milk')}"
    assert model.requests[2].text == f"Previous Actions: {lines}\nGoal: Write a note."
    assert model.requests[2].temperature == 0.1
