"""What a run takes from an earlier one, as the rest of the plugin asks for it.

`EarlierRun` is for a run that takes nothing. `--mobile-resume`, `--mobile-reuse`,
`--mobile-rescore` and `--mobile-replies` name others (see `RecordedEarlierRun`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    import pytest

    from pytest_mobileagent.plugin.sources import OptionValue
    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.run.folder import RunFolder
    from pytest_mobileagent.task.case import Case
    from pytest_mobileagent.verdict import Verdict


CHECK = "check"  # the only digest of a task whose change needs no agent


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of a case: it is reported from the record, scored again, run, or skipped.

    - `entry`: its entry in report.json if its result is reused.
    - `episode`: the folder of the recorded episode that is scored again.
    - `is_run`: whether the agent works on the case if there is neither.
    """

    entry: Entry | None = None
    episode: Path | None = None
    is_run: bool = True


_RUN = Fate()


class EarlierRun:
    """What a run takes from an earlier one; in this class nothing: every case is run.

    - `path`: the folder of the earlier run; None if there is none.
    - `source`: the same if its episodes have to be copied from there; else None.
    - `makes_episodes`: whether the run has an agent and devices at all.
    - `gives_replies`: whether agents get recorded replies, and no model of theirs is asked.
    - `goes_on`: whether the run continues in the folder of the earlier one.
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
        """The line about it in the header of the run; empty if there is none."""
        return ""

    @property
    def reused_from(self) -> str | None:
        """The id of the run from which results are reused, as run.json has it."""
        return None

    @property
    def redaction(self) -> str | None:
        """The digest of the rules by which a resumed run was redacted so far, if it was."""
        return None

    # When the session is configured

    def take_options(self, settings: dict[str, OptionValue]) -> None:
        """Replace the values of options by those of the earlier run.

        Raises:
            pytest.UsageError: the command line gives another.
        """

    def decide(self) -> None:
        """Read the earlier run, and decide by it, in the process that owns this run.

        Raises:
            pytest.UsageError: it cannot be read.
        """

    def to_worker(self, shared: Path) -> dict[str, str]:
        """Return what a worker has to know; long data is written to the folder `shared`."""
        return {}

    def from_owner(self, given: Mapping[str, str]) -> None:
        """Receive, in a worker, what the owner has decided."""

    @property
    def runs_agents(self) -> bool:
        """Whether the agent should be started, as it may have to work."""
        return True

    def folder(self) -> RunFolder | None:
        """Return the folder in which this run continues; None if it begins a new one."""
        return None

    # When tests are collected

    def deselect(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Remove from `items` the tests that the earlier run did not need."""

    def begin(
        self, folder: RunFolder, about: Callable[[], Mapping[str, Any]], cases: Sequence[Case]
    ) -> None:
        """Write to run.json what this run is about to do; `about` returns the facts of the run.

        Raises:
            HostError: it cannot be written.
        """
        folder.begin(about, cases)

    def decide_by(self, folder: Path) -> bool:
        """Decide by the run.json of this run, if that is how this kind decides, and has not yet.

        Return whether it turned out just now that the agent has to work.
        """
        return False

    def describe(self, parts: Mapping[str, str | None]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what run.json says of episodes that this run does not make, and all fingerprints.

        `parts` are the fingerprints of what scores them. Called if `makes_episodes` is False.
        """
        raise NotImplementedError

    def digests(self, parts: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the digests that run.json records, given the present ones of the tasks."""
        return parts

    # When a test is run, and scored

    def fate(self, case: Case) -> Fate:
        """Return what becomes of a case."""
        return _RUN

    def replies(self, case: Case) -> Path | None:
        """Return the episode whose recorded replies the agent gets; None if models are asked."""
        return None

    def add_verdict(self, case: Case, folder: Path, verdict: Verdict) -> None:
        """Record a verdict beside the original of the episode that was copied to `folder`."""

    # When the run ends

    def unreported(
        self,
        reported: Collection[str],
        selected: Collection[str],
    ) -> list[Entry]:
        """Return reused results that a run which was cut off has not reported.

        `reported` and `selected` are node ids.
        """
        return []

    def unselected(self, selected: Collection[str]) -> list[Entry]:
        """Return the results of tasks that belong to the run and were not selected."""
        return []

    def attempts(self, key: str) -> Sequence[Mapping[str, Any]]:
        """Return the attempts at a case, by its key, that are noted in another run's folder."""
        return ()

    def summary(
        self,
        results: Sequence[Entry],
        reused: Collection[str],
        selected: Collection[str],
        /,
    ) -> list[str]:
        """Return the lines about it at the end of the run.

        `reused` and `selected` are node ids: of reused results, and of all tests.
        """
        return []
