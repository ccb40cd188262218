"""What is there of each case in an earlier run, and what is still to be done.

`EarlierRun` itself stands for no earlier run. `--mobile-resume`, `--mobile-reuse`,
`--mobile-rescore` and `--mobile-replies` each have a subclass of `recorded_earlier.RecordedRun`,
which reads the folder of a run; they differ in what they `decide` about its results.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.plugin.options import RECORDED
from pytest_mobileagent.plugin.settings import usage_error

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.plugin.settings import OptionValue
    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.run.folder import RunFolder


CHECK = "check"  # the digest of a task that may change without the agent having to run again


@dataclass(frozen=True, slots=True)
class CasePlan:
    """What happens to a case: it is reported from the record, scored again, run, or skipped.

    - `entry`: the case's entry in report.json, if its result is reused.
    - `episode`: the folder of the recorded episode, if it is scored again.
    - `is_run`: whether the agent runs the case if neither `entry` nor `episode` is given.
    - `replies`: the episode whose recorded replies the agent gets; None to ask its models.
    - `is_needed`: whether the case is a test of this run at all.
    """

    entry: Entry | None = None
    episode: Path | None = None
    is_run: bool = True
    replies: Path | None = None
    is_needed: bool = True

    @property
    def is_played(self) -> bool:
        """Whether the agent runs the case if its test is run."""
        return self.episode is None and self.is_run


class EarlierRun:
    """What a run reuses from an earlier run. This class reuses nothing: every case is run.

    - `path`: the folder of the earlier run; None without one.
    - `makes_episodes`: whether the run has an agent and devices.
    - `gives_replies`: whether agents get recorded replies instead of asking their models.
    - `goes_on`: whether the run continues in the folder of the earlier run.
    - `about`: the earlier run's metadata.
    - `tasks`: the entries of all its results. `reused` are those that are reported again, and
      `to_score` the folders of the episodes that are scored again. All are by the keys of cases.
    """

    path: Path | None = None
    makes_episodes: bool = True
    gives_replies: bool = False
    goes_on: bool = False

    def __init__(self) -> None:
        self.about: Mapping[str, Any] = {}
        self.tasks: dict[str, Entry] = {}
        self.reused: dict[str, Entry] = {}
        self.to_score: dict[str, str] = {}

    @property
    def source(self) -> Path | None:
        """The folder of the earlier run if episodes must be copied from it."""
        return None if self.goes_on or self.gives_replies else self.path

    @property
    def folder(self) -> RunFolder | None:
        """The folder of the run that goes on; None for a new folder."""
        return None

    @property
    def header(self) -> str:
        """The line about the earlier run in pytest's header; empty without an earlier run."""
        return ""

    @property
    def runs_agents(self) -> bool:
        """Whether to start the agent, because it may be needed."""
        return True

    def agreed(self, settings: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
        """Return the options of this run, some of which are those of the earlier run.

        Raises:
            pytest.UsageError: if the command line gives a different value.
        """
        return dict(settings)

    def read(self, given: Mapping[str, str]) -> None:
        """Read the results of the earlier run; in a worker, those that the owner has sent.

        Raises:
            pytest.UsageError: if they cannot be read.
        """

    def to_worker(self, shared: Path) -> dict[str, str]:
        """Return the data that a worker needs; long data is written to the folder `shared`."""
        return {}

    def decide(self, run: Path | None = None) -> None:
        """Decide what is done with each result; `run` is this run's folder with its run.json."""

    def plan_for(self, case: Case) -> CasePlan:
        """Return what was decided about a case; other cases are run."""
        if (entry := self.reused.get(case.key)) is not None:
            return CasePlan(replace(entry, nodeid=case.nodeid))
        if self.path is not None and case.key in self.to_score:
            return CasePlan(episode=self.path / self.to_score[case.key])
        return CasePlan(is_run=self.makes_episodes)

    def episode_of(self, case: Case, run: RunFolder, relay: Any) -> Path:
        """Return the folder of a recorded episode, copied into this run if that is another one.

        `run` is the folder of this run, and `relay` leads to its machine (see `take_over`).

        Raises:
            HostError: if the copy cannot be written.
            Skipped: if there is no episode.
        """
        episode = self.plan_for(case).episode
        if episode is not None and (source := self.source) is not None:
            name = episode.relative_to(source).as_posix()
            episode = self.take_over(name, run, relay, to_read=True)
        if episode is None:
            what = "no reply of a model to" if self.gives_replies else "no episode of"
            from pytest_mobileagent.plugin.state import Skipped

            raise Skipped("record", f"{what} {case.key} is recorded")
        return episode

    def take_over(
        self, episode: str, run: RunFolder, relay: Any, *, to_read: bool = False
    ) -> Path | None:
        """Copy an episode into this run, unless it is already there; return its folder, if any.

        If the runs' folders are on another machine, to which `relay` leads, the episode is copied
        there; its files are brought to this machine only if they are needed here (`to_read`).

        Raises:
            HostError: if the episode cannot be written.
        """
        source = self.source
        assert source is not None
        if relay is not None:
            if not to_read:
                return run.path / episode if relay.take_over(episode) else None
            relay.bring(episode, source)
        folder = source / episode
        if not (folder.is_dir() and folder.resolve().parent == (source / "episodes").resolve()):
            return None
        target = run.path / "episodes" / folder.name
        if not target.exists():
            from pytest_mobileagent.episode.importing import import_episode

            import_episode(folder, run.make(), target)
        return target

    def begin(
        self, folder: RunFolder, about: Callable[[], Mapping[str, Any]], cases: Sequence[Case]
    ) -> None:
        """Write run.json for this run; `about` returns the run's metadata.

        Raises:
            HostError: if the file cannot be written.
        """
        folder.begin(about, cases)

    def attempts(self, key: str) -> Sequence[Mapping[str, Any]]:
        """Return the attempts at a case whose result or episode is taken from the earlier run."""
        is_taken = self.source is not None and (key in self.reused or key in self.to_score)
        return self.tasks[key].attempts if is_taken else ()

    def not_run(self, selected: Collection[str]) -> list[Entry]:
        """Return the results of this run that need no test to be run; it may report them anyway.

        `selected` are the node ids of all tests.
        """
        return [task for task in self.reused.values() if task.nodeid in selected]

    def summary(
        self, results: Sequence[Entry], reused: Collection[str], selected: Collection[str], /
    ) -> list[str]:
        """Return the lines about the earlier run in the summary.

        `reused` are the node ids of reused results, and `selected` those of all tests.
        """
        return []


_WAYS = {  # the module and the class of each
    "mobile-resume": ("resuming", "Resuming"),
    "mobile-reuse": ("reusing", "Reusing"),
    "mobile-rescore": ("reusing", "Rescoring"),
    "mobile-replies": ("reusing", "Replaying"),
}


def earlier_run(
    config: pytest.Config, settings: Mapping[str, OptionValue], given: Mapping[str, str]
) -> EarlierRun:
    """Return the earlier run that an option names; `given` is the data from the run's owner.

    Raises:
        pytest.UsageError: if several options name a run, or the run cannot be used in this way.
    """
    cache, rescored = settings["mobile-cache"], settings["mobile-rescore"]
    if cache.value == RECORDED and rescored.value is None:
        raise usage_error(cache, " is for --mobile-rescore")
    named = [settings[name] for name in _WAYS if settings[name].value is not None]
    if not named:
        return EarlierRun()
    if len(named) > 1:
        names = " and ".join(map(str, named))
        msg = f"{names} exclude each other: a run is either resumed, reused, or scored or played"
        raise pytest.UsageError(printable(f"{msg} again"))
    module, kind = _WAYS[named[0].option.flag.removeprefix("--")]
    way = getattr(import_module(f"{__name__}.{module}"), kind)
    earlier: EarlierRun = way(config, named[0], given)
    return earlier
