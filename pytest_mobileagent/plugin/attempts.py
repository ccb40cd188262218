"""How a case is played: its plan, from the options of the run, and the attempts at it."""

from __future__ import annotations

import contextlib
import fcntl
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest

from pytest_mobileagent._task import MOST_STEPS
from pytest_mobileagent.agent.options import facts_of, options_of
from pytest_mobileagent.device.fleet.shared import opened
from pytest_mobileagent.episode.runs import QUESTIONS, Attempt, End, begin, end
from pytest_mobileagent.episode.store import Recorder
from pytest_mobileagent.errors import (
    AgentError,
    AgentKilledError,
    DeviceError,
    HostError,
    InfrastructureError,
    MobileAgentError,
    NoSolutionError,
    TaskError,
)
from pytest_mobileagent.extras import is_installed
from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.llm.model import ProviderError
from pytest_mobileagent.llm.providers import prepare
from pytest_mobileagent.llm.reference import ModelChoice
from pytest_mobileagent.plugin.bodies import stops
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.metadata import versions
from pytest_mobileagent.plugin.state import Skipped, broken, state_of
from pytest_mobileagent.run.attempt import (
    MissingAppError,
    OtherLanguageError,
    UnfitDeviceError,
    attempt,
    open_anew,
)
from pytest_mobileagent.run.plan import AttemptPlan, ChosenAgent, Limits, UserSettings
from pytest_mobileagent.run.runner import ConversationRunner, in_thread
from pytest_mobileagent.screen.sight import check_sight
from pytest_mobileagent.urls import redact_urls

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.device.fleet.leases import LeasedDevice
    from pytest_mobileagent.plugin.config import RunConfig
    from pytest_mobileagent.program import Adapter
    from pytest_mobileagent.run.plan import AgentRunner
    from pytest_mobileagent.run.runner import ModelPort
    from pytest_mobileagent.screen import Screen


def play(case: Case, request: pytest.FixtureRequest) -> Path:
    """Run the agent on a case, again if infrastructure breaks; return the episode's folder."""
    plan = plan_of(case, request)
    run, state = request.config.stash[RUN], state_of(request.node)
    lease: LeasedDevice = request.getfixturevalue("mobile_lease")
    tries = Tries(1 + run.value("mobile-retries"), alone=run.workers == 1)
    state.playing.open_anew = lambda app, is_sought: _open_anew(
        plan, lease, Turn(run, alone=tries.alone), app, is_sought
    )
    while tries.left > 0:
        try:
            return _make(plan, run, lease, tries)
        except MissingAppError as error:
            raise Skipped("app", f"{error}; {run.devices.source.how_to_install}") from None
        except (AgentError, TaskError, UnfitDeviceError) as error:
            raise _outcome(error) from None
        except HostError as error:
            state.failures.append(str(error))
            raise broken(error) from None
        except InfrastructureError as error:
            # After other errors, another device would not help.
            is_device = not isinstance(error, ProviderError | AgentKilledError)
            state.failures.append(f"{error}{lease.give_up() if is_device else ''}")
    raise broken(*state.failures)


@dataclass(slots=True)
class Tries:
    """How often a case may still be attempted: `left` attempts may break before it is an error.

    When an adb server dies, every episode that uses it is lost, and it is unknown which one killed
    it. So the attempt does not count against any of these cases: each is repeated alone, while no
    other process of the run makes an attempt. A case that breaks the server again is the culprit.

    If somebody kills the agent's process, the attempt is repeated as well. A kill in the last
    attempt, after one in an earlier attempt, is the agent's error.
    """

    left: int
    alone: bool = False  # no other process makes an attempt meanwhile
    kills: int = 0  # attempts in which somebody killed the agent's process

    def broke(self, error: InfrastructureError, lease: LeasedDevice) -> tuple[End, bool]:
        """Count an attempt that broke; return how it ended, and whether the adb server was lost."""
        if isinstance(error, HostError | ProviderError | AgentKilledError):
            is_killed = isinstance(error, AgentKilledError)
            self.kills += is_killed
            self.left -= 1
            return (End.AGENT if is_killed else End.OTHER), False
        together = not self.alone and lease.has_lost_server()
        self.left -= not together
        self.alone = self.alone or together
        return End.DEVICE, together


def _make(plan: AttemptPlan, run: RunConfig, lease: LeasedDevice, tries: Tries) -> Path:
    """Make an attempt, and return the folder in which it is recorded."""
    folder, number = run.folder.attempt(plan.case)
    about = {**plan.about, "attempt": number}
    plan = replace(plan, about=about, repeats_kills=tries.left > 1 or not tries.kills)
    if run.effects is not None and run.devices.source.is_live:
        plan = replace(plan, watch=run.effects.watch())
    how, together = End.OTHER, False
    with Turn(run, alone=tries.alone) as turn:
        noted = turn.note(folder)
        try:
            device = lease.get()
            noted = turn.note(folder, device)
            attempt(plan, device, Recorder(folder, run.folder.screens))
            if run.effects is not None and plan.watch is not None:
                run.effects.effects(plan, device).write(folder)
            how = End.PLAYED
        except InfrastructureError as error:
            how, together = tries.broke(error, lease)
            raise
        except pytest.fail.Exception:  # by pytest-timeout, maybe while the device answered
            lease.give_up()
            raise
        finally:
            end(folder, noted, how, together=together)
    return folder


def _open_anew(
    plan: AttemptPlan,
    lease: LeasedDevice,
    turn: Turn,
    app: str,
    is_sought: Callable[[Screen], bool],
) -> Screen:
    """Open an app at the starting point of the case (see `run.attempt.open_anew`).

    A device that breaks is replaced once. This is not an attempt, as no agent is run.
    """
    with turn:
        try:
            return open_anew(plan, lease.get(), app, is_sought)
        except DeviceError:
            lease.give_up()
            return open_anew(plan, lease.get(), app, is_sought)


_DOOR, _ROOM = "turn.lock", "attempts.lock"  # in the folder that the processes of a run share


class Turn(contextlib.ExitStack):
    """The turn of an attempt: it is waited for, and no other is beside one that is `alone`."""

    def __init__(self, run: RunConfig, *, alone: bool) -> None:
        super().__init__()
        self._run, self._alone = run, alone

    def __enter__(self) -> Self:
        if self._run.workers > 1:
            shared = self._run.shared.folder
            with opened(shared / _DOOR) as door:
                fcntl.flock(door, fcntl.LOCK_EX)
                # One that must be alone waits here with the door locked, so no other can enter.
                room = self.enter_context(opened(shared / _ROOM))
                fcntl.flock(room, fcntl.LOCK_EX if self._alone else fcntl.LOCK_SH)
        return super().__enter__()

    def note(self, folder: Path, device: Device | None = None) -> Attempt:
        """Record that an attempt begins, and where.

        The place is the device, or the source of devices if the run starts them: all are alike.
        """
        run, source = self._run, self._run.devices.source
        serial = "" if device is None or source.count is None else device.info.serial
        place = source.shown if source.count is None else serial
        if run.node:  # other machines have devices of the same names, and own adb servers
            place = f"{place} on {run.node}"
        worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
        noted = begin(folder, place, worker, alone=self._alone, node=run.node)
        if run.relay is not None:
            run.relay.sync()  # before anything can kill this worker
        return noted


def _outcome(error: MobileAgentError) -> BaseException:
    """Return how a test ends if its attempt failed, and infrastructure was not to blame."""
    match error:
        case OtherLanguageError():
            return Skipped("language", str(error))
        case UnfitDeviceError():
            return Skipped("listener", str(error))
        case NoSolutionError():
            return Skipped("solution", str(error))
    what = "the task is broken: " if isinstance(error, TaskError) else ""
    return pytest.fail.Exception(printable(f"{what}{error}"), pytrace=False)


def plan_of(case: Case, request: pytest.FixtureRequest) -> AttemptPlan:
    """Return the plan to play a case in this run, or skip the test if the run's budget is spent."""
    run = request.config.stash[RUN]
    if why := run.models.spent():
        state_of(request.node).playing.is_over_budget = True
        pytest.skip(f"budget: {why}")
    given = request.getfixturevalue("agent")
    if given is not None and not callable(given):
        msg = "the fixture `agent` must return a class or a function that makes an agent"
        pytest.fail(msg, pytrace=False)
    single = run.value("mobile-path") == "single"
    try:
        chosen = _chosen_agent(case, run, given)
    except AgentError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None
    steps = MOST_STEPS if single else case.task.limit(run.value("mobile-step-factor"))
    return AttemptPlan(
        case=case,
        agent=chosen,
        limits=Limits(
            min(steps, run.value("mobile-max-steps") or steps),
            run.value("mobile-time-limit"),
            run.value("mobile-pace") or 0.0,
        ),
        seed=case.seed(run.value("mobile-seed")),
        environment=run.environment_of(case),
        clock=run.value("mobile-device-time"),
        models=run.models.of(case),
        ocr=run.value("mobile-ocr"),
        noise=run.noise,
        sees=run.value("mobile-sees"),
        path=run.value("mobile-path"),
        user=UserSettings(
            run.value("mobile-user"), run.models.of_user(case), run.folder.path / QUESTIONS
        ),
        about={**({"node": run.node} if run.node else {}), "versions": versions()},
        spares_screenshots=_needs_no_screenshots(run, request.node)
        and list(chosen.sees) == ["hierarchy"],
        is_done=stops(request) if case.task.stop_on_success and not single else None,
    )


def _needs_no_screenshots(run: RunConfig, item: pytest.Item) -> bool:
    """Return whether no screenshots are needed by a judge or for noise, and may be left out.

    Checks that read pictures cannot be recognised beforehand; they raise ScreenError.
    """
    return (
        run.value("mobile-screenshots") == "needed"
        and run.noise is None
        and not run.judges.judges_all
        and "judge" not in getattr(item, "fixturenames", ())
    )


def _chosen_agent(case: Case, run: RunConfig, given: Callable[[], Any] | None) -> ChosenAgent:
    """Return the agent that a fixture has `given`, or else the one that `--agent` names.

    The latter runs in its own process, unless this is switched off or the agent receives the task
    itself. An agent from a fixture runs in a thread.
    """
    if given is None and (program := run.program) is not None:
        return _of_program(run, program)
    agents, make_port = run.agents, _port_maker(run, case)
    facts = agents.facts() if given is None else facts_of(given, agents.words, ModelChoice())
    name = run.agent_name or Path(getattr(given, "__module__", "agent")).stem
    sees = run.settings["mobile-sees"]
    who = f"{sees}: the agent {name}"
    check_sight(sees.value, facts["sees"], plays=facts["knows_task"], who=who)
    _load_recorder(facts["endpoints"])
    if given is None and agents.run_apart and not facts["knows_task"]:
        process = agents.process

        def apart(_case: Case, _values: Mapping[str, Any]) -> AgentRunner:
            return ConversationRunner(process, make_port=make_port)

        return ChosenAgent(name, apart, facts["options"], sees=facts["sees"])
    if given is None:
        agents.run_in_this_process()
    maker = agents.loaded if given is None else given
    options = options_of(maker, agents.words)
    if facts["roles"] and (models := run.models.to_prepare()):
        prepare(models)

    def inside(case: Case, values: Mapping[str, Any]) -> AgentRunner:
        return in_thread(maker, options, case, values, make_port)

    return ChosenAgent(name, inside, facts["options"], sees=facts["sees"])


def _port_maker(run: RunConfig, case: Case) -> Callable[[Path], ModelPort] | None:
    """Return a function that makes the ports for an agent's own SDKs; None without the extra."""
    if not is_installed("models"):
        return None
    from pytest_mobileagent.program.endpoints import EndpointPort

    models = run.models.of(case)

    def port(folder: Path) -> ModelPort:
        model = run.models.answering(case)  # replies start from the first one in every attempt
        return EndpointPort(models, model, folder, run.folder.screens.folder)

    return port


def _load_recorder(endpoints: Sequence[str]) -> None:
    """Import the recorder of calls by an agent's own SDKs before the agent's time is measured."""
    if endpoints and is_installed("models"):
        from pytest_mobileagent.program import models
        from pytest_mobileagent.program.model_routes import provider_at

        assert models
        provider_at("example.com")  # loads the price table


def _of_program(run: RunConfig, program: Adapter) -> ChosenAgent:
    from pytest_mobileagent.mcp.endpoint import ProgramServers
    from pytest_mobileagent.program.commands.steps import RULE
    from pytest_mobileagent.program.program_runner import ProgramRunner
    from pytest_mobileagent.program.recorders import Setting

    def runner(case: Case, _values: Mapping[str, Any]) -> AgentRunner:
        setting = Setting(
            program,
            ProgramServers(),
            run.models.of(case),
            run.models.answering(case),
            run.folder.screens.folder,
            run.folder.mark,
            run.config.invocation_params.dir,
            run.shared.folder,
        )
        return ProgramRunner(setting)

    command = [redact_urls(word) for word in program.command]
    return ChosenAgent(program.name, runner, {}, {"command": command, "rule": RULE})
