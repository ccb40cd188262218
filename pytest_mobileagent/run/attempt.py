"""One attempt at a case: from a leased device to a recorded episode."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from pytest_mobileagent._task.case import all_packages, has_alternatives, missing, on_phone
from pytest_mobileagent._task.template import fill
from pytest_mobileagent.action.action import Open, Wait
from pytest_mobileagent.agent.agent import Briefing, StepInstructions
from pytest_mobileagent.device.device import log_of, system_of, without_screenshots
from pytest_mobileagent.device.probes import since_now
from pytest_mobileagent.environment.apply import apply
from pytest_mobileagent.environment.clock import set_clock
from pytest_mobileagent.episode.store import Recorder
from pytest_mobileagent.errors import DeviceError, MobileAgentError, TaskError
from pytest_mobileagent.llm.models import EpisodeModels, ModelSettings
from pytest_mobileagent.run.session import Limits, Session
from pytest_mobileagent.run.single_path import PathSession, show_first_page
from pytest_mobileagent.run.user import EpisodeUser

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent._task.task import Probe, Task
    from pytest_mobileagent.device.device import Capture, Device
    from pytest_mobileagent.device.noisy.noisy_device import NoiseSettings
    from pytest_mobileagent.environment import Environment
    from pytest_mobileagent.episode.observation import Reset
    from pytest_mobileagent.episode.screens import ScreenStore
    from pytest_mobileagent.llm.model import Client
    from pytest_mobileagent.llm.reference import ModelReference
    from pytest_mobileagent.run.runner import AgentRunner
    from pytest_mobileagent.screen.screen import Screen


class UnfitDeviceError(MobileAgentError):
    """The device lacks what the task needs: an app, or a listener for events."""


class MissingAppError(UnfitDeviceError):
    """The device lacks an app that the task needs."""


@dataclass(frozen=True, slots=True)
class ChosenAgent:
    """An agent as its episodes record it, and how to run it.

    - `name`, `options`: as recorded.
    - `make_runner`: returns a runner for a case and the values of the goal's placeholders.
    - `program`: the record of an external program; None for any other agent.
    - `sees`: the parts of a screen that the agent declares to see; empty if it declares none.
    """

    name: str
    make_runner: Callable[[Case, Mapping[str, Any]], AgentRunner]
    options: Mapping[str, Any] = field(default_factory=dict)
    program: Mapping[str, Any] | None = None
    sees: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class AttemptPlan:
    """How to play a case.

    - `environment`: the environment that the case names, if any.
    - `models`: the models that the agent may ask; `clients` replace some of them in tests.
    - `ocr`: the OCR engine for the agent.
    - `clock`: the time to set the device's clock to; None leaves it unchanged.
    - `noise`: the noise in the agent's way; None for none.
    - `path`: "single" if the golden actions are performed in the agent's place (see
      `run.single_path`).
    - `spares_screenshots`: whether screenshots are not needed, so the device takes none if it can
      work without.
    - `user`: how the task's user answers (see `task.user.MODES`); `user_models`: the models that
      may play the user, or `models` if not given; `unanswered`: the file of questions without an
      answer.
    - `node`, `versions`: the machine's name, if workers are on several machines, and the versions
      of its software by name; both are recorded.
    - `is_done`: called with the episode's folder after every step; returns whether the goal is met,
      which ends the episode. None if the task does not stop on success.
    - `repeats_kills`: whether the caller repeats an attempt whose agent's process somebody kills,
      which raises AgentKilledError; if not, that is the agent's error.
    """

    case: Case
    agent: ChosenAgent
    limits: Limits
    seed: int
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
    repeats_kills: bool = False


def attempt(
    plan: AttemptPlan, device: Device, screens: ScreenStore, folder: Path, number: int
) -> None:
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
        start = _started(plan, device)
        recorder = Recorder(folder, screens)
        try:
            _play(plan, start, recorder, number)
        except TaskError:
            with contextlib.suppress(MobileAgentError):  # the first error is reported
                start.case.call("clean_up", device)
            raise
        finally:
            recorder.close()
        start.case.call("clean_up", device)


@dataclass(frozen=True, slots=True)
class _Start:
    """The starting point of an episode.

    - `case`: the case, adapted to the packages of the phone.
    - `device`: the device without noise.
    - `reset`: what the reset did; `installed`: the versions of the installed packages by name.
    - `first`: what the device showed at the start; `probes` are adapted to this moment.
    - `goal`: the goal, filled with `values`; `full_goal`: the same of a vague task's whole goal.
    """

    case: Case
    device: Device
    reset: Reset
    installed: Mapping[str, str]
    probes: Mapping[str, Probe]
    first: Capture
    values: Mapping[str, Any]
    goal: str
    full_goal: str


def _started(plan: AttemptPlan, device: Device) -> _Start:
    case, reset, installed = _prepared(plan, device)
    task = case.task
    if plan.path == "single":
        show_first_page(device, task)
    probes = since_now(task.probes, system_of(device))
    first = device.observe(probes)
    device.events()  # drop the events and log lines from before the episode
    log_of(device)
    if first.screen.time is None:
        raise DeviceError(f"device {device.info.serial} does not report its time")
    values = task.values(case.parameters, first.screen.time)
    goal, full_goal = fill(task.goal, values), fill(task.full, values)
    return _Start(case, device, reset, installed, probes, first, values, goal, full_goal)


def _prepared(plan: AttemptPlan, device: Device) -> tuple[Case, Reset, Mapping[str, str]]:
    """Bring a device to the starting point of a case.

    Return the case adapted to this phone, what the reset did, and the versions of installed
    packages.
    """
    reset = reset_for(plan.case.task, device, plan.environment, plan.clock)
    installed = system_of(device).versions()
    if lacks := missing(plan.case.task, installed.keys()):
        raise MissingAppError(f"device {device.info.serial} has no app {', '.join(lacks)}")
    if "events" in plan.case.task.needs and not device.info.listener:
        msg = f"device {device.info.serial} has no event listener (docs/events.md)"
        raise UnfitDeviceError(msg)
    case = on_phone(plan.case, installed.keys())
    case.call("prepare", device)
    return case, reset, installed


def reset_for(
    task: Task, device: Device, environment: Environment | None, clock: datetime | None = None
) -> Reset:
    """Bring a device to a task's snapshot (see `System.reset`), environment and time."""
    system, packages = system_of(device), all_packages(task)
    if has_alternatives(task):
        installed = system.packages()
        packages = tuple(each for each in packages if each in installed) or packages
    reset = system.reset(task.snapshot, packages)
    if environment is not None:
        apply(environment, device)
    if clock is not None:
        set_clock(device, clock)
    return reset


LOOKS = 3  # observations of an app after it was opened, as it may show a splash screen first
PAUSE = 2.0  # seconds between observations


def open_anew(
    plan: AttemptPlan, device: Device, app: str, is_sought: Callable[[Screen], bool]
) -> Screen:
    """Open an app on a device at the starting point of a case, before any agent has used it.

    Return the first screen for which `is_sought` holds, or else the last of `LOOKS` screens.

    Raises:
        UnfitDeviceError, InfrastructureError, TaskError: as `attempt`.
    """
    case, _, _ = _prepared(plan, device)
    device.perform(Open(app))
    screen = device.observe().screen
    for _ in range(LOOKS - 1):
        if is_sought(screen):
            break
        device.perform(Wait(PAUSE))
        screen = device.observe().screen
    case.call("clean_up", device)
    return screen


def _play(plan: AttemptPlan, start: _Start, recorder: Recorder, number: int) -> None:
    """Run the agent from the starting point on, and record the episode."""
    case, task, device, folder = start.case, start.case.task, start.device, recorder.folder
    head = _head(plan, start, number)
    user = EpisodeUser(
        case,
        folder,
        plan.user,
        start.values,
        models=plan.user_models or plan.models,
        clients=plan.clients,
        unanswered=plan.unanswered,
    )
    # A program receives nothing but its goal, so all that the user says is added to it.
    told = "" if plan.agent.program is None else user.volunteered(None)
    if plan.noise is not None:
        from pytest_mobileagent.device.noisy.noisy_device import with_noise  # few runs need it

        tampers = plan.path == "multi"  # golden actions are not the agent's
        seen = start.first.screen
        device = with_noise(device, plan.noise, plan.seed, task.language, seen, tampers=tampers)
    briefing = Briefing(
        "\n".join(filter(None, [start.goal, told])),
        device.info,
        task.packages,
        plan.seed,
        folder,
        language=task.language,
        instructions=StepInstructions(task.instructions) if user.tells else task.instructions,
        installed=frozenset(start.installed),
        ocr=plan.ocr,
        models=EpisodeModels(plan.models, folder, recorder.pictures, plan.clients),
    )
    spending = plan.models.spending()
    recorder.start(
        case, device.info, start.reset, head | ({"user": user.mode} if user.mode else {})
    )
    make = Session if plan.path == "multi" else partial(PathSession, values=start.values)
    session = make(
        device,
        task,
        plan.limits,
        recorder,
        start.first,
        probes=start.probes,
        spending=spending,
        prices=plan.models.prices,
        installed=start.installed,
        is_done=plan.is_done,
        user=user,
        repeats_kills=plan.repeats_kills,
    )
    plan.agent.make_runner(case, start.values).run(session, briefing)
    session.finish()


def _head(plan: AttemptPlan, start: _Start, number: int) -> dict[str, Any]:
    """Return what the record says first about an episode, beside its case, device and reset."""
    return {
        "goal": start.goal,
        "agent": plan.agent.name,
        "options": plan.agent.options,
        "program": plan.agent.program,
        "seed": plan.seed,
        "attempt": number,
        "step_limit": plan.limits.steps,
        "recorded": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "apps": {name: start.installed[name] for name in start.case.task.packages},
        **({"node": plan.node} if plan.node else {}),
        **({"versions": plan.versions} if plan.versions else {}),
        **({"full_goal": start.full_goal} if start.full_goal else {}),
    }
