"""A report after people have decided: the entries of tasks, and the summary, made anew.

All of this works on the plain data of report.json, so that what a newer version has added stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.plain import to_wire
from pytest_mobileagent.report.metrics.numbers import ratio
from pytest_mobileagent.report.metrics.summary import summarise
from pytest_mobileagent.report.result import shown
from pytest_mobileagent.verdict import PERSON

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_mobileagent.verdict import Verdict

AS_RUN = "as_run"  # the field with what the run itself said, where a person says otherwise
_DECIDABLE = {"passed", "failed", "review", "xfailed", "xpassed"}
_EXPECTED = {"xfailed", "xpassed"}
_CHANGED = (
    "outcome", "success", "fault", "reason", "verdict", "first_success_step", "partial_credit",
    "progress", "step_ratio", "step_efficiency", "premature", "overdue",
)  # fmt: skip


def decidable(task: Mapping[str, Any]) -> bool:
    """Whether a person may decide a task: there is an episode, and nothing but a judge broke."""
    said = as_run(task)
    broke = said.get("outcome") == "error" and said.get("fault") == "judge"
    return bool(task.get("episode")) and (said.get("outcome") in _DECIDABLE or broke)


def was_undecided(task: Mapping[str, Any]) -> bool:
    """Whether the run itself left a task to people."""
    return decidable(task) and as_run(task).get("success") is None


def as_run(task: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a task's entry as the run wrote it, before any person decided."""
    kept = task.get(AS_RUN)
    if not isinstance(kept, dict):
        return task
    return {name: value for name, value in {**task, **kept}.items() if name != AS_RUN}


def redecide(task: Mapping[str, Any], verdict: Verdict | None) -> dict[str, Any]:
    """Return a task's entry by the verdict that stands.

    A person's verdict replaces the outcome and all that follows from it. The fields as the run
    wrote them are kept under "as_run", and come back when the person withdraws the verdict.
    """
    before = as_run(task)
    if verdict is None or verdict.scorer != PERSON or verdict.passed is None:
        return dict(before)
    if not decidable(task):
        return dict(task)
    passed = verdict.passed
    outcome = _outcome(before, passed)
    fields = {
        "outcome": outcome,
        "success": passed,
        "fault": "agent" if outcome == "failed" else None,
        "reason": _reason(verdict),
        "verdict": to_wire(shown(verdict)),
        **_derived(before, passed),
    }
    kept = {name: before[name] for name in _CHANGED if name in before}
    return {**before, **fields, AS_RUN: kept}


def redecided(
    report: Mapping[str, Any], verdict_of: Callable[[Mapping[str, Any]], Verdict | None]
) -> dict[str, Any]:
    """Return a whole report in which every task is as the verdict says that stands for it."""
    tasks = [redecide(task, verdict_of(task)) for task in report["tasks"]]
    return {**report, "summary": {**report["summary"], **summarise(tasks)}, "tasks": tasks}


def _outcome(before: Mapping[str, Any], passed: bool) -> str:
    """Return pytest's word: a task that is expected to fail still is.

    Where such a one has to fail (a strict xfail), pytest calls it failed when its goal was met.
    """
    if before["outcome"] in _EXPECTED or (before["outcome"] == "failed" and before["success"]):
        met = "xpassed" if before["outcome"] in _EXPECTED else "failed"
        return met if passed else "xfailed"
    return "passed" if passed else "failed"


def _reason(verdict: Verdict) -> str:
    who = str(verdict.evidence.get("who") or "a person")
    word = "passed" if verdict.passed else "failed"
    return f"{word} by {who}" + (f": {verdict.reason}" if verdict.reason else "")


def _derived(before: Mapping[str, Any], passed: bool) -> dict[str, Any]:
    """Return what follows from a decision, as `report.result.measures` derives it.

    When the goal was first met, and how much of it, is what a check found; it stays where the
    person agrees with the check, and is not known otherwise.
    """
    agrees = before.get("success") is passed
    steps, golden = before.get("steps"), before.get("golden_steps")
    ended = before.get("termination")
    return {
        "step_ratio": ratio(steps, golden) if passed else None,
        "premature": not passed and ended == "self-reported",
        "overdue": passed and ended == "step limit",
        "first_success_step": before.get("first_success_step") if agrees else None,
        "partial_credit": before.get("partial_credit") if agrees else None,
        "progress": before.get("progress") if agrees else None,
        "step_efficiency": before.get("step_efficiency") if agrees else None,
    }
