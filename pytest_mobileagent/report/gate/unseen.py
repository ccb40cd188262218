"""Tasks that a gate should have seen and has not: those that were skipped, or left out."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.plain import printable
from pytest_mobileagent.report.comparison.pairing import tallies
from pytest_mobileagent.report.gate.finding import INCONCLUSIVE, Finding
from pytest_mobileagent.report.text.names import label, shortener

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


def unseen(
    tasks: Sequence[Task], baseline: Sequence[Task], *, alike: bool, allow_skipped: bool
) -> str | None:
    """Return what to say of tasks that the baseline has decided and this run has not tried.

    None if there are none, or all of them are. Where both runs were selected alike, tasks that are
    not in this run were taken out of the project; what was skipped was not. With `allow_skipped`
    tasks may be without their app.
    """
    before, after = tallies(baseline), tallies(tasks)
    gone = {key for key, tally in before.items() if tally.decided and key not in after}
    skipped = {(task["id"], task.get("environment")) for task in tasks} & gone
    if allow_skipped:
        gone -= {(t["id"], t.get("environment")) for t in tasks if is_without_app(t)}
    if alike:
        gone &= skipped
    if not gone or not before.keys() & after.keys():
        return None
    counts = {"skipped": len(gone & skipped), "not selected": len(gone - skipped)}
    why = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    short = shortener(key[0] for key in before)
    names = listed([label(short(key[0]), key[1]) for key in before if key in gone])
    decided = sum(tally.decided > 0 for tally in before.values())
    return (
        f"{len(gone)} of the baseline's {decided} tasks {'are' if len(gone) > 1 else 'is'} missing "
        f"({why}: {names}): run them, or take a baseline of the same selection"
    )


def selected_alike(run: Mapping[str, Any], baseline: Mapping[str, Any]) -> bool:
    """Return whether two runs were told alike which tests to run, by what run.json says of them.

    Of runs of older versions that is not known. One that was merged is like another one of as many
    parts.
    """
    first, second = (
        (about.get("selection"), about.get("shard"), len(about.get("merged_from") or ()))
        for about in (run, baseline)
    )
    return first[0] is not None and first == second


def is_without_app(task: Task) -> bool:
    """Return whether a task was skipped because an app of it is not on the device."""
    return task["outcome"] == "skipped" and task.get("skipped_for") == "app"


def listed(names: Sequence[str]) -> str:
    """Return the first few names, and how many more there are."""
    more = len(names) - _MOST
    return ", ".join([*names[:_MOST], *([f"and {more} more"] if more > 0 else [])])
