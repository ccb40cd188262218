"""What the parts of a run share in one pytest process: options, the earlier run, and folders."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.errors import AgentError
from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.plugin.reuse import earlier_run
from pytest_mobileagent.plugin.settings import folders, path_of, read_options

if TYPE_CHECKING:
    from pytest_mobileagent.device.fleet.shared import SharedRun
    from pytest_mobileagent.plugin.settings import OptionValue
    from pytest_mobileagent.program import Adapter
    from pytest_mobileagent.run.folder import RunFolder


class RunContext:
    """The facts of a run that its models, judges, agents, devices and gate are based on.

    - `settings`: the values of all options, by their flags without the dashes.
    - `earlier`: the earlier run that this run reuses, if any.
    - `given`: the data that a pytest-xdist worker has received from the process that owns the run;
      empty in the owner itself.
    - `relay`: on a worker of a cluster, the connection to the machine with the run's folder.
    - `node`: on a worker of a cluster, the name of its machine.

    Raises:
        pytest.UsageError: if an option's value is invalid, or the earlier run cannot be used.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.settings = read_options(config)
        worker: dict[str, Any] = getattr(config, "workerinput", {})
        self.given: dict[str, str] = worker.get("mobileagent", {})
        self.is_owner = not worker
        self.earlier = earlier_run(config, self.settings, self.given)
        self.settings = self.earlier.agreed(self.settings)
        processes = _processes(config)
        self.is_distributed = processes > 0
        self.workers: int = worker.get("workercount") or max(1, processes)
        if "phones" in self.given:  # on a cluster, a worker does not share phones with others
            self.workers = int(self.given["phones"])
        self.relay = config.pluginmanager.get_plugin("mobileagent-relay")
        self.node = self.given.get("node", "")

    @property
    def is_elsewhere(self) -> bool:
        """Whether this process's workers are on other machines, and so are their devices."""
        engine = self.settings["mobile-engine"].value
        return self.is_owner and engine.name != "xdist" and self.earlier.makes_episodes

    def value(self, option: str) -> Any:
        """Return the value of an option, named by its flag without the dashes."""
        return self.settings[option].value

    def path_of(self, setting: OptionValue) -> Path:
        """Return the path that an option names, resolved against the folder of its source."""
        return path_of(self.config, setting)

    @property
    def agent(self) -> str | None:
        """The chosen agent, as the user wrote it."""
        return self.value("agent")  # type: ignore[no-any-return]

    @cached_property
    def agent_name(self) -> str | None:
        """The name of the chosen agent, without its path or command."""
        # A run that makes no episodes does not need the agent, which may no longer exist.
        program = self.program_if_named() if self.earlier.makes_episodes else None
        if program is not None:
            return program.name
        if self.agent is None:
            return None
        from pytest_mobileagent.report.names import agent_name  # not for --help

        return agent_name(self.agent)

    @property
    def names_agent(self) -> bool:
        """Whether the command line names the agent, so there will be episodes."""
        return self.settings["agent"].is_typed  # including --mobile-resume

    @cached_property
    def program(self) -> Adapter | None:
        """The external program that `--agent` names; None for any other agent.

        Raises:
            AgentError: if the program cannot be used.
        """
        if self.agent is None:
            return None
        from pytest_mobileagent.program import BadAdapterError
        from pytest_mobileagent.program.adapter_file import find_program

        try:
            return find_program(self.agent, folders(self.config, "agents"))
        except BadAdapterError as error:
            raise AgentError(str(error)) from None

    def program_if_named(self) -> Adapter | None:
        """Return the program; None if it is broken but not named on the command line.

        Raises:
            pytest.UsageError: if the command line names it, and it cannot be used.
        """
        try:
            return self.program
        except AgentError as error:
            if self.names_agent:
                raise pytest.UsageError(printable(str(error))) from None
            return None

    @cached_property
    def folder(self) -> RunFolder:
        """The run's folder, which is created by the first process that writes to it."""
        from pytest_mobileagent.run.folder import RunFolder

        if self.given:
            allot, given = None if self.relay is None else self.relay.allot, self.given
            path = Path(given["folder"])
            return RunFolder(path, given["id"], given["started"], given["session"], allot)
        if self.earlier.folder is not None:
            return self.earlier.folder
        runs = self.path_of(self.settings["mobile-runs"])
        return RunFolder.plan(runs, self.agent_name or "agent")

    @cached_property
    def shared(self) -> SharedRun:
        """The resources that the run's processes share: its adb server and virtual devices."""
        from pytest_mobileagent.device.fleet.shared import SharedRun

        given = Path(self.given["shared"]) if self.given else None
        shared = SharedRun(given, self.folder.mark)
        if self.is_elsewhere:
            shared.watch()  # without devices, nothing else would remove the folder after the run
        return shared


def _processes(config: pytest.Config) -> int:
    """Return the number of workers that pytest-xdist starts: `--tx=3*popen` is three."""
    if not getattr(config.option, "tx", None) or config.option.dist == "no":
        return 0
    from xdist.workermanage import parse_tx_spec_config

    return len(parse_tx_spec_config(config))
