"""One attempt at a case: from a leased device to a recorded episode."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pytest_mobileagent.action.action import Open, Wait
from pytest_mobileagent.agent.agent import Briefing, StepInstructions
from pytest_mobileagent.device.device import log_of, system_of, without_screenshots
from pytest_mobileagent.device.probes import since_now
from pytest_mobileagent.environment.apply import apply
from pytest_mobileagent.environment.clock import set_clock
from pytest_mobileagent.episode.store import Recorder
from pytest_mobileagent.errors import (
    DeviceError,
    InfrastructureError,
    MobileAgentError,
    TaskError,
    in_one_line,
)
from pytest_mobileagent.llm.models import EpisodeModels, ModelSettings
from pytest_mobileagent.run.path import GoldenPath, PathSession, show_first_page
from pytest_mobileagent.run.played import model_of_user
from pytest_mobileagent.run.session import Limits, Session
from pytest_mobileagent.run.user import EpisodeUser
from pytest_mobileagent.task.apps import all_packages, has_alternatives, missing, on_phone
from pytest_mobileagent.task.template import fill

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from pytest_mobileagent.device.device import Capture, Device, System
    from pytest_mobileagent.device.noisy.schedule import NoiseSettings
    from pytest_mobileagent.environment import Environment
    from pytest_mobileagent.episode.observation import DeviceInfo, Reset
    from pytest_mobileagent.episode.screens import ScreenStore
    from pytest_mobileagent.llm.model import Client
    from pytest_mobileagent.llm.reference import ModelReference
    from pytest_mobileagent.run.runner import AgentRunner
    from pytest_mobileagent.screen.screen import Screen
    from pytest_mobileagent.task.case import Case
    from pytest_mobileagent.task.task import Probe, Task


class UnfitDeviceError(MobileAgentError):
    """The device lacks what the task needs: an app, or a listener for events."""


class MissingAppError(UnfitDeviceError):
    """The device lacks an app that the task needs."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How to play a case.

    - `agent`: the agent's name; `options`: its options; `make_runner` returns its runner for a case
      and the values of the goal's placeholders.
    - `program`: the record of an external program; None for any other agent.
    - `environment`: the environment that the case names, if any.
    - `models`: the models that the agent may ask; `clients` replace some of them in tests.
    - `ocr`: the OCR engine for the agent.
    - `clock`: the time to set the device's clock to; None leaves it unchanged.
    - `noise`: the noise in the agent's way; None for none.
    - `path`: "single" if the golden actions are performed in the agent's place (see `run.path`).
    - `spares_screenshots`: whether screenshots are not needed, so the device takes none if it can
      work without.
    - `user`: how the task's user answers (see `task.user.MODES`); `user_models`: the models that
      may play the user, or `models` if not given; `unanswered`: the file of questions without an
      answer.
    - `node`, `versions`: the machine's name, if workers are on several machines, and the versions
      of its software by name; both are recorded.
    - `is_done`: called with the episode's folder after every step; returns whether the goal is met,
      which ends the episode. None if the task does not stop on success.
    """

    case: Case
    agent: str
    make_runner: Callable[[Case, Mapping[str, Any]], AgentRunner]
    limits: Limits
    seed: int
    options: Mapping[str, Any] = field(default_factory=dict)
    program: Mapping[str, Any] | None = None
    environment: Environment | None = None
    clock: datetime | None = None
    models: ModelSettings = field(default_factory=ModelSettings)
    clients: Mapping[ModelReference, Client] = field(default_factory=dict)
    ocr: str = "rapidocr"
    noise: NoiseSettings | None = None
    path: Literal["single", "multi"] = "multi"
    spares_screenshots: bool = False
    user: str = "asked"
    user_models: ModelSettings | None = None
    unanswered: Path | None = None
    node: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    is_done: Callable[[Path], bool] | None = None


def attempt(plan: Plan, device: Device, screens: ScreenStore, folder: Path, number: int) -> None:
    """Bring the device to the case's starting point, run the agent, and record the episode.

    `screens` is the run's store of screens, `folder` the episode's folder, and `number` the number
    of the attempt.

    Raises:
        UnfitDeviceError: if the device lacks an app or a listener.
        InfrastructureError: if the device breaks, or the record cannot be written.
        TaskError: if the task is broken.
    """
    spares = without_screenshots(device) if plan.spares_screenshots else contextlib.nullcontext()
    with spares:
        _attempt(plan, device, screens, folder, number)


def _attempt(plan: Plan, device: Device, screens: ScreenStore, folder: Path, number: int) -> None:
    plan, reset, versions = _prepared(plan, device)
    task, system = plan.case.task, system_of(device)
    if plan.path == "single":
        show_first_page(device, task)
    probes = since_now(task.probes, system)
    first = device.observe(probes)
    device.events()  # drop the events and log lines from before the episode
    log_of(device)
    if first.screen.time is None:
        msg = f"device {device.info.serial} does not report its time"
        raise DeviceError(msg)
    goal = task.goal_for(plan.case.parameters, first.screen.time)
    met = _with_noise(device, plan, first)
    recorder = Recorder(folder, screens)
    try:
        values = task.values(plan.case.parameters, first.screen.time)
        user = _user(plan, folder, values)
        head = _head(plan, goal, number, versions)
        head |= {"user": user.mode} if user.mode else {}
        head |= {"node": plan.node} if plan.node else {}
        head |= {"versions": plan.versions} if plan.versions else {}
        head |= {"full_goal": fill(task.full, values)} if task.full else {}
        recorder.start(plan.case, device.info, reset, head)
        start = _Start(first, probes, goal, frozenset(versions), values, user)
        _play(plan, met, recorder, start)
    except TaskError:
        with contextlib.suppress(MobileAgentError):  # the first error is reported
            _call("clean_up", task.clean_up, device, plan.case)
        raise
    finally:
        recorder.close()
    _call("clean_up", task.clean_up, device, plan.case)


def _prepared(plan: Plan, device: Device) -> tuple[Plan, Reset, Mapping[str, str]]:
    """Bring a device to the starting point of a case.

    Return the plan with the case adapted to this phone, what the reset did, and the versions of
    installed packages.
    """
    system = system_of(device)
    reset = reset_for(plan.case.task, system)
    if plan.environment is not None:
        apply(plan.environment, device)
    if plan.clock is not None:
        set_clock(device, plan.clock)
    versions = system.versions()
    _check_fitness(plan.case, device.info, versions.keys())
    plan = replace(plan, case=on_phone(plan.case, versions.keys()))
    _call("prepare", plan.case.task.prepare, device, plan.case)
    return plan, reset, versions


LOOKS = 3  # observations of an app after it was opened, as it may show a splash screen first
PAUSE = 2.0  # seconds between observations


def open_anew(plan: Plan, device: Device, app: str, is_sought: Callable[[Screen], bool]) -> Screen:
    """Open an app on a device at the starting point of a case, before any agent has used it.

    Return the first screen for which `is_sought` holds, or else the last of `LOOKS` screens.

    Raises:
        UnfitDeviceError, InfrastructureError, TaskError: as `attempt`.
    """
    plan, _, _ = _prepared(plan, device)
    device.perform(Open(app))
    screen = device.observe().screen
    for _ in range(LOOKS - 1):
        if is_sought(screen):
            break
        device.perform(Wait(PAUSE))
        screen = device.observe().screen
    _call("clean_up", plan.case.task.clean_up, device, plan.case)
    return screen


def _with_noise(device: Device, plan: Plan, first: Capture) -> Device:
    """Return the device for the agent: wrapped to show noise, if the plan has any."""
    if plan.noise is None:
        return device
    from pytest_mobileagent.device.noisy.noisy_device import with_noise  # few runs need it

    tampers = plan.path == "multi"  # golden actions are not the agent's
    language = plan.case.task.language
    return with_noise(device, plan.noise, plan.seed, language, first.screen, tampers=tampers)


def reset_for(task: Task, system: System) -> Reset:
    """Bring a device to the starting point of a task (see `System.reset`)."""
    if not has_alternatives(task):
        return system.reset(task.snapshot, task.packages)
    installed = system.packages()
    there = [package for package in all_packages(task) if package in installed]
    return system.reset(task.snapshot, there or all_packages(task))


class _Start(NamedTuple):
    """The facts of an episode before its first decision."""

    first: Capture
    probes: Mapping[str, Probe]
    goal: str
    installed: frozenset[str]
    values: Mapping[str, Any]
    user: EpisodeUser


def _user(plan: Plan, folder: Path, values: Mapping[str, Any]) -> EpisodeUser:
    models = plan.models if plan.user_models is None else plan.user_models
    model = model_of_user(models, folder, plan.clients)
    return EpisodeUser(plan.case, plan.user, values, model=model, unanswered=plan.unanswered)


def _play(plan: Plan, device: Device, recorder: Recorder, start: _Start) -> None:
    task, (first, probes, goal, installed, values, user) = plan.case.task, start
    started = time.monotonic()
    make = Session if plan.path == "multi" else partial(PathSession, path=GoldenPath(task, values))
    session = make(
        device,
        task,
        plan.limits,
        recorder,
        first,
        probes=probes,
        spending=plan.models.spending(),
        prices=plan.models.prices,
        installed=installed,
        is_done=None if plan.is_done is None else partial(plan.is_done, recorder.folder),
        user=user,
    )
    runner = plan.make_runner(plan.case, values)
    if user.tells and plan.program is not None:  # a program receives nothing but its goal
        goal = "\n".join(filter(None, [goal, user.volunteered(None)]))
    briefing = Briefing(
        goal,
        device.info,
        task.packages,
        plan.seed,
        recorder.folder,
        language=task.language,
        instructions=StepInstructions(task.instructions) if user.tells else task.instructions,
        installed=installed,
        ocr=plan.ocr,
        models=EpisodeModels(plan.models, recorder.folder, recorder.pictures, plan.clients),
    )
    runner.run(session, briefing)
    session.finish()
    assert session.ending is not None
    ending, seconds = session.ending, time.monotonic() - started
    unused = (*ending.unused, *session.unread_calls())
    recorder.end(
        ending.termination,
        ending.error,
        seconds,
        unused,
        is_logged=session.reports.is_logged,
        golden_left=session.golden_left,
    )


def _head(plan: Plan, goal: str, number: int, versions: Mapping[str, str]) -> dict[str, Any]:
    return {
        "goal": goal,
        "agent": plan.agent,
        "options": plan.options,
        "program": plan.program,
        "seed": plan.seed,
        "attempt": number,
        "step_limit": plan.limits.steps,
        "recorded": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "apps": {name: versions[name] for name in plan.case.task.packages},
    }


def _check_fitness(case: Case, info: DeviceInfo, installed: Collection[str]) -> None:
    if lacks := missing(case.task, installed):
        msg = f"device {info.serial} has no app {', '.join(lacks)}"
        raise MissingAppError(msg)
    if "events" in case.task.needs and not info.listener:
        msg = f"device {info.serial} has no event listener (docs/events.md)"
        raise UnfitDeviceError(msg)


def _call(what: str, function: Callable[..., object] | None, device: Device, case: Case) -> None:
    """Call a task's function with the device, and with the parameters that it names.

    Raises:
        InfrastructureError: if the function raises it.
        TaskError: if the function raises any other exception.
    """
    if function is None:
        return
    try:
        function(device, **case.arguments_of(function))
    except (InfrastructureError, TaskError):
        raise
    except Exception as error:
        msg = f"its {what} raised {in_one_line(error)}"
        raise TaskError(msg) from error
