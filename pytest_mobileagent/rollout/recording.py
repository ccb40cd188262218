"""Rollouts recorded as a run like any other."""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.check.episode import load
from pytest_mobileagent.episode import chain
from pytest_mobileagent.episode.runs import append
from pytest_mobileagent.errors import InfrastructureError, UndecidedError
from pytest_mobileagent.fileio import write_json
from pytest_mobileagent.plugin.metadata import versions
from pytest_mobileagent.report.merging import write_pages
from pytest_mobileagent.report.recorded_run import REPORT, document
from pytest_mobileagent.report.result import Result
from pytest_mobileagent.rollout.tasks import AGENT
from pytest_mobileagent.run.folder import RunFolder
from pytest_mobileagent.verdict import CHECK, Verdict, of_judges, verdicts
from pytest_mobileagent.verdict import append as add_verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.errors import MobileAgentError
    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.rollout.tasks import RolloutTask


# The outcome of an episode, and who is to blame, by whether the goal was met.
_OUTCOMES = {True: ("passed", None), False: ("failed", "agent"), None: ("review", None)}


class RecordedRollouts(contextlib.AbstractContextManager["RecordedRollouts"]):
    """A run in the folder `runs`, with an epoch for each episode of a task.

    Its report and pages are written when it is closed.

    Raises:
        HostError: if the folder cannot be written.
    """

    def __init__(self, runs: Path, tasks: Sequence[RolloutTask], device: str = "virtual") -> None:
        self.folder = RunFolder.plan(runs, AGENT)
        self._epochs = Counter[str]()
        self._results: dict[str, Entry] = {}
        self._cases: list[Case] = []
        self._guard = threading.Lock()
        about = {"agent": AGENT, "device": device, "virtual": device == "virtual"}
        about["versions"] = versions()
        self.folder.begin(lambda: about, [task.case for task in tasks])

    def next_epoch(self, task: RolloutTask) -> RolloutTask:
        """Return a task as its next epoch."""
        with self._guard:
            epoch = self._epochs[task.id]
            self._epochs[task.id] += 1
            case = replace(task.case, epoch=epoch, nodeid=f"{task.case.nodeid}@{epoch}")
            self._cases.append(case)
        return replace(task, case=case)

    def ended(
        self, case: Case, folder: Path, ending: Mapping[str, Any], broke: MobileAgentError | None
    ) -> None:
        """Add an episode to the run's index and report.

        `ending` is what the last info says; `broke` is the error if the episode is broken.
        """
        if effects := ending.get("side_effects"):
            effects.write(folder)
        episode, place = load(folder), self.folder.relative(folder)
        held, reason = ending.get("success"), ending.get("reason", ending.get("broken", ""))
        if broke is not None and not isinstance(broke, UndecidedError):
            lost = (reason,) if isinstance(broke, InfrastructureError) else ()
            result = Result(case, fault=broke.fault, reason=reason, infrastructure=lost)
        else:
            verdict = of_judges(verdicts(folder))
            if verdict is None or verdict.passed != held:  # the body may ask for more
                verdict = Verdict(held, CHECK, reason, partial_credit=ending.get("credit"))
                add_verdict(folder, verdict)
            result = Result(case, *_OUTCOMES[held], reason, verdict=verdict)
        entry = replace(result, episode=episode, folder=place).entry().redacted()
        with self._guard:
            self._results[case.nodeid] = entry
            append(self.folder.path, entry.index_line)

    def __exit__(self, *_: object) -> None:
        self.close()

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
