"""How a case becomes a recorded episode: the plan to play it, the agent in it, and the attempts."""

from __future__ import annotations

import contextlib
import fcntl
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent._task.task import MOST_STEPS
from pytest_mobileagent.agent.options import as_dict
from pytest_mobileagent.device.fleet.shared import opened
from pytest_mobileagent.episode.runs import QUESTIONS, Attempt, End, begin, end
from pytest_mobileagent.errors import (
    AgentError,
    AgentKilledError,
    DeviceError,
    HostError,
    InfrastructureError,
    NoSolutionError,
    TaskError,
    UnfitMoveError,
)
from pytest_mobileagent.extras import is_installed
from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.llm.model import ProviderError
from pytest_mobileagent.llm.providers import prepare
from pytest_mobileagent.plugin.bodies import stops
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.metadata import versions
from pytest_mobileagent.plugin.state import Skipped, broken, state_of
from pytest_mobileagent.run.attempt import (
    AttemptPlan,
    ChosenAgent,
    MissingAppError,
    UnfitDeviceError,
    attempt,
    open_anew,
)
from pytest_mobileagent.run.runner import ConversationRunner, in_thread
from pytest_mobileagent.run.session import Limits
from pytest_mobileagent.urls import redact_urls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.device.fleet.slots import LeasedDevice
    from pytest_mobileagent.plugin.config import RunConfig
    from pytest_mobileagent.plugin.state import Why
    from pytest_mobileagent.program.adapter import Adapter
    from pytest_mobileagent.run.runner import AgentRunner, ModelPort
    from pytest_mobileagent.screen.screen import Screen


def play(case: Case, request: pytest.FixtureRequest) -> Path:
    """Run the agent on a case, again if infrastructure breaks; return the episode's folder."""
    run = request.config.stash[RUN]
    plan = _plan(case, request)
    lease: LeasedDevice = request.getfixturevalue("mobile_lease")
    state = state_of(request.node)
    failures = state.failures
    attempts = Attempts(run, lease, plan)
    state.open_anew = attempts.open_anew
    while attempts.left > 0:
        try:
            return attempts.make()
        except MissingAppError as error:
            install = run.devices.source.how_to_install
            raise Skipped("app", f"{error}; {install}") from None
        except (UnfitDeviceError, NoSolutionError) as error:
            lacks: Why = "listener" if isinstance(error, UnfitDeviceError) else "solution"
            raise Skipped(lacks, str(error)) from None
        except TaskError as error:
            if isinstance(error, UnfitMoveError) and (reason := _other_language(plan)):
                raise Skipped("language", f"{reason}: {error}") from None
            msg = printable(f"the task is broken: {error}")
            raise pytest.fail.Exception(msg, pytrace=False) from None
        except AgentError as error:
            raise pytest.fail.Exception(printable(str(error)), pytrace=False) from None
        except HostError as error:
            failures.append(str(error))
            raise broken(error) from None
        except InfrastructureError as error:
            # After other errors, another device would not help.
            is_device = not isinstance(error, ProviderError | AgentKilledError)
            failures.append(f"{error}{lease.give_up() if is_device else ''}")
    raise broken(*failures)


def _plan(case: Case, request: pytest.FixtureRequest) -> AttemptPlan:
    run = request.config.stash[RUN]
    given = request.getfixturevalue("agent")
    if given is not None and not callable(given):
        pytest.fail(
            "the fixture `agent` must return a class or a function that makes an agent",
            pytrace=False,
        )
    try:
        chosen = _chosen_agent(run, given)
    except AgentError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None
    single = run.value("mobile-path") == "single"
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
        models=run.models.settings(case),
        ocr=run.value("mobile-ocr"),
        noise=run.noise,
        path=run.value("mobile-path"),
        spares_screenshots=_spares_screenshots(run, chosen.sees, request.node),
        user=run.value("mobile-user"),
        user_models=run.models.settings_for_user(case),
        unanswered=run.folder.path / QUESTIONS,
        node=run.node,
        versions=versions(),
        is_done=stops(request) if case.task.stop_on_success and not single else None,
    )


def _spares_screenshots(run: RunConfig, sees: Sequence[str], item: pytest.Item) -> bool:
    """Return whether no screenshots are needed: by the agent, by a judge, or for noise.

    Checks that read pictures cannot be recognised beforehand; they raise ScreenError.
    """
    return (
        run.value("mobile-screenshots") == "needed"
        and list(sees) == ["hierarchy"]
        and run.noise is None
        and not run.judges.judges_all
        and "judge" not in getattr(item, "fixturenames", ())
    )


def _chosen_agent(run: RunConfig, given: Callable[[], Any] | None) -> ChosenAgent:
    """Return the agent that a fixture has `given`, or else the one that `--agent` names.

    The latter runs in its own process, unless this is switched off or the agent receives the task
    itself. An agent from a fixture runs in a thread.

    Raises:
        AgentError: if the agent cannot be loaded, or does not accept its options.
    """
    if given is None and (program := run.program) is not None:
        return _of_program(run, program)
    if given is None and run.agents.run_apart:
        process = run.agents.process
        about = process.load()
        if not about["knows_task"]:

            def runner(case: Case, _values: Mapping[str, Any]) -> AgentRunner:
                return ConversationRunner(process, make_port=_port_maker(run, case))

            _load_recorder(about["endpoints"])
            return ChosenAgent(str(run.agent), runner, about["options"], sees=about["sees"])
        run.agents.run_in_this_process()
    maker = run.agents.load() if given is None else given
    name = run.agent or Path(getattr(maker, "__module__", "agent")).stem
    options = run.agents.options(maker)
    if getattr(maker, "roles", ()) and (models := run.models.to_prepare()):
        prepare(models)
    _load_recorder(getattr(maker, "endpoints", ()))

    def in_ours(case: Case, values: Mapping[str, Any]) -> AgentRunner:
        return in_thread(maker, options, case, values, _port_maker(run, case))

    return ChosenAgent(name, in_ours, as_dict(options), sees=getattr(maker, "sees", ()))


def _port_maker(run: RunConfig, case: Case) -> Callable[[Path], ModelPort] | None:
    """Return a function that makes the ports for an agent's own SDKs; None without the extra."""
    if not is_installed("models"):
        return None
    from pytest_mobileagent.program.endpoints import EndpointPort

    settings = run.models.settings(case)

    def port(folder: Path) -> ModelPort:
        model = run.models.answering(case)  # replies start from the first one in every attempt
        return EndpointPort(settings, model, folder, run.folder.screens.folder)

    return port


def _load_recorder(endpoints: Sequence[str]) -> None:
    """Import the recorder of calls by an agent's own SDKs before the agent's time is measured."""
    if endpoints and is_installed("models"):
        from pytest_mobileagent.program.models import recorded_models
        from pytest_mobileagent.program.models.environment import provider_at

        assert recorded_models
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
            run.models.settings(case),
            run.models.answering(case),
            run.folder.screens.folder,
            run.folder.mark,
            run.config.invocation_params.dir,
            run.shared.folder,
        )
        return ProgramRunner(setting)

    command = [redact_urls(word) for word in program.command]
    return ChosenAgent(program.name, runner, {}, {"command": command, "rule": RULE})


def _other_language(plan: AttemptPlan) -> str:
    """Return why the solution may not fit: it is in another language than the device; else ""."""
    language = plan.case.task.language
    if plan.environment is None or plan.environment.locale.partition("-")[0] == language:
        return ""
    return (
        f"the solution is written for a device that speaks {language}, and environment"
        f" {plan.environment.id} speaks {plan.environment.locale}"
    )


_DOOR, _ROOM = "turn.lock", "attempts.lock"  # in the folder that the processes of a run share


class Attempts:
    """The attempts to play a plan; `left` more of them may break before the case is an error.

    When an adb server dies, every episode that uses it is lost, and it is unknown which one killed
    it. So the attempt does not count against any of these cases: each is repeated alone, while no
    other process of the run makes an attempt. A case that breaks the server again is the culprit.

    If somebody kills the agent's process, the attempt is repeated as well. A kill in the last
    attempt, after one in an earlier attempt, is the agent's error.
    """

    def __init__(self, run: RunConfig, lease: LeasedDevice, plan: AttemptPlan) -> None:
        self.left: int = 1 + run.value("mobile-retries")
        self._run, self._lease, self._plan = run, lease, plan
        self._is_alone = run.workers == 1
        self._kills = 0  # attempts in which somebody killed the agent's process

    def make(self) -> Path:
        """Make an attempt, and return the folder in which it is recorded.

        Raises:
            MobileAgentError: if there is no device, or `run.attempt.attempt` raises it.
        """
        folder, number = self._run.folder.attempt(self._plan.case)
        with self._turn():
            noted = self._begin(folder)
            how, together = End.OTHER, False
            try:
                device = self._lease.get()
                noted = self._begin(folder, device)
                plan = replace(self._plan, repeats_kills=self.left > 1 or not self._kills)
                attempt(plan, device, self._run.folder.screens, folder, number)
                how = End.PLAYED
            except AgentKilledError:
                how = End.AGENT
                self._kills += 1
                self.left -= 1
                raise
            except (HostError, ProviderError):
                self.left -= 1
                raise
            except InfrastructureError:
                how = End.DEVICE
                together = not self._is_alone and self._lease.has_lost_server()
                self.left -= not together
                self._is_alone = self._is_alone or together
                raise
            except pytest.fail.Exception:  # by pytest-timeout, maybe while the device answered
                self._lease.give_up()
                raise
            finally:
                end(folder, noted, how, together=together)
        return folder

    def open_anew(self, app: str, is_sought: Callable[[Screen], bool]) -> Screen:
        """Open an app at the starting point of the case (see `run.attempt.open_anew`).

        A device that breaks is replaced once. This is not an attempt, as no agent is run.

        Raises:
            MobileAgentError: if there is no device, or the app cannot be opened on it.
        """
        with self._turn():
            try:
                return open_anew(self._plan, self._lease.get(), app, is_sought)
            except DeviceError:
                self._lease.give_up()
                return open_anew(self._plan, self._lease.get(), app, is_sought)

    def _begin(self, folder: Path, device: Device | None = None) -> Attempt:
        """Record that an attempt begins, and where.

        The place is the source of devices if the run starts them, as they are all alike; otherwise
        it is the device.
        """
        source = self._run.devices.source
        serial = "" if device is None or source.count is None else device.info.serial
        place = source.shown if source.count is None else serial
        if self._run.node:  # other machines have devices of the same names, and own adb servers
            place = f"{place} on {self._run.node}"
        worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
        noted = begin(folder, place, worker, alone=self._is_alone, node=self._run.node)
        if self._run.relay is not None:
            self._run.relay.sync()  # before anything can kill this worker
        return noted

    @contextlib.contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait until this attempt may be made, and lock out attempts that must be made alone."""
        if self._run.workers == 1:
            yield
            return
        shared = self._run.shared.folder
        with _locked(shared / _DOOR) as door, opened(shared / _ROOM) as room:
            # An attempt that must be alone waits here with the door locked, so no other can enter.
            fcntl.flock(room, fcntl.LOCK_EX if self._is_alone else fcntl.LOCK_SH)
            fcntl.flock(door, fcntl.LOCK_UN)
            yield


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[int]:
    with opened(path) as descriptor:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
