"""What one pytest process knows of the run that it is part of."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.plain import printable
from pytest_mobileagent.plugin.agents import RunAgents
from pytest_mobileagent.plugin.devices import RunDevices
from pytest_mobileagent.plugin.gate.gating import RunGate
from pytest_mobileagent.plugin.judging import RunJudges
from pytest_mobileagent.plugin.models import RunModels
from pytest_mobileagent.plugin.options import path_of, read_options, runs_no_test, usage_error
from pytest_mobileagent.plugin.paths import check_folders, environment_folders
from pytest_mobileagent.plugin.reuse.choosing import check_exclusive, rescoring, resuming, reusing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from filelock import FileLock

    from pytest_mobileagent.device.fleet.shared import SharedRun
    from pytest_mobileagent.environment.environment import Environment
    from pytest_mobileagent.plugin.options import OptionValue
    from pytest_mobileagent.plugin.reuse.earlier import Earlier
    from pytest_mobileagent.plugin.reuse.rescoring import Rescoring
    from pytest_mobileagent.plugin.reuse.resuming import Resuming
    from pytest_mobileagent.plugin.reuse.reusing import Reusing
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
        check_exclusive(self.settings)
        self.resuming = resuming(config, self.settings, self._given)
        self.rescoring = rescoring(config, self.settings, self._given)
        self.reusing = reusing(config, self.settings, self._given)
        if self.earlier is not None:
            self.earlier.take_options(self.settings)
        self._lock: FileLock | None = None
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
        if self.earlier is not None and not runs_no_test(config):
            self._take_over(self.earlier)
        if self.is_owner and self.agent is not None:
            if not runs_no_test(config):
                self.judges.check()
            if self.rescoring is None:
                self.agents.find()
                self.devices.check()
            self._check_distribution()
            self._check_runs()
        if self.is_owner and self._runs_tasks() and not runs_no_test(config):
            self.gating.check()
        if self.is_owner:
            check_folders(config)
            self.environments  # noqa: B018 - an error ends the run before anything is collected

    @property
    def earlier(self) -> Resuming | Rescoring | Reusing | None:
        """The run that goes on, or that is scored again, or taken over from, if one is."""
        return self.resuming or self.rescoring or self.reusing

    @property
    def runs_agents(self) -> bool:
        """Whether the agent may have to work, so that it and its devices are worth starting."""
        return self.agent is not None and (self.earlier is None or self.earlier.runs_agents)

    def _take_over(self, earlier: Earlier) -> None:
        """Take over from an earlier run which tests are not run."""
        if not self.is_owner:
            earlier.listen(self._given)
            return
        if self.resuming is not None:
            self.hold()  # before it is read
        earlier.decide()

    def hold(self) -> None:
        """Let nobody else go on with this run for as long as this process lives.

        Raises:
            pytest.UsageError: somebody does, or its folder cannot be written to.
        """
        if not self.is_owner or self._lock is not None or not self.folder.has_begun:
            return
        from pytest_mobileagent.run.lock import hold

        try:
            self._lock = hold(self.folder.path)
        except HostError as error:
            name = "mobile-runs" if self.resuming is None else "mobile-resume"
            raise usage_error(self.settings[name], f": {error}") from None

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
        from pytest_mobileagent.environment.environment import BadEnvironmentError
        from pytest_mobileagent.environment.files import load, select

        try:
            chosen = select(words, load(environment_folders(self.config)))
        except BadEnvironmentError as error:
            raise pytest.UsageError(printable(str(error))) from None
        except ValueError as error:
            msg = f"{self.settings['mobile-env']} {error}"
            raise pytest.UsageError(printable(msg)) from None
        return {environment.id: environment for environment in chosen}

    @property
    def folder(self) -> RunFolder:
        """The run's folder, which whoever writes to it first makes."""
        if self._folder is None:
            from pytest_mobileagent.run.folder import RunFolder

            if self._given:
                path = Path(self._given["folder"])
                told = (self._given[name] for name in ("id", "started", "session"))
                self._folder = RunFolder(path, *told)
            elif self.resuming is not None:
                self._folder = self.resuming.folder
            else:
                runs = self.path_of(self.settings["mobile-runs"])
                # Whoever scores again need not have the agent.
                is_here = self.rescoring is None
                name = self.agents.short_name if is_here else str(self.agent)
                self._folder = RunFolder.plan(runs, name)
        return self._folder

    @property
    def shared(self) -> SharedRun:
        """The way to the run's own adb server and virtual devices."""
        if self._shared is None:
            from pytest_mobileagent.device.fleet.shared import SharedRun

            given = Path(self._given["shared"]) if self._given else None
            self._shared = SharedRun(given, self.folder.mark)
        return self._shared

    def for_worker(self) -> dict[str, str]:
        """Return what a worker has to know, as plain data."""
        folder = self.folder
        given = {name: str(getattr(folder, name)) for name in ("id", "started", "session")}
        given["folder"] = str(folder.path)
        try:
            given["shared"] = str(self.shared.folder)
            if self.earlier is not None and not runs_no_test(self.config):
                given |= self.earlier.tell(self.shared.folder)
        except (HostError, OSError) as error:
            raise pytest.UsageError(printable(str(error))) from None
        return given

    def close(self) -> None:
        """End the agent of this process, and the devices of the run."""
        self.agents.end()
        if self.is_owner and self._shared is not None:
            self._shared.close()
        if self.is_owner and self.agent is not None and self._folder is not None:
            from pytest_mobileagent.processes import end_marked

            end_marked(self.folder.mark)  # of workers that were killed
        if self._lock is not None:
            from pytest_mobileagent.run.lock import let_go

            let_go(self._lock)

    def path_of(self, setting: OptionValue) -> Path:
        """Return a path that an option names: relative to where the option stands."""
        return path_of(self.config, setting)

    def _check_runs(self) -> None:
        """Check that the run's folder can be made, before anything is started for it."""
        if self.resuming is not None:
            return
        setting = self.settings["mobile-runs"]
        folder = self.path_of(setting)
        try:
            near = next(path for path in (folder, *folder.parents) if path.exists())
        except ValueError:
            msg = f"{setting} is no path: it holds a NUL character"
            raise pytest.UsageError(printable(msg)) from None
        if not near.is_dir():
            msg = f"{setting}: {near} is a file; name a folder"
            raise pytest.UsageError(printable(msg))
        if not os.access(near, os.W_OK | os.X_OK):
            msg = f"{setting}: no folder can be made in {near}, which cannot be written to"
            raise pytest.UsageError(printable(msg))

    def _check_distribution(self) -> None:
        if getattr(self.config.option, "dist", "no") == "each":
            msg = (
                "--dist=each runs every task once for each worker, and a report holds one result "
                "of each: leave it out, or repeat tasks by --mobile-epochs"
            )
            raise pytest.UsageError(printable(msg))


RUN = pytest.StashKey[RunConfig]()
