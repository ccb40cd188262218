"""What one pytest process knows of the run that it is part of."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.plugin.agents import RunAgents
from pytest_mobileagent.plugin.devices import RunDevices
from pytest_mobileagent.plugin.gating import RunGate
from pytest_mobileagent.plugin.judging import RunJudges
from pytest_mobileagent.plugin.models import RunModels
from pytest_mobileagent.plugin.options import path_of, read_options, runs_no_test
from pytest_mobileagent.plugin.paths import check_folders, environment_folders

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
        given = getattr(config, "workerinput", {})
        self._given: dict[str, str] = given.get("mobileagent", {})
        self.is_owner = not given
        self.models = RunModels(config, self.settings, self.path_of, lambda: self.folder.path)
        self.judges = RunJudges(self.settings, self.models)
        self.agents = RunAgents(
            config,
            self.settings,
            self.models,
            is_owner=self.is_owner,
            folder=lambda: self.folder,
            source=lambda: self.devices.source,
        )
        self.devices = RunDevices(config, self.settings, self.path_of, lambda: self.shared)
        self.gating = RunGate(config, self.settings, self.path_of, lambda: self.folder.path)
        if self.is_owner and self.agent is not None:
            self.agents.find()
            if not runs_no_test(config):
                self.judges.check()
            self.devices.check()
            self._check_distribution()
            self._check_runs()
        if self.is_owner and self._runs_tasks() and not runs_no_test(config):
            self.gating.check()
        if self.is_owner:
            check_folders(config)
            self.environments  # noqa: B018 - an error ends the run before anything is collected

    @property
    def agent(self) -> str | None:
        """The agent that was chosen, as the user wrote it."""
        return self.settings["agent"].value  # type: ignore[no-any-return]

    def _runs_tasks(self) -> bool:
        return self.agent is not None or self.settings["mobile-rescore"].is_given

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
                self._folder = RunFolder.plan(runs, self.agents.short_name)
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

    def close(self) -> None:
        """End the agent of this process, and the devices of the run."""
        self.agents.end()
        if self.is_owner and self._shared is not None:
            self._shared.close()
        if self.is_owner and self.agent is not None and self._folder is not None:
            from pytest_mobileagent.processes import end_marked  # noqa: PLC0415

            end_marked(self.folder.id)  # of workers that were killed

    def path_of(self, setting: OptionValue) -> Path:
        """Return a path that an option names: relative to where the option stands."""
        return path_of(self.config, setting)

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


RUN = pytest.StashKey[RunConfig]()
