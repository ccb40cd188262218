"""What a run takes from an earlier one: the questions that the rest of the plugin asks.

`EarlierRun` answers them for a run that takes nothing. Those that `--mobile-resume`,
`--mobile-reuse` and `--mobile-rescore` name answer for themselves (see `recorded.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    import pytest

    from pytest_mobileagent.plugin.options import OptionValue
    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.run.folder import RunFolder
    from pytest_mobileagent.task.case import Case
    from pytest_mobileagent.verdict import Verdict


CHECK = "check"  # of all digests the one of what needs no agent


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of a case: it is reported as it was, scored again, run, or skipped.

    - `entry`: the entry of report.json as which it is reported; then it is not run.
    - `episode`: the folder of the recorded episode that its body is asked about.
    - `is_run`: whether the agent works on it, where there is neither.
    """

    entry: Entry | None = None
    episode: Path | None = None
    is_run: bool = True


_RUN = Fate()


class EarlierRun:
    """What a run takes from an earlier one; this one takes nothing, and runs every case.

    - `path`: the folder of the earlier run; None if there is none.
    - `source`: the same where the episodes that are reported or scored lie in another folder than
      that of this run.
    - `makes_episodes`: whether the run has an agent and devices at all.
    - `goes_on`: whether it goes on in the folder of the earlier run.
    - `reused`: the entries of results that are reported as they were, by the keys of their cases.
    """

    path: Path | None = None
    source: Path | None = None
    makes_episodes: bool = True
    goes_on: bool = False

    def __init__(self) -> None:
        self.reused: dict[str, Entry] = {}

    @property
    def header(self) -> str:
        """What the run says of it at its beginning; empty if nothing."""
        return ""

    @property
    def reused_from(self) -> str | None:
        """The id of the run from which results are reused, as run.json has it."""
        return None

    @property
    def redaction(self) -> str | None:
        """The digest of the rules by which a run that goes on was redacted so far, if it was."""
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

    def to_worker(self, shared: Path) -> dict[str, str]:  # noqa: ARG002
        """Return what a worker has to know; what is long is written to the folder `shared`."""
        return {}

    def from_owner(self, given: Mapping[str, str]) -> None:
        """Take in, in a worker, what the owner has decided."""

    @property
    def runs_agents(self) -> bool:
        """Whether the agent may have to work, so that it is worth starting."""
        return True

    def folder(self) -> RunFolder | None:
        """Return the folder of this run if it goes on there; None if it begins a new one."""
        return None

    # When tests are collected

    def deselect(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Take out of `items` the tests that the earlier run did without."""

    def begin(
        self, folder: RunFolder, about: Callable[[], Mapping[str, Any]], cases: Sequence[Case]
    ) -> None:
        """Write to run.json what this run is about to do; `about` returns what it says of the run.

        Raises:
            HostError: it cannot be written.
        """
        folder.begin(about, cases)

    def decide_by(self, folder: Path) -> bool:  # noqa: ARG002
        """Decide by the run.json of this run, if that is how it is decided and nobody has.

        Return whether that has just shown that the agent has to work.
        """
        return False

    def describe(self, parts: Mapping[str, str | None]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what run.json says of episodes that this run does not make, and fingerprints.

        `parts` are the fingerprints of what scores them. Asked if `makes_episodes` is False.
        """
        raise NotImplementedError

    def digests(self, parts: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the digests of the run's tasks, given those that they have now."""
        return parts

    # When a test is run, and scored

    def fate(self, case: Case) -> Fate:  # noqa: ARG002
        """Return what becomes of a case."""
        return _RUN

    def add_verdict(self, case: Case, folder: Path, verdict: Verdict) -> None:
        """Keep a verdict beside the episode of which this run has a copy in `folder`."""

    # When the run ends

    def unreported(
        self,
        reported: Collection[str],  # noqa: ARG002
        selected: Collection[str],  # noqa: ARG002
    ) -> list[Entry]:
        """Return the results that are known although a run that was cut off has not come to them.

        `reported` are the node ids of the tests that it has come to, of those `selected`.
        """
        return []

    def unselected(self, selected: Collection[str]) -> list[Entry]:  # noqa: ARG002
        """Return the results of tasks that belong to the run and are not among those selected."""
        return []

    def attempts(self, key: str) -> Sequence[Mapping[str, Any]]:  # noqa: ARG002
        """Return the attempts at a case, by its key, that another run's folder has noted."""
        return ()

    def summary(
        self,
        results: Sequence[Entry],  # noqa: ARG002
        reused: Collection[str],  # noqa: ARG002
        selected: Collection[str],  # noqa: ARG002
        /,
    ) -> list[str]:
        """Return what the run says of it at its end.

        `reused` and `selected` are node ids: of results that were reused, and of all tests.
        """
        return []
