"""The verdict of a gate on a run that has ended, at the looks that it was planned with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.report.gate.decide import decide
from pytest_mobileagent.report.gate.looks import Looks, looks
from pytest_mobileagent.report.gate.unseen import selected_alike

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.report.gate.decide import Decision
    from pytest_mobileagent.report.gate.spec import Gate
    from pytest_mobileagent.report.recorded import RecordedRun

_RANGE = re.compile(r"\s*(\d+)\s*\.\.\s*(\d+)\s*", re.ASCII)


def decide_finished(gate: Gate, run: RecordedRun, baseline: RecordedRun | None) -> Decision:
    """Return what a gate says of a run that has ended.

    A run with `--mobile-epochs=A..B` is looked at as it was while it went on, up to where it came;
    all that any other has done is looked at once.

    Raises:
        ValueError: see `decide`.
    """
    before = None if baseline is None else baseline.tasks
    alike = baseline is not None and selected_alike(run.about, baseline.about)
    planned = _planned(run)
    if planned is None:
        once = Looks((_count(run.tasks),))
        return decide(gate, run.tasks, before, once, 0, alike=alike)
    decided = [task for task in run.tasks if task["success"] is not None]
    done = _count(decided)
    decision = None
    tasks: list[Mapping[str, Any]] = []
    starts = (0, *planned.epochs)
    for look, (first, epochs) in enumerate(zip(starts, planned.epochs, strict=False)):
        if decision is not None and not (decision.open and epochs <= done):
            break
        new = [task for task in run.tasks if first <= task["epoch"] < epochs]
        tasks += [task for task in new if _is_wanted(task, decision)]
        decision = decide(gate, tasks, before, planned, look, before=decision, alike=alike)
    assert decision is not None
    return decision


def _is_wanted(task: Mapping[str, Any], decision: Decision | None) -> bool:
    """Whether a task was to be run after a look: a run that was cut off lists the others, too."""
    return decision is None or task["outcome"] != "not run" or decision.wants(task)


def _planned(run: RecordedRun) -> Looks | None:
    """Return the looks that a run was planned with; None if that was a plain number of epochs."""
    option = (run.about.get("options") or {}).get("mobile-epochs") or {}
    found = _RANGE.fullmatch(str(option.get("value") or ""))
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        return None
    return looks(int(found[1]), int(found[2]))


def _count(tasks: Sequence[Mapping[str, Any]]) -> int:
    return max((task["epoch"] + 1 for task in tasks), default=1)
