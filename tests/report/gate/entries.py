"""Runs for the tests of gates and comparisons: a letter for each epoch of a task."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent import Case, Task
from pytest_mobileagent.report.gate.decide import decide
from pytest_mobileagent.report.gate.rule import InterimAnalyses
from pytest_mobileagent.report.gate.spec import Bound, Gate
from pytest_mobileagent.report.recorded_run import RecordedRun
from pytest_mobileagent.report.result import Result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.report.gate.decide import GateDecision

# Passed, failed, broken by infrastructure, by a judge, for review, skipped, not run.
_LETTERS: dict[str, tuple[str, bool | None, str | None]] = {
    "P": ("passed", True, None),
    "F": ("failed", False, "agent"),
    "E": ("error", None, "infrastructure"),
    "J": ("error", None, "judge"),
    "R": ("review", None, None),
    "s": ("skipped", None, None),
    "n": ("not run", None, "infrastructure"),
}


def entry(id: str, epoch: int, letter: str, **fields: Any) -> Entry:
    """Return a task's entry in report.json."""
    outcome, success, fault = _LETTERS[letter]
    case = Case(Task("Do it."), id, "clock", f"{id}[{epoch}]", epoch=epoch)
    own = {"outcome": outcome, "success": success, "fault": fault}
    return replace(Result(case).entry(), **own | fields)


def entries(tasks: Mapping[str, str], **fields: Any) -> list[Entry]:
    """Return a run's entries, as in {"tasks/clock/alarm@100": "PPF"}, in environment 100."""
    found = []
    for name, letters in tasks.items():
        task, _, place = name.partition("@")
        where = {"environment": place} if place else {}
        found += [entry(task, n, letter, **where, **fields) for n, letter in enumerate(letters)]
    return found


def many(count: int, letters: str) -> dict[str, str]:
    """Return a number of tasks with the same epochs."""
    return {f"tasks/clock/t{number}": letters for number in range(count)}


def recorded(tasks: list[Entry], ended: bool = True, **about: Any) -> RecordedRun:
    """Return a run in the form in which it is read from its folder."""
    return RecordedRun(Path("runs") / about.get("id", "run"), about, tasks, ended)


def decided(
    gate: Gate | Bound, tasks: dict[str, str], baseline: dict[str, str] | None = None
) -> GateDecision:
    """Return the decision of a gate, or of a single bound, on a run of three epochs."""
    gate = Gate((gate,)) if isinstance(gate, Bound) else gate
    before = None if baseline is None else entries(baseline)
    return decide(gate, entries(tasks), before, InterimAnalyses((3,)), 0)
