"""Episodes of a run that have no verdict: how many, why, and what would mend it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.report.comparison.pairing import is_missing, tallies, total
from pytest_mobileagent.report.gate.finding import INCONCLUSIVE, MOST_MISSING, Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_mobileagent.report.comparison.pairing import Tally

    Task = Mapping[str, Any]

_REVIEW, _SUSPECT = "a person has to decide", "an episode is suspect"
_NOT_RUN, _NONE = "not run", "no verdict was given"
_CAUSES = {
    "infrastructure": "infrastructure broke",
    "judge": "a judge broke",
    "budget": "a budget was spent",
    "task": "a task was broken",
}
# What to do about each; --mobile-resume runs only what has no final result (docs/again.md).
_RESUME, _RESCORE = "mend that, then --mobile-resume", "mend that, then --mobile-rescore"
_DECIDE = "`python -m pytest_mobileagent review`, then `compare`"
_ADVICE = {
    _REVIEW: _DECIDE,
    _SUSPECT: _DECIDE,
    _NOT_RUN: "--mobile-resume runs them",
    _CAUSES["infrastructure"]: _RESUME,
    _CAUSES["budget"]: "raise it, then --mobile-resume",
    _CAUSES["judge"]: _RESCORE,
    _CAUSES["task"]: _RESCORE,
}


def lacking(tasks: Sequence[Task], look: int) -> list[Finding]:
    """Return a finding if more than 10 % of a run's episodes are missing, else none."""
    counted = total(tallies(tasks).values())
    if not is_lacking(counted):
        return []
    numbers = {"missing": counted.missing, "episodes": episodes(counted)}
    return [Finding(INCONCLUSIVE, words(tasks), numbers, look=look, broken=is_broken(counted))]


def is_lacking(counted: Tally) -> bool:
    """Return whether more than 10 % of the episodes have no verdict."""
    return counted.missing > MOST_MISSING * episodes(counted)


def is_broken(counted: Tally) -> bool:
    """Return whether infrastructure broke most of what is missing."""
    return 2 * counted.broken > counted.missing


def episodes(counted: Tally) -> int:
    """Return how many episodes there were to be, without those that were skipped."""
    return counted.decided + counted.missing


def filled(tasks: Iterable[Task], *, passed: bool) -> list[Task]:
    """Return the tasks as if all that are missing had passed, or had failed."""
    return [
        {**task, "success": passed} if is_missing(task) and task["outcome"] != "skipped" else task
        for task in tasks
    ]


def words(tasks: Iterable[Task], whose: str = "the") -> str:
    """Return what to say of the episodes that are missing: how many, why, and what to do."""
    tasks = list(tasks)
    counted = total(tallies(tasks).values())
    share = 100 * counted.missing / episodes(counted)
    causes = Counter(
        _cause(task) for task in tasks if is_missing(task) and task["outcome"] != "skipped"
    )
    why = ", ".join(
        f"{cause} {count} time{'s' * (count != 1)}" for cause, count in causes.most_common()
    )
    said = f"{share:.{1 if share < 9.5 else 0}f} % of {whose} episodes are missing: {why}"
    return "; ".join([said, *_advice(causes)])


def _cause(task: Task) -> str:
    if task.get("suspect"):
        return _SUSPECT
    if task["outcome"] == "review":
        return _REVIEW
    if task["outcome"] == "not run" and task.get("fault") != "budget":
        return _NOT_RUN
    return _CAUSES.get(str(task.get("fault")), _NONE)


def _advice(causes: Counter[str]) -> list[str]:
    """Return what to do, first about what is the cause of most; one line says each thing once."""
    counts: Counter[str] = Counter()
    for cause, count in causes.items():
        if cause in _ADVICE:
            counts[_ADVICE[cause]] += count
    if len(counts) == 1:
        return list(counts)
    return [f"of {count}: {advice}" for advice, count in counts.most_common()]
