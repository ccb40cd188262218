"""What one pytest process knows of the run that it is part of."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.errors import AgentError, HostError
from pytest_mobileagent.plugin.devices import RunDevices
from pytest_mobileagent.plugin.models import RunModels
from pytest_mobileagent.plugin.options import read_options, runs_no_test
from pytest_mobileagent.plugin.paths import (
    agent_folders,
    check_folders,
    environment_folders,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.agent.process.host import AgentProcess
    from pytest_mobileagent.device.fleet.shared import SharedRun
    from pytest_mobileagent.environment.environment import Environment
    from pytest_mobileagent.plugin.options import OptionValue
    from pytest_mobileagent.run.folder import RunFolder


class RunConfig:
    """The options of a run, and what its processes share: its folder, its devices, its agent.

    Made in pytest itself, which owns the run, and in each worker of pytest-xdist, to which the
    owner gives what they share.

    Raises:
        pytest.UsageError: an option's value cannot be, or there is no such agent.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.settings = read_options(config)
        self._shared: SharedRun | None = None
        self._folder: RunFolder | None = None
        self._environments: Mapping[str, Environment] | None = None
        self._agent_process: AgentProcess | None = None
        self._agent_is_inside = False
        given = getattr(config, "workerinput", {})
        self._given: dict[str, str] = given.get("mobileagent", {})
        self.is_owner = not given
        self.models = RunModels(config, self.settings, self.path_of, lambda: self.folder.path)
        self.devices = RunDevices(config, self.settings, self.path_of, lambda: self.shared)
        if self.is_owner and self.agent is not None:
            # A name from elsewhere may be meant for other folders: only their tasks insist on it.
            if self.names_agent:
                self._find_agent(self.agent)
            self.devices.check()
            self._check_distribution()
            self._check_runs()
        if self.is_owner:
            check_folders(config)
            self.environments  # noqa: B018 - an error ends the run before anything is collected

    @property
    def agent(self) -> str | None:
        """The agent that was chosen, as the user wrote it."""
        return self.settings["agent"].value  # type: ignore[no-any-return]

    def value(self, option: str) -> Any:
        """Return the value of an option, named by its flag without the dashes."""
        return self.settings[option].value

    @property
    def environments(self) -> Mapping[str, Environment]:
        """The environments that `--mobile-env` names, by id, in its order; none without it.

        Raises:
            pytest.UsageError: there is no such environment, or a file of them is broken.
        """
        if self._environments is None:
            words = self.value("mobile-env")
            self._environments = self._select(words) if words else {}
        return self._environments

    def _select(self, words: Sequence[str]) -> Mapping[str, Environment]:
        from pytest_mobileagent.environment.environment import BadEnvironmentError  # noqa: PLC0415
        from pytest_mobileagent.environment.files import load, select  # noqa: PLC0415

        try:
            chosen = select(words, load(environment_folders(self.config)))
        except BadEnvironmentError as error:
            raise pytest.UsageError(str(error)) from None
        except ValueError as error:
            msg = f"{self.settings['mobile-env']} {error}"
            raise pytest.UsageError(msg) from None
        return {environment.id: environment for environment in chosen}

    @property
    def folder(self) -> RunFolder:
        """The run's folder, which whoever writes to it first makes."""
        if self._folder is None:
            from pytest_mobileagent.run.folder import RunFolder  # noqa: PLC0415

            if self._given:
                path = Path(self._given["folder"])
                self._folder = RunFolder(path, path.name, self._given["started"])
            else:
                runs = self.path_of(self.settings["mobile-runs"])
                self._folder = RunFolder.plan(runs, self.agent or "agent")
        return self._folder

    @property
    def shared(self) -> SharedRun:
        """The way to the run's own adb server and virtual devices."""
        if self._shared is None:
            from pytest_mobileagent.device.fleet.shared import SharedRun  # noqa: PLC0415

            given = Path(self._given["shared"]) if self._given else None
            self._shared = SharedRun(given, self.folder.id)
        return self._shared

    def for_worker(self) -> dict[str, str]:
        """Return what a worker has to know, as plain data."""
        folder = self.folder
        given = {"folder": str(folder.path), "started": folder.started}
        try:
            given["shared"] = str(self.shared.folder)
        except HostError as error:
            raise pytest.UsageError(str(error)) from None
        return given

    @property
    def names_agent(self) -> bool:
        """Whether the command line names the agent, so that there will be episodes."""
        return self.settings["agent"].source == "--agent"

    @property
    def agent_process(self) -> AgentProcess:
        """The process in which this process's agents run; started when it is first asked for."""
        if self._agent_process is None:
            from pytest_mobileagent.agent.process.host import AgentProcess  # noqa: PLC0415

            assert self.agent is not None
            options = self.value("mobile-agent-option") or ()
            folders = agent_folders(self.config)
            only_looks = self.is_owner and bool(getattr(self.config.option, "tx", None))
            models = () if only_looks else self.models.to_prepare()
            self._agent_process = AgentProcess(self.agent, folders, options, self.folder.id, models)
        return self._agent_process

    @property
    def agent_runs_apart(self) -> bool:
        """Whether agents run in a process of their own."""
        return self.value("mobile-agent-process") == "on" and not self._agent_is_inside

    def take_agent_in(self) -> None:
        """Let agents run in this process from now on: they are shown the task, which stays here."""
        self._agent_is_inside = True
        self._end_agent_process()

    def _end_agent_process(self) -> None:
        if self._agent_process is not None:
            self._agent_process.kill()
            self._agent_process = None

    def start_agent(self) -> None:
        """Let the agent's process start, so that it is ready by the time of the first episode."""
        named = self.names_agent or not self.is_owner
        if self.agent is not None and named and self.agent_runs_apart:
            self.agent_process  # noqa: B018 - asking for it starts it

    def check_agent(self) -> None:
        """Load the agent that the command line names, so that what is wrong is reported only once.

        Raises:
            pytest.UsageError: it cannot be loaded, or does not take its options.
        """
        named = self.names_agent
        if not (self.is_owner and named) or runs_no_test(self.config):
            return
        try:
            if self.agent_runs_apart:
                about = self.agent_process.load()
                roles, extras = about["roles"], about["extras"]
                if getattr(self.config.option, "tx", None):  # workers have their own
                    self._end_agent_process()
            else:
                agent = self.load_agent()
                self.agent_options(agent)
                roles, extras = getattr(agent, "roles", ()), getattr(agent, "extras", ())
        except AgentError as error:
            raise pytest.UsageError(str(error)) from None
        self._check_extras(extras)
        self.models.check(str(self.agent), roles)

    def _check_extras(self, extras: Sequence[str]) -> None:
        """Check that what the agent needs is installed, and the OCR engine that was asked for."""
        from pytest_mobileagent.extras import check_extra  # noqa: PLC0415

        ocr = self.settings["mobile-ocr"]
        needed = dict.fromkeys(extras, f"--agent={self.agent}")
        if ocr.is_given:
            engine = "easyocr" if ocr.value == "easyocr" else "vision"
            needed[engine] = f"{ocr.option.flag}={ocr.text}: reading pictures"
        try:
            for extra, what in needed.items():
                check_extra(extra, what)
        except HostError as error:
            raise pytest.UsageError(str(error)) from None

    def load_agent(self) -> type[Any]:
        """Import the agent's class into this process.

        Raises:
            AgentError: it cannot be imported.
        """
        from pytest_mobileagent.agent.registry import UnknownAgentError, find_agent  # noqa: PLC0415

        assert self.agent is not None
        try:
            return find_agent(self.agent, agent_folders(self.config)).load()
        except UnknownAgentError as error:
            raise AgentError(str(error)) from error
        except (Exception, SystemExit) as error:
            msg = f"--agent={self.agent} cannot be loaded: {type(error).__name__}: {error}"
            raise AgentError(msg) from error

    def agent_options(self, agent: Any) -> Any:
        """Return the agent's options, with what `--mobile-agent-option` gives.

        Raises:
            AgentError: it declares no such option.
        """
        from pytest_mobileagent.agent.options import BadOptionError, make_options  # noqa: PLC0415

        declared = getattr(agent, "Options", object)
        name = getattr(agent, "__name__", str(self.agent))
        try:
            return make_options(name, declared, self.value("mobile-agent-option") or ())
        except BadOptionError as error:
            msg = f"--mobile-agent-option {error}"
            raise AgentError(msg) from error

    def close(self) -> None:
        """End the agent of this process, and the devices of the run."""
        self._end_agent_process()
        if self.is_owner and self._shared is not None:
            self._shared.close()
        if self.is_owner and self.agent is not None and self._folder is not None:
            from pytest_mobileagent.processes import end_marked  # noqa: PLC0415

            end_marked(self.folder.id)  # of workers that were killed

    def path_of(self, setting: OptionValue) -> Path:
        """Return a path that an option names: relative to where the option stands."""
        given = setting.source.startswith(("--", "environment"))
        base = self.config.invocation_params.dir if given else self.config.rootpath
        try:
            return base / Path(setting.value).expanduser()
        except RuntimeError:
            msg = f"{setting} names the home folder of a user who has none"
            raise pytest.UsageError(msg) from None

    def _check_runs(self) -> None:
        """Check that the run's folder can be made, before anything is started for it."""
        setting = self.settings["mobile-runs"]
        folder = self.path_of(setting)
        try:
            near = next(path for path in (folder, *folder.parents) if path.exists())
        except ValueError:
            msg = f"{setting} is no path: it holds a NUL character"
            raise pytest.UsageError(msg) from None
        if not near.is_dir():
            msg = f"{setting}: {near} is a file; name a folder"
            raise pytest.UsageError(msg)
        if not os.access(near, os.W_OK | os.X_OK):
            msg = f"{setting}: no folder can be made in {near}, which cannot be written to"
            raise pytest.UsageError(msg)

    def _check_distribution(self) -> None:
        if getattr(self.config.option, "dist", "no") == "each":
            msg = (
                "--dist=each runs every task once for each worker, and a report holds one result "
                "of each: leave it out, or repeat tasks by --mobile-epochs"
            )
            raise pytest.UsageError(msg)

    def _find_agent(self, agent: str) -> None:
        from pytest_mobileagent.agent.registry import UnknownAgentError, find_agent  # noqa: PLC0415

        try:
            find_agent(agent, agent_folders(self.config))
        except UnknownAgentError as error:
            raise pytest.UsageError(str(error)) from None


RUN = pytest.StashKey[RunConfig]()
