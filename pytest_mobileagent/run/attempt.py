"""One attempt at a case: from a leased device to a recorded episode.

Between `start` and `finish` the agent works, driven by a runner or by whoever holds the session.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_mobileagent._task.case import all_packages, has_alternatives, missing, on_phone
from pytest_mobileagent.action import Open, Wait
from pytest_mobileagent.agent.agent import Briefing, StepInstructions
from pytest_mobileagent.device.device import system_of, without_screenshots
from pytest_mobileagent.environment.apply import apply, set_clock
from pytest_mobileagent.episode.exchanges import ExchangeLog
from pytest_mobileagent.errors import MobileAgentError, TaskError, UnfitMoveError
from pytest_mobileagent.run.session import Session
from pytest_mobileagent.run.single_path import PathSession, show_first_page

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from pytest_mobileagent._task import Task
    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.environment import Environment
    from pytest_mobileagent.episode.observation import Reset
    from pytest_mobileagent.episode.store import Recorder
    from pytest_mobileagent.run.plan import AttemptPlan
    from pytest_mobileagent.screen import Screen


class UnfitDeviceError(MobileAgentError):
    """The device lacks what the task needs: an app, a listener for events, or the language."""


class MissingAppError(UnfitDeviceError):
    """The device lacks an app that the task needs."""


class OtherLanguageError(UnfitDeviceError):
    """The device speaks another language than the solution is written for, which does not fit."""


def attempt(plan: AttemptPlan, device: Device, recorder: Recorder) -> None:
    """Bring the device to the case's starting point, run the agent, and record the episode.

    Raises:
        UnfitDeviceError: if the device lacks an app, a listener or the solution's language.
        InfrastructureError: if the device breaks, or the record cannot be written.
        TaskError: if the task is broken.
    """
    with sparing(plan, device), contextlib.closing(recorder):
        session = start(plan, device, recorder)
        runner = plan.agent.make_runner(_played(session.plan), session.values)
        try:
            runner.run(session, briefing_of(session, recorder))
        except TaskError as error:
            with contextlib.suppress(MobileAgentError):  # the first error is reported
                session.plan.case.call("clean_up", device)
            if isinstance(error, UnfitMoveError):
                _check_language(plan, error)
            raise
        finish(session, device)


def sparing(plan: AttemptPlan, device: Device) -> contextlib.AbstractContextManager[None]:
    """Return a context in which the device takes no screenshots if the plan spares them."""
    return without_screenshots(device) if plan.spares_screenshots else contextlib.nullcontext()


def _played(plan: AttemptPlan) -> Case:
    """Return the case from which an agent such as the oracle takes its moves.

    On a single path, golden actions come before a solution (see `GoldenPath`), so the case has none
    if it has golden actions.
    """
    task = plan.case.task
    if plan.path == "single" and task.golden and task.solution:
        return replace(plan.case, task=replace(task, solution=()))
    return plan.case


def _check_language(plan: AttemptPlan, error: UnfitMoveError) -> None:
    """Check that a move does not fit for another reason than the language of its text."""
    language, environment = plan.case.task.language, plan.environment
    if environment is not None and environment.locale.partition("-")[0] != language:
        what = f"the solution is written for a device that speaks {language}, and environment"
        msg = f"{what} {environment.id} speaks {environment.locale}: {error}"
        raise OtherLanguageError(msg) from error


def start(plan: AttemptPlan, device: Device, recorder: Recorder) -> Session:
    """Bring the device to the case's starting point, and return a session that begins there.

    Raises:
        UnfitDeviceError, InfrastructureError, TaskError: as `attempt`.
    """
    plan = prepared(plan, device)
    if plan.watch is not None:
        plan.watch.look(device)
    if plan.path == "single":
        show_first_page(device, plan.case.task)
        return PathSession(plan, device, recorder)
    return Session(plan, device, recorder)


def finish(session: Session, device: Device) -> None:
    """End the record of a session that is over, and clean up on its device."""
    try:
        session.finish()
        if session.plan.watch is not None:
            session.plan.watch.look(device)
    except TaskError:
        with contextlib.suppress(MobileAgentError):  # the first error is reported
            session.plan.case.call("clean_up", device)
        raise
    session.plan.case.call("clean_up", device)


def prepared(plan: AttemptPlan, device: Device) -> AttemptPlan:
    """Bring a device to the starting point of a case, and return the plan adapted to it."""
    reset = reset_for(plan.case.task, device, plan.environment, plan.clock)
    installed = system_of(device).versions()
    if lacks := missing(plan.case.task, installed.keys()):
        raise MissingAppError(f"device {device.info.serial} has no app {', '.join(lacks)}")
    if "events" in plan.case.task.needs and not device.info.listener:
        what = f"device {device.info.serial} has no event listener"
        raise UnfitDeviceError(f"{what} (docs/events.md)")
    case = on_phone(plan.case, installed.keys())
    case.call("prepare", device)
    return replace(plan, case=case, installed=installed, reset=reset)


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


def briefing_of(session: Session, recorder: Recorder) -> Briefing:
    """Return what the agent may know before it sees the screen."""
    plan, user = session.plan, session.user
    task = plan.case.task
    # A program receives nothing but its goal, so all that the user says is added to it.
    told = "" if plan.agent.program is None else user.volunteered(None)
    return Briefing(
        "\n".join(filter(None, [session.goal, told])),
        session.device.info,
        task.packages,
        plan.seed,
        session.folder,
        language=task.language,
        instructions=StepInstructions(task.instructions) if user.tells else task.instructions,
        installed=frozenset(plan.installed),
        ocr=plan.ocr,
        models=replace(plan.models, log=ExchangeLog(session.folder), pictures=recorder.screens),
    )


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
    case = prepared(plan, device).case
    device.perform(Open(app))
    screen, looks = device.observe().screen, 1
    while looks < LOOKS and not is_sought(screen):
        device.perform(Wait(PAUSE))
        screen, looks = device.observe().screen, looks + 1
    case.call("clean_up", device)
    return screen
