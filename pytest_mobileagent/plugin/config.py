"""A run's configuration in one pytest process, checked before anything is collected or started."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.jsonable import mapping, printable
from pytest_mobileagent.plugin.agents import RunAgents
from pytest_mobileagent.plugin.context import RunContext
from pytest_mobileagent.plugin.devices import RunDevices
from pytest_mobileagent.plugin.gate import RunGate
from pytest_mobileagent.plugin.judges import RunJudges
from pytest_mobileagent.plugin.models import RunModels
from pytest_mobileagent.plugin.options import FOLDERS
from pytest_mobileagent.plugin.settings import as_usage_error, folders, runs_no_test, usage_error

if TYPE_CHECKING:
    from collections.abc import Mapping

    from filelock import FileLock

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.device.noisy import NoiseSettings
    from pytest_mobileagent.environment import Environment
    from pytest_mobileagent.run.side_effects import EffectsFinder


class RunConfig(RunContext):
    """A run: its models, judges, devices, agents and gate.

    The pytest process that owns the run has one, and so does each pytest-xdist worker, which
    receives shared data from the owner.

    Raises:
        pytest.UsageError: if an option's value is invalid, or there is no such agent.
    """

    def __init__(self, config: pytest.Config) -> None:
        super().__init__(config)
        self._lock: FileLock | None = None
        self.models = RunModels(self)
        self.judges = RunJudges(self, self.models)
        self.devices = RunDevices(self)
        self.agents = RunAgents(self, self.models, self.devices)
        self.gate = RunGate(self)
        if not runs_no_test(config):
            if self.earlier.goes_on:
                self.hold()  # before its records are read
            self.earlier.read(self.given)
            self.earlier.decide()  # as far as this is known before collection
        if self.is_owner:
            self._check()
        elif "phones" in self.given:
            self.devices.check()  # the devices of this machine, which is not the owner's

    def _check(self) -> None:
        """Check everything that can be known before anything is collected or started."""
        has_tests = not runs_no_test(self.config)
        if self.agent is not None:
            if has_tests:
                self.judges.check()
            self._check_distribution()
            if self.earlier.makes_episodes:
                self.agents.find()
                self.devices.check()
            self._check_runs()
        if has_tests and (self.agent is not None or not self.earlier.makes_episodes):
            self.gate.check()
        for what in FOLDERS:
            folders(self.config, what)
        self.noise
        self.environments  # an error ends the run before anything is collected

    @property
    def runs_agents(self) -> bool:
        """Whether to start the agent and its devices, because they may be needed."""
        return self.agent is not None and self.earlier.runs_agents

    def decide(self) -> None:
        """Decide which tests need not be run, now that run.json lists them all.

        Raises:
            pytest.UsageError: if the agent turns out to be needed, and cannot be used.
        """
        was_needed = self.runs_agents
        self.earlier.decide(self.folder.path)
        if self.runs_agents and not was_needed:
            self.agents.check()

    def hold(self) -> None:
        """Lock the run's folder, so no other process resumes the run while this one is alive.

        Raises:
            pytest.UsageError: if another process has locked it, or it is not writable.
        """
        if not self.is_owner or self._lock is not None or not self.folder.has_begun:
            return
        from pytest_mobileagent.run.folder import hold

        try:
            self._lock = hold(self.folder.path)
        except HostError as error:
            name = "mobile-resume" if self.earlier.goes_on else "mobile-runs"
            raise usage_error(self.settings[name], f": {error}") from None

    def redact(self) -> None:
        """Apply the rules of `--mobile-redact`, if it is given, until pytest ends.

        Raises:
            pytest.UsageError: if there is no such file, it has no rules, or a run that is resumed
                was recorded with other rules.
        """
        setting = self.settings["mobile-redact"]
        if not setting.value:
            return
        from pytest_mobileagent.episode.redaction import use

        with as_usage_error(ValueError, setting):
            rules = use(self.path_of(setting))

        def stop() -> None:
            use(None)

        self.config.add_cleanup(stop)
        about = self.earlier.about if self.earlier.goes_on else {}
        before = mapping(about.get("redaction")).get("sha256")
        if rules is not None and before not in {None, rules.digest}:
            what = f": {self.earlier.path} was recorded with other rules"
            raise usage_error(setting, f"{what}: give their file (its SHA-256 is {before})")

    @cached_property
    def noise(self) -> NoiseSettings | None:
        """The noise that `--mobile-noise` asks for; None without noise.

        Raises:
            pytest.UsageError: if a noise template cannot be used.
        """
        setting = self.settings["mobile-noise"]
        if setting.value is None:
            return None
        from pytest_mobileagent.device.noisy import NoiseSettings
        from pytest_mobileagent.noise.template import BadNoiseError, load

        try:
            return NoiseSettings(setting.value, load(folders(self.config, "noise")))
        except BadNoiseError as error:
            raise pytest.UsageError(printable(f"mobile_noise_paths: {error}")) from None

    @cached_property
    def effects(self) -> EffectsFinder | None:
        """Finds the side effects of episodes; None if `--mobile-side-effects` is off."""
        if self.value("mobile-side-effects") == "off":
            return None
        from pytest_mobileagent.run.side_effects import EffectsFinder

        return EffectsFinder()

    @cached_property
    def environments(self) -> Mapping[str, Environment]:
        """The environments that `--mobile-env` names, by id, in its order; empty without it.

        Raises:
            pytest.UsageError: if there is no such environment, or an environment file is broken.
        """
        if not (words := self.value("mobile-env")):
            return {}
        from pytest_mobileagent.environment import BadEnvironmentError, load, select

        try:
            chosen = select(words, load(folders(self.config, "environments")))
        except BadEnvironmentError as error:
            raise pytest.UsageError(printable(str(error))) from None
        except ValueError as error:
            setting = self.settings["mobile-env"]
            raise pytest.UsageError(printable(f"{setting} {error}")) from None
        return {environment.id: environment for environment in chosen}

    def environment_of(self, case: Case) -> Environment | None:
        """Return the environment that a case names, if any."""
        return None if case.environment is None else self.environments[case.environment]

    def for_worker(self) -> dict[str, str]:
        """Return the data that a worker needs."""
        folder = self.folder
        given = {name: str(getattr(folder, name)) for name in ("id", "started", "session")}
        given["folder"] = str(folder.path)
        with as_usage_error((HostError, OSError)):
            given["shared"] = str(self.shared.folder)
            if not runs_no_test(self.config):
                given |= self.earlier.to_worker(self.shared.folder)
        return given

    def close(self) -> None:
        """End the agent of this process, and the devices of the run."""
        self.agents.end()
        if self.is_owner and "shared" in vars(self):
            self.shared.close()
        if self.is_owner and self.agent is not None and "folder" in vars(self):
            from pytest_mobileagent.processes import end_marked

            end_marked(self.folder.mark)  # programs that killed workers have left running
        if self._lock is not None:
            from pytest_mobileagent.run.folder import let_go

            let_go(self._lock)

    def _check_runs(self) -> None:
        if self.earlier.goes_on:
            return
        setting = self.settings["mobile-runs"]
        folder, why = self.path_of(setting), ""
        try:
            near = next(path for path in (folder, *folder.parents) if path.exists())
        except ValueError:
            why = " is not a path: it contains a NUL character"
        else:
            if not near.is_dir():
                why = f": {near} is a file; name a folder"
            elif not os.access(near, os.W_OK | os.X_OK):
                why = f": no folder can be created in {near}, which is not writable"
        if why:
            raise pytest.UsageError(printable(f"{setting}{why}"))

    def _check_distribution(self) -> None:
        if getattr(self.config.option, "dist", "no") == "each":
            msg = (
                "--dist=each runs every task once for each worker, but a report has only one "
                "result for each task: leave it out, or repeat tasks by --mobile-epochs"
            )
            raise pytest.UsageError(printable(msg))
        # The value as the user gave it, because pytest-xdist silently replaces it with `-n`.
        given = getattr(self.config.known_args_namespace, "tx", None) or ()
        if far := [spec for spec in given if not spec.lstrip("0123456789*").startswith("popen")]:
            msg = (
                f"--tx={far[0]}: tests with an agent run on other machines by --mobile-engine=ray, "
                "or in parts by --mobile-shard (docs/fleets.md)"
            )
            raise pytest.UsageError(printable(msg))
        if self.is_elsewhere and not self.is_distributed and not runs_no_test(self.config):
            msg = ": give the number of workers: -n N, or -n auto for all phones"
            raise usage_error(self.settings["mobile-engine"], msg)


RUN = pytest.StashKey[RunConfig]()
