"""The interface through which the rest of the plugin uses an earlier run.

`EarlierRun` itself stands for no earlier run. `--mobile-resume`, `--mobile-reuse`,
`--mobile-rescore` and `--mobile-replies` each have a subclass of `RecordedEarlierRun`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    import pytest

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.plugin.sources import OptionValue
    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.run.folder import RunFolder
    from pytest_mobileagent.verdict import Verdict


CHECK = "check"  # the digest of a task that may change without the agent having to run again


@dataclass(frozen=True, slots=True)
class CasePlan:
    """What happens to a case: it is reported from the record, scored again, run, or skipped.

    - `entry`: the case's entry in report.json, if its result is reused.
    - `episode`: the folder of the recorded episode, if it is scored again.
    - `is_run`: whether the agent runs the case if neither `entry` nor `episode` is given.
    """

    entry: Entry | None = None
    episode: Path | None = None
    is_run: bool = True


_RUN = CasePlan()


class EarlierRun:
    """What a run reuses from an earlier run. This class reuses nothing: every case is run.

    - `path`: the folder of the earlier run; None without one.
    - `source`: the same folder if episodes must be copied from it; otherwise None.
    - `makes_episodes`: whether the run has an agent and devices.
    - `gives_replies`: whether agents get recorded replies instead of asking their models.
    - `goes_on`: whether the run continues in the folder of the earlier run.
    - `reused`: the entries of reused results, by the keys of their cases.
    """

    path: Path | None = None
    source: Path | None = None
    makes_episodes: bool = True
    gives_replies: bool = False
    goes_on: bool = False

    def __init__(self) -> None:
        self.reused: dict[str, Entry] = {}

    @property
    def header(self) -> str:
        """The line about the earlier run in pytest's header; empty without an earlier run."""
        return ""

    @property
    def reused_from(self) -> str | None:
        """The id of the run from which results are reused, for run.json."""
        return None

    @property
    def redaction(self) -> str | None:
        """The digest of the redaction rules of a resumed run, if it has any."""
        return None

    # When the session is configured

    def take_options(self, settings: dict[str, OptionValue]) -> None:
        """Replace the values of options by those of the earlier run.

        Raises:
            pytest.UsageError: if the command line gives a different value.
        """

    def decide(self) -> None:
        """Read the earlier run, in the process that owns this run, and decide what to reuse.

        Raises:
            pytest.UsageError: if the earlier run cannot be read.
        """

    def to_worker(self, shared: Path) -> dict[str, str]:
        """Return the data that a worker needs; long data is written to the folder `shared`."""
        return {}

    def read_decisions(self, given: Mapping[str, str]) -> None:
        """In a worker, read what the run's owner has decided."""

    @property
    def runs_agents(self) -> bool:
        """Whether to start the agent, because it may be needed."""
        return True

    def folder(self) -> RunFolder | None:
        """Return the folder in which this run continues; None for a new folder."""
        return None

    # When tests are collected

    def deselect(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Remove from `items` the tests that the earlier run did not need."""

    def begin(
        self, folder: RunFolder, about: Callable[[], Mapping[str, Any]], cases: Sequence[Case]
    ) -> None:
        """Write run.json for this run; `about` returns the run's metadata.

        Raises:
            HostError: if the file cannot be written.
        """
        folder.begin(about, cases)

    def decide_by(self, folder: Path) -> bool:
        """Decide what to reuse from this run's run.json, if this kind needs it and has not yet.

        Return whether this decision means that the agent is needed.
        """
        return False

    def describe(self, parts: Mapping[str, str | None]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return run.json's metadata of episodes that this run does not make, and all fingerprints.

        `parts` are the fingerprints of what scores the episodes. This method is only called if
        `makes_episodes` is False.
        """
        raise NotImplementedError

    def digests(self, parts: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the digests to write to run.json, given the current digests of the tasks."""
        return parts

    # When a test is run, and scored

    def plan_for(self, case: Case) -> CasePlan:
        """Return what happens to a case."""
        return _RUN

    def replies(self, case: Case) -> Path | None:
        """Return the episode whose recorded replies the agent gets; None to ask its models."""
        return None

    def add_verdict(self, case: Case, folder: Path, verdict: Verdict) -> None:
        """Record a verdict beside the original of the episode that was copied to `folder`."""

    # When the run ends

    def unreported(
        self,
        reported: Collection[str],
        selected: Collection[str],
    ) -> list[Entry]:
        """Return the reused results that an interrupted run has not reported.

        `reported` and `selected` are node ids.
        """
        return []

    def unselected(self, selected: Collection[str]) -> list[Entry]:
        """Return the results of tasks that belong to the run and were not selected."""
        return []

    def attempts(self, key: str) -> Sequence[Mapping[str, Any]]:
        """Return the attempts at a case, given by its key, that another run has recorded."""
        return ()

    def summary(
        self,
        results: Sequence[Entry],
        reused: Collection[str],
        selected: Collection[str],
        /,
    ) -> list[str]:
        """Return the lines about the earlier run in the summary.

        `reused` are the node ids of reused results, and `selected` those of all tests.
        """
        return []
