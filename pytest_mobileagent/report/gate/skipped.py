"""Tasks that a gate should have seen and has not: those that were skipped, or left out."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.plain import printable
from pytest_mobileagent.report.gate.finding import INCONCLUSIVE, Finding
from pytest_mobileagent.report.text.names import label

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Task = Mapping[str, Any]

_MOST = 5  # names in a line


def without_app(tasks: Sequence[Task], look: int) -> list[Finding]:
    """Return a finding if tasks were skipped because their app is not there, else none.

    A suite of which half the apps are missing would else pass by the other half.
    """
    skipped = [task for task in tasks if is_without_app(task)]
    if not skipped:
        return []
    by_app: dict[str, list[str]] = defaultdict(list)
    for task in skipped:
        name = label(task["id"], task.get("environment"))
        named = by_app[printable(str(task.get("app") or "an app"))]
        if name not in named:
            named.append(name)
    count = sum(map(len, by_app.values()))
    apps = [f"{app} ({listed(names)})" for app, names in by_app.items()]
    words = (
        f"{count} task{'s were' if count != 1 else ' was'} skipped for want of "
        f"{'an app' if len(apps) == 1 else 'apps'}: {listed(apps)}; install "
        f"{'it' if len(apps) == 1 else 'them'}, or say allow_skipped = true in the gate's file"
    )
    return [Finding(INCONCLUSIVE, words, {"skipped_for_app": count}, look=look)]


def is_without_app(task: Task) -> bool:
    """Return whether a task was skipped because an app of it is not on the device."""
    return task["outcome"] == "skipped" and task.get("skipped_for") == "app"


def listed(names: Sequence[str]) -> str:
    """Return the first few names, and how many more there are."""
    more = len(names) - _MOST
    return ", ".join([*names[:_MOST], *([f"and {more} more"] if more > 0 else [])])
