"""The attempts that a test makes at its case, and the runner of the agent in them."""

from __future__ import annotations

import contextlib
import fcntl
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.agent.options import as_dict
from pytest_mobileagent.device.fleet.shared import opened
from pytest_mobileagent.episode.runs import Attempt, End, begin, end
from pytest_mobileagent.errors import DeviceError, HostError, InfrastructureError
from pytest_mobileagent.extras import is_installed
from pytest_mobileagent.llm.model import ProviderError
from pytest_mobileagent.llm.providers import prepare
from pytest_mobileagent.run.attempt import attempt, open_anew
from pytest_mobileagent.run.runner import ConversationRunner, in_thread
from pytest_mobileagent.urls import redact_urls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.device.fleet.slots import LeasedDevice
    from pytest_mobileagent.plugin.config import RunConfig
    from pytest_mobileagent.program.adapter import Adapter
    from pytest_mobileagent.run.attempt import Plan
    from pytest_mobileagent.run.runner import AgentRunner, ModelPort
    from pytest_mobileagent.screen.screen import Screen
    from pytest_mobileagent.task.case import Case


_DOOR, _ROOM = "turn.lock", "attempts.lock"  # in the folder that the processes of a run share


class Attempts:
    """The attempts at one case; `left` more of them may break before the case is an error.

    When an adb server dies, every episode that uses it is lost, and it is unknown which one killed
    it. So the attempt does not count against any of these cases: each is repeated alone, while no
    other process of the run makes an attempt. A case that breaks the server again is the culprit.
    """

    def __init__(self, run: RunConfig, lease: LeasedDevice) -> None:
        self.left: int = 1 + run.value("mobile-retries")
        self._run = run
        self._lease = lease
        self._is_alone = run.workers == 1

    def make(self, plan: Plan) -> Path:
        """Make an attempt, and return the folder in which it is recorded.

        Raises:
            MobileAgentError: if there is no device, or `run.attempt.attempt` raises it.
        """
        folder, number = self._run.folder.attempt(plan.case)
        with self._turn():
            noted = self._begin(folder)
            how, together = End.OTHER, False
            try:
                device = self._lease.get()
                noted = self._begin(folder, device)
                attempt(plan, device, self._run.folder.screens, folder, number)
                how = End.PLAYED
            except (HostError, ProviderError):
                self.left -= 1
                raise
            except InfrastructureError:
                how = End.DEVICE
                together = not self._is_alone and self._lease.has_lost_server()
                self.left -= not together
                self._is_alone = self._is_alone or together
                raise
            finally:
                end(folder, noted, how, together=together)
        return folder

    def open_anew(self, plan: Plan, app: str, is_sought: Callable[[Screen], bool]) -> Screen:
        """Open an app at the starting point of a plan's case (see `run.attempt.open_anew`).

        A device that breaks is replaced once. This is not an attempt, as no agent is run.

        Raises:
            MobileAgentError: if there is no device, or the app cannot be opened on it.
        """
        with self._turn():
            try:
                return open_anew(plan, self._lease.get(), app, is_sought)
            except DeviceError:
                self._lease.give_up()
                return open_anew(plan, self._lease.get(), app, is_sought)

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


@dataclass(frozen=True, slots=True)
class ChosenAgent:
    """An agent's `name`, its `options` as they are recorded, and a function that makes its runners.

    `program` is the record of an external program; None for other agents. `sees` are the parts
    of a screen that the agent declares to see (see `Agent`); empty if it does not declare any.
    """

    name: str
    options: dict[str, Any]
    make_runner: Callable[[Case, Mapping[str, Any]], AgentRunner]
    program: dict[str, Any] | None = None
    sees: Sequence[str] = ()


def chosen_agent(run: RunConfig, given: Callable[[], Any] | None) -> ChosenAgent:
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
            return ChosenAgent(str(run.agent), about["options"], runner, sees=about["sees"])
        run.agents.take_in()
    maker = run.agents.load() if given is None else given
    name = run.agent or Path(getattr(maker, "__module__", "agent")).stem
    options = run.agents.options(maker)
    if getattr(maker, "roles", ()) and (models := run.models.to_prepare()):
        prepare(models)
    _load_recorder(getattr(maker, "endpoints", ()))

    def in_ours(case: Case, values: Mapping[str, Any]) -> AgentRunner:
        return in_thread(maker, options, case, values, _port_maker(run, case))

    return ChosenAgent(name, as_dict(options), in_ours, sees=getattr(maker, "sees", ()))


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
    return ChosenAgent(program.name, {}, runner, {"command": command, "rule": RULE})
