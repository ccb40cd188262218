"""Where rollouts are recorded: as a run like any other, or in memory until the next episode."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

from pytest_mobileagent.check.episode import load
from pytest_mobileagent.episode import chain
from pytest_mobileagent.episode.runs import IndexLine, append
from pytest_mobileagent.episode.screens import FOLDER, ScreenStore
from pytest_mobileagent.fileio import write_json
from pytest_mobileagent.plugin.metadata import versions
from pytest_mobileagent.report.merging import write_pages
from pytest_mobileagent.report.recorded_run import REPORT, document
from pytest_mobileagent.report.result import Result
from pytest_mobileagent.rollout.rollout import AGENT
from pytest_mobileagent.run.folder import RunFolder
from pytest_mobileagent.verdict import Verdict
from pytest_mobileagent.verdict import append as add_verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.rollout.rollout import Moved, Rollout
    from pytest_mobileagent.rollout.tasks import RolloutTask

_MEMORY = Path("/dev/shm")  # noqa: S108 - a file system in memory


class Place(Protocol):
    """Where episodes are recorded."""

    def begin(
        self, task: RolloutTask, beside: Path | None = None
    ) -> tuple[RolloutTask, Path, ScreenStore]:
        """Return the task as it is recorded, and the folder and the screen store of an episode.

        With `beside`, the folder of another episode, both share a store of screens.
        """

    def ended(self, rollout: Rollout, moved: Moved) -> None:
        """Take note of how an episode ended."""

    def left(self, folder: Path) -> None:
        """Take note that nobody needs the record of an episode any longer."""


class Scratch:
    """Keeps records only as long as they are needed, in memory where the system allows it."""

    def __init__(self) -> None:
        where = _MEMORY if _MEMORY.is_dir() else None
        self._folder = tempfile.TemporaryDirectory(prefix="mobileagent-rollout-", dir=where)
        self._count = 0
        self._guard = threading.Lock()

    def begin(
        self, task: RolloutTask, beside: Path | None = None
    ) -> tuple[RolloutTask, Path, ScreenStore]:
        """Return the task, and a new folder and store."""
        with self._guard:
            self._count += 1
            place = beside or Path(self._folder.name, str(self._count), "episodes", "0")
            folder = place.with_name(str(self._count))
        folder.mkdir(parents=True)
        return task, folder, ScreenStore(folder.parent.parent / FOLDER)

    def ended(self, rollout: Rollout, moved: Moved) -> None:
        """Do nothing."""

    def left(self, folder: Path) -> None:
        """Remove the record, and the store with the last record that uses it."""
        shutil.rmtree(folder, ignore_errors=True)
        with self._guard, contextlib.suppress(OSError):
            folder.parent.rmdir()  # the last one with these screens
            shutil.rmtree(folder.parent.parent)

    def close(self) -> None:
        """Remove everything."""
        self._folder.cleanup()


class RecordedRollouts(contextlib.AbstractContextManager["RecordedRollouts"]):
    """A run in the folder `runs`, with an epoch for each episode of a task.

    Its report and pages are written when it is closed.

    Raises:
        HostError: if the folder cannot be written.
    """

    def __init__(self, runs: Path, tasks: Sequence[RolloutTask], device: str = "virtual") -> None:
        self.folder = RunFolder.plan(runs, AGENT)
        self._device = device
        self._epochs: dict[str, int] = {}
        self._results: dict[str, Entry] = {}
        self._cases: list[Case] = []
        self._guard = threading.Lock()
        self.folder.begin(self._about, [task.case for task in tasks])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin(
        self, task: RolloutTask, beside: Path | None = None
    ) -> tuple[RolloutTask, Path, ScreenStore]:
        """Return the task's next epoch, and its folder in the run."""
        with self._guard:
            epoch = self._epochs[task.id] = self._epochs.get(task.id, -1) + 1
            case = replace(task.case, epoch=epoch, nodeid=f"{task.case.nodeid}@{epoch}")
            self._cases.append(case)
            folder, _ = self.folder.attempt(case)
        return replace(task, case=case), folder, self.folder.screens

    def ended(self, rollout: Rollout, moved: Moved) -> None:
        """Record the verdict, and add the episode to the run's index and report."""
        case, folder = rollout.task.case, rollout.session.folder
        episode, place = load(folder), self.folder.relative(folder)
        about: dict[str, Any] = {"episode": episode, "folder": place}
        if moved.broken or moved.held is None:
            broke = (moved.broken,)
            result = Result(
                case, fault="infrastructure", reason=moved.broken, infrastructure=broke, **about
            )
        else:
            reason, credit = moved.about["reason"], moved.about["credit"]
            verdict = Verdict(moved.held, "check", reason, partial_credit=credit)
            add_verdict(folder, verdict)
            about |= {"verdict": verdict, "reason": reason}
            outcome, fault = ("passed", None) if moved.held else ("failed", "agent")
            result = Result(case, outcome=outcome, fault=fault, **about)
        with self._guard:
            entry = self._results[case.nodeid] = result.entry()
            append(self.folder.path, IndexLine(case.key, episode.attempt, place, entry.outcome))

    def left(self, folder: Path) -> None:
        """Keep the record."""

    def close(self) -> None:
        """Write the report and the pages of the run.

        Raises:
            HostError: if they cannot be written.
        """
        ended = datetime.now(UTC).isoformat(timespec="seconds")
        self.folder.go_on({"when": ended}, self._cases, {})
        whole = document(self.folder.about() | {"ended": ended}, self._results)
        write_json(self.folder.path / REPORT, whole)
        chain.close(self.folder.path)
        write_pages(self.folder.path, whole)

    def _about(self) -> dict[str, object]:
        return {
            "agent": AGENT,
            "device": self._device,
            "virtual": self._device == "virtual",
            "versions": versions(),
        }
