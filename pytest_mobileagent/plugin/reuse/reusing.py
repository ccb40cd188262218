"""`--mobile-reuse`: a new run takes over from an earlier one what is still the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode import runs
from pytest_mobileagent.fileio import read_json
from pytest_mobileagent.plugin.reuse.deciding import REUSE, RUN, SCORE, decide, told
from pytest_mobileagent.plugin.reuse.earlier import Fate
from pytest_mobileagent.plugin.reuse.recorded import RecordedEarlierRun
from pytest_mobileagent.report.metrics.numbers import ratio
from pytest_mobileagent.report.recorded import key_of
from pytest_mobileagent.report.result import Result
from pytest_mobileagent.task.case import Case

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    import pytest

    from pytest_mobileagent.plugin.options import OptionValue
    from pytest_mobileagent.plugin.reuse.deciding import Decision
    from pytest_mobileagent.verdict.verdict import Verdict

    Entry = Mapping[str, Any]

# What an entry says of the task itself: that may have changed without any effect on the result.
_OF_TASK = (
    "id", "nodeid", "suite", "app", "kind", "level", "language", "tags", "parameters",
    "golden_steps",
)  # fmt: skip


class Reusing(RecordedEarlierRun):
    """A run of which results are reused, or its episodes scored again.

    That is decided once tests are collected: by the digests of both runs' run.json, in each process
    alike. Until then `reused` are all results.

    Raises:
        pytest.UsageError: there is no such run, or it cannot be read.
    """

    same = ()
    is_same_run = False

    def __init__(
        self, config: pytest.Config, setting: OptionValue, given: Mapping[str, str]
    ) -> None:
        super().__init__(config, setting, given)
        self.decisions: dict[str, Decision] = {}

    @property
    def runs_agents(self) -> bool:
        """Whether a task has to be run, once that is decided; before, nothing is started."""
        return any(decision.what == RUN for decision in self.decisions.values())

    @property
    def reused_from(self) -> str | None:
        """The id of the run from which results are reused, as run.json has it."""
        return self.about.get("id")

    @property
    def header(self) -> str:
        """What a run says of it at its beginning."""
        return f"takes over from {self.path} what is still the same"

    def sort(self, tasks: Mapping[str, Entry]) -> None:
        """Send all results to the workers, which decide by what they collect."""
        self.reused = dict(tasks)

    def decide_by(self, run: Path) -> bool:
        """Decide by what run.json says in the folder of the new run, where nobody has.

        Return whether that has just shown that the agent has to work.
        """
        if self.decisions:
            return False
        old, new, tasks = _read(self.path), _read(run), self.reused
        self.decisions = decide(old, new, tasks)
        plans = {plan["key"]: plan for plan in new.get("tasks", ())}
        what = {key: decision.what for key, decision in self.decisions.items()}
        self.reused = {k: _as_now(tasks[k], plans[k]) for k, each in what.items() if each == REUSE}
        self.to_score = {k: tasks[k]["episode"] for k, each in what.items() if each == SCORE}
        return self.runs_agents

    def fate(self, case: Case) -> Fate:
        """Return what becomes of a case: as was decided of it, else it is run."""
        return super().fate(case) if self.decisions else Fate()

    def add_verdict(self, case: Case, folder: Path, verdict: Verdict) -> None:
        """Leave the earlier run as it is: this one is another."""

    def summary(
        self, results: Sequence[Entry], _reused: Collection[str], _selected: Collection[str], /
    ) -> list[str]:
        """Return how many results were reused, scored again or run, and why."""
        keys = [key_of(result) for result in results]
        return [told(self.decisions[key] for key in keys if key in self.decisions)]


def _read(run: Path) -> dict[str, Any]:
    """Return the content of a run's run.json; nothing where it wrote none."""
    try:
        content = read_json(run / runs.RUN)
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _as_now(entry: Entry, plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result with what its task says of itself now."""
    now = Result(Case.from_json(plan)).to_wire()
    steps = ratio(entry["steps"], now["golden_steps"]) if entry["success"] else None
    return {**entry, **{name: now[name] for name in _OF_TASK}, "step_ratio": steps}
