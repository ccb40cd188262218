"""One attempt at a task: from a device at the starting point to a recorded episode."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.device.device import system_of
from pytest_mobileagent.environment.apply import apply
from pytest_mobileagent.episode.episode import Episode, TaskRecord
from pytest_mobileagent.episode.store import Recorder, load
from pytest_mobileagent.errors import DeviceError, MobileAgentError
from pytest_mobileagent.plain import to_wire
from pytest_mobileagent.run.session import Assignment, play

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pytest_mobileagent.agent.agent import Agent
    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.environment.environment import Environment
    from pytest_mobileagent.task.task import Task


class AppMissingError(MobileAgentError):
    """The device lacks an app that the task needs."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A task of a suite, with its parameters, and how an agent may work on it."""

    task: Task
    id: str
    nodeid: str
    suite: str
    parameters: Mapping[str, Any]
    agent: str
    make_agent: Callable[[], Agent]
    step_limit: int
    time_limit: float
    seed: int
    epoch: int
    environment: Environment | None = None


def attempt(plan: Plan, device: Device, folder: Path, number: int) -> Episode:
    """Bring the device to the task's starting point, let the agent work, and return the episode.

    Raises:
        AppMissingError: the device lacks an app.
        InfrastructureError: the device broke, or the record cannot be written.
        TaskError: the task is broken.
    """
    task = plan.task
    system = system_of(device)
    reset = system.reset(task.snapshot, task.packages)
    if plan.environment is not None:
        apply(plan.environment, device)
    missing = [package for package in task.packages if package not in system.packages()]
    if missing:
        msg = f"device {device.info.serial} has no app {', '.join(missing)}"
        raise AppMissingError(msg)
    first = device.observe(task.probes)
    device.events()  # what happened before is no part of the episode
    if first.screen.time is None:
        msg = f"device {device.info.serial} does not tell the time"
        raise DeviceError(msg)
    goal = task.goal_for(plan.parameters, first.screen.time)
    recorder = Recorder(folder)
    try:
        recorder.start(
            _task_record(plan, goal),
            device.info,
            {
                "agent": plan.agent,
                "seed": plan.seed,
                "epoch": plan.epoch,
                "attempt": number,
                "recorded": datetime.now(UTC).isoformat(timespec="milliseconds"),
                "reset": str(reset),
            },
        )
        values = task.values(plan.parameters, first.screen.time)
        assignment = Assignment(task, goal, values, plan.step_limit, plan.time_limit, plan.seed)
        play(plan.make_agent, device, assignment, first, recorder)
    finally:
        recorder.close()
    return load(folder)


def _task_record(plan: Plan, goal: str) -> TaskRecord:
    task = plan.task
    return TaskRecord(
        id=plan.id,
        nodeid=plan.nodeid,
        goal=goal,
        suite=plan.suite,
        apps=task.packages,
        kind=task.kind,
        level=task.level,
        language=task.language,
        golden_steps=task.shortest,
        step_limit=plan.step_limit,
        parameters=to_wire(plan.parameters),
        environment=plan.environment.id if plan.environment else None,
    )
