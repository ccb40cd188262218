"""An attempt at a task: from a device at its starting point to a recorded episode."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import (
    Action,
    Agent,
    Event,
    Finish,
    Screen,
    Tap,
    open_app,
)
from pytest_mobileagent.episode import TaskRecord
from pytest_mobileagent.errors import DeviceError, InfrastructureError
from pytest_mobileagent.run.attempt import AppMissingError, Plan, attempt
from pytest_mobileagent.task.task import Task
from tests.run.memory import APP, PATIENCE, MemoryDevice, agent, finish

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def plan(make_agent: Callable[[], Agent], **fields: Any) -> Plan:
    task = Task("Do {what} at {now:%H:%M}.", app=APP, solution=[open_app()], **fields)
    return Plan(task, "s/t", "s.py::t", "s", {"what": "it"}, "mine", make_agent, 3, PATIENCE, 7, 1)


@pytest.fixture
def clocked(make_screen: Callable[..., Screen]) -> MemoryDevice:
    return MemoryDevice([make_screen("a", time=datetime(2026, 5, 4, 8, 5))])


def test_an_attempt_is_recorded_with_what_was_known(clocked: MemoryDevice, tmp_path: Path) -> None:
    episode = attempt(plan(agent(finish), level=2), clocked, tmp_path / "e", 4)
    assert episode.task == TaskRecord(
        id="s/t",
        nodeid="s.py::t",
        goal="Do it at 08:05.",
        suite="s",
        apps=(APP,),
        level=2,
        golden_steps=1,
        step_limit=3,
        parameters={"what": "it"},
    )
    assert (episode.agent, episode.seed, episode.epoch, episode.attempt) == ("mine", 7, 1, 4)
    assert episode.reset == f"no default_boot: cleared {APP}"
    assert episode.started == datetime(2026, 5, 4, 8, 5)
    assert datetime.fromisoformat(episode.recorded).tzinfo is not None


def test_an_app_that_is_missing_is_told(clocked: MemoryDevice, tmp_path: Path) -> None:
    with pytest.raises(AppMissingError, match=r"device memory has no app com\.other"):
        attempt(plan(agent(finish), apps=("com.other",)), clocked, tmp_path / "e", 0)


def test_a_phone_without_a_clock_is_broken(
    make_screen: Callable[..., Screen], tmp_path: Path
) -> None:
    device = MemoryDevice([make_screen("a")])
    with pytest.raises(DeviceError, match="does not tell the time"):
        attempt(plan(agent(finish)), device, tmp_path / "e", 0)


def test_two_attempts_do_not_share_a_folder(clocked: MemoryDevice, tmp_path: Path) -> None:
    attempt(plan(agent(finish)), clocked, tmp_path / "e", 0)
    with pytest.raises(InfrastructureError, match="cannot record an episode"):
        attempt(plan(agent(finish)), clocked, tmp_path / "e", 1)


def test_each_step_has_the_events_of_its_own_and_none_from_before(
    clocked: MemoryDevice, tmp_path: Path
) -> None:
    def twice(self: Any, _: Screen) -> Action:
        self.steps = getattr(self, "steps", 0) + 1
        if self.steps > 2:
            clocked.told.append(Event("announcement", text=("late",)))
            return Finish()
        return Tap(1, 1)

    episode = attempt(plan(agent(twice)), clocked, tmp_path / "e", 0)
    assert [[event.text for event in step.events] for step in episode.steps] == [
        [("1",)],
        [("2",)],
        [("late",)],
    ]
    assert episode.event(type="clicked", text="2") == Event("clicked", text=("2",))
    assert episode.prefix(1).event(text="2") is None
