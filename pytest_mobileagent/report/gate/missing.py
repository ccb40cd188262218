"""Whether too much of a run is missing for anything to be said of it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.report.comparison.pairing import tallies, total
from pytest_mobileagent.report.gate.finding import INCONCLUSIVE, MOST_MISSING, Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_mobileagent.report.comparison.pairing import Tally

    Task = Mapping[str, Any]

_REVIEW = "a person has to decide"
_NOT_RUN = "not run"
_INFRASTRUCTURE = "infrastructure broke"
_CAUSES = {
    "judge": "a judge broke",
    "budget": "a budget was spent",
    "task": "a task was broken",
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


def words(tasks: Iterable[Task], whose: str = "the") -> str:
    """Return what to say of the episodes that are missing: how many, why, and what to do."""
    tasks = list(tasks)
    counted = total(tallies(tasks).values())
    share = 100 * counted.missing / episodes(counted)
    causes = Counter(
        _cause(task) for task in tasks if task["success"] is None and task["outcome"] != "skipped"
    )
    why = ", ".join(
        f"{cause} {count} time{'s' * (count != 1)}" for cause, count in causes.most_common()
    )
    return f"{share:.0f} % of {whose} episodes are missing: {why}; {_advice(causes)}"


def _cause(task: Task) -> str:
    if task["outcome"] == "review":
        return _REVIEW
    if task["outcome"] == "not run" and task.get("fault") != "budget":
        return _NOT_RUN
    if task.get("fault") == "infrastructure":
        return _INFRASTRUCTURE
    return _CAUSES.get(str(task.get("fault")), "no verdict was given")


def _advice(causes: Mapping[str, int]) -> str:
    most = max(causes, key=causes.__getitem__)
    if most == _REVIEW:
        return "`python -m pytest_mobileagent review`, then `compare`"
    if most == _NOT_RUN:
        return "--mobile-resume runs them"
    again = "rescore" if most in {_CAUSES["judge"], _CAUSES["task"]} else "resume"
    return f"mend that, then --mobile-{again}"
