"""Episodes that end as soon as the goal is met."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Agent, Finish, Tap, Task, Termination, load
from pytest_mobileagent._task.case import Case
from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.episode.store import Recorder
from pytest_mobileagent.run import runner, session
from pytest_mobileagent.run.attempt import attempt
from pytest_mobileagent.run.plan import AttemptPlan, ChosenAgent, Limits
from pytest_mobileagent.run.runner import in_thread
from tests.run.agents import script

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_mobileagent import Briefing, Episode, Phone
    from pytest_mobileagent.testing import FakePhone


@pytest.fixture
def play(phone: FakePhone, tmp_path: Path) -> Callable[..., Episode]:
    """Plays an agent in an episode that ends as soon as `is_done` is true of it."""

    def play(agent: Any, is_done: Callable[[Episode], bool], **limits: Any) -> Episode:
        def asked(folder: Path) -> bool:
            return is_done(load(folder))

        plan = AttemptPlan(
            Case(Task("Do it."), "it"),
            ChosenAgent("scripted", lambda case, values: in_thread(agent, None, case, values)),
            Limits(**{"steps": 5, "seconds": 60.0} | limits),
            seed=0,
            is_done=asked,
        )
        folder = tmp_path / "episodes" / "it.0"
        attempt(plan, phone, Recorder(folder, ScreenStore(tmp_path / "screens")))
        return load(folder)

    return play


def test_an_episode_ends_after_the_step_that_met_the_goal(phone, play):
    episode = play(script(*[Tap(1, 1)] * 5), lambda e: len(e.steps) == 2)
    assert episode.termination is Termination.STOPPED
    assert (episode.step_count, len(phone.actions), episode.error) == (2, 2, "")
    assert episode.is_complete


def test_the_check_is_asked_of_records_but_not_before_the_first_step(play):
    asked: list[tuple[int, str]] = []

    def note(episode: Episode) -> bool:
        asked.append((len(episode.steps), episode.screen.texts[0]))
        return False

    episode = play(script(Tap(1, 1), Tap(2, 2), Finish()), note)
    assert asked == [(1, "1"), (2, "2")]
    assert episode.termination is Termination.SELF_REPORTED


def test_a_goal_that_is_met_by_the_last_step_ends_it_before_the_limit_does(play):
    episode = play(script(*[Tap(1, 1)] * 9), lambda e: len(e.steps) == 2, steps=2)
    assert episode.termination is Termination.STOPPED


def test_a_goal_that_was_met_at_the_start_ends_it_after_the_first_step(play):
    episode = play(script(*[Tap(1, 1)] * 5), lambda e: True)
    assert (episode.termination, episode.step_count) == (Termination.STOPPED, 1)


def test_an_agent_with_a_loop_learns_that_the_episode_is_over(play):
    told: list[str] = []

    class Loop(Agent):
        def run(self, briefing: Briefing, phone: Phone) -> str:
            try:
                while True:
                    phone.act(Tap(1, 1))
            finally:
                told.append("over")

    episode = play(Loop, lambda e: len(e.steps) == 2)
    assert (episode.termination, episode.step_count) == (Termination.STOPPED, 2)
    assert (told, episode.error) == (["over"], "")


def test_asking_takes_none_of_the_agents_time(play, monkeypatch):
    asking = [0.0]

    def slow(episode: Episode) -> bool:
        asking[0] += 1000.0
        return len(episode.steps) == 3

    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + asking[0])
    monkeypatch.setattr(runner, "time", clock)
    monkeypatch.setattr(session, "time", clock)
    episode = play(script(*[Tap(1, 1)] * 5), slow)
    assert (episode.termination, episode.step_count) == (Termination.STOPPED, 3)
    assert episode.seconds_thinking + episode.seconds_acting < 1000
