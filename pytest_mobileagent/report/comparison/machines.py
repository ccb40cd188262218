"""Differences between the machines of two runs: their names, and the versions installed there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.jsonable import printable

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from pytest_mobileagent.report.comparison.pairing import Key
    from pytest_mobileagent.report.entry import Entry

    Both = Mapping[str, Sequence[str]]  # values in the "baseline" and in the "run"


def different_versions(
    before: Sequence[Entry], after: Sequence[Entry], keys: Collection[Key]
) -> dict[str, Both]:
    """Return the versions that differ between or within two runs, by the name of the package.

    A package that is not installed on a machine has the version "none" there. Episodes recorded
    without versions are ignored.
    """
    each = {"baseline": _known(before, keys), "run": _known(after, keys)}
    found: dict[str, Both] = {}
    for name in dict.fromkeys(n for known in each.values() for one in known for n in one):
        both = {
            whose: sorted({one.get(name, "none") for one in known}) for whose, known in each.items()
        }
        if len({version for those in both.values() for version in those}) > 1:
            found[name] = both
    return found


def nodes(tasks: Sequence[Entry], keys: Collection[Key]) -> list[str]:
    """Return the names of the machines on which the tasks were run, as far as recorded."""
    known = {task["node"] for task in tasks if (task["id"], task["environment"]) in keys}
    return sorted(node for node in known if node)


def _known(tasks: Sequence[Entry], keys: Collection[Key]) -> list[dict[str, str]]:
    """Return the distinct sets of versions that the episodes recorded."""
    known = {
        tuple(task["versions"].items())
        for task in tasks
        if task["versions"] and (task["id"], task["environment"]) in keys
    }
    return [dict(each) for each in sorted(known)]


def machines_remarks(comparison: Mapping[str, Any]) -> list[str]:
    """Return remarks on machines that differ; older reports contain no machines."""
    found = []
    if versions := comparison.get("versions"):
        named = [f"{name} ({_words(both)})" for name, both in versions.items()]
        found.append(
            f"warning: not the same versions on all machines: {'; '.join(map(printable, named))}; "
            "a difference may come from that"
        )
    of_each = comparison.get("nodes") or {"baseline": [], "run": []}
    if all(of_each.values()) and of_each["baseline"] != of_each["run"]:
        found.append(
            f"note: not the same machines: {printable(_words(of_each))}; seconds may differ"
        )
    return found


def _words(both: Both) -> str:
    words = {whose: ", ".join(each) or "unknown" for whose, each in both.items()}
    return f"{words['baseline']} in the baseline, {words['run']} in the run"
