"""Applying people's verdicts to a report: to the entries of tasks, and to the summary."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.report.entry import DECIDED
from pytest_mobileagent.report.metrics import summarise
from pytest_mobileagent.report.result import verdict_fields
from pytest_mobileagent.statistics import ratio
from pytest_mobileagent.verdict import PERSON

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.report.entry import Entry, Report
    from pytest_mobileagent.verdict import Verdict

_EXPECTED = {"xfailed", "xpassed"}
_CHANGED = (
    "outcome", "success", "fault", "reason", "verdict", "first_success_step", "partial_credit",
    "progress", "step_ratio", "step_efficiency", "premature", "overdue", "unclear",
)  # fmt: skip


def decidable(task: Entry) -> bool:
    """Return whether a person may decide a task: it has an episode, and at most a judge broke."""
    original = as_run(task)
    judge_broke = original.outcome == "error" and original.fault == "judge"
    return bool(task.episode) and (original.outcome in DECIDED or judge_broke)


def was_undecided(task: Entry) -> bool:
    """Return whether the run itself left the task undecided, for people to decide."""
    return decidable(task) and as_run(task).success is None


def as_run(task: Entry) -> Entry:
    """Return a task's entry as the run wrote it, before any person decided."""
    if task.as_run is None:
        return task
    original = {name: value for name, value in task.as_run.items() if name in _CHANGED}
    return replace(task, **original, as_run=None)


def apply_verdict(task: Entry, verdict: Verdict | None) -> Entry:
    """Return a task's entry updated for its effective verdict.

    A person's verdict replaces the outcome and all fields derived from it. The original values are
    kept under "as_run", and are restored if the person withdraws the verdict.
    """
    before = as_run(task)
    if verdict is None or verdict.scorer != PERSON or verdict.passed is None:
        return before
    if not decidable(task):
        return task
    passed = verdict.passed
    outcome = _outcome(before, passed)
    who = str(verdict.evidence.get("who") or "a person")
    note = f": {verdict.reason}" if verdict.reason else ""
    return replace(
        before,
        outcome=outcome,
        success=passed,
        fault="agent" if outcome == "failed" else None,
        unclear=False,
        reason=f"{'passed' if passed else 'failed'} by {who}{note}",
        verdict=verdict_fields(verdict),
        **_derived(before, passed),
        as_run={name: getattr(before, name) for name in _CHANGED},
    )


def apply_verdicts(report: Report, verdict_of: Callable[[Entry], Verdict | None]) -> Report:
    """Return a report updated for the effective verdicts of all tasks."""
    tasks = [apply_verdict(task, verdict_of(task)) for task in report["tasks"]]
    return {**report, "summary": {**report["summary"], **summarise(tasks)}, "tasks": tasks}


def _outcome(before: Entry, passed: bool) -> str:
    """Return pytest's outcome for a person's verdict; an expected failure remains expected.

    If the expectation is strict (xfail with strict=True), pytest reports a success as failed.
    """
    if before.outcome in _EXPECTED or (before.outcome == "failed" and before.success):
        met = "xpassed" if before.outcome in _EXPECTED else "failed"
        return met if passed else "xfailed"
    return "passed" if passed else "failed"


def _derived(before: Entry, passed: bool) -> dict[str, Any]:
    """Return the fields derived from a decision, as in `report.result.measures`.

    What comes from the check is kept if the person agrees with the check, and otherwise unknown.
    """
    checked = ("first_success_step", "partial_credit", "progress", "step_efficiency")
    return {
        "step_ratio": ratio(before.steps, before.golden_steps) if passed else None,
        "premature": not passed and before.termination == "self-reported",
        "overdue": passed and before.termination == "step limit",
        **{name: getattr(before, name) if before.success is passed else None for name in checked},
    }
