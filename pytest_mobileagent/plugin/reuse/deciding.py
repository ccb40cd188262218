"""Which results of an earlier run are still the same, which are scored again, and which are not."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.report.redecide import AS_RUN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Entry = Mapping[str, Any]

CHECK = "check"  # of all digests the one of what needs no agent
REUSE, SCORE, RUN = "reused", "scored again", "run"
# Fingerprints of a run that all its episodes depend on; others are those of its tasks.
SHARED = ("agent", "models", "prompts", "device", "apps", "plugin")
_FINAL = {"passed", "failed", "review"}
_CHECKS = "checks"  # the fingerprint of all of them


@dataclass(frozen=True, slots=True)
class Decision:
    """What is done about a task, and why where that costs something."""

    what: str
    why: str = ""


def decide(
    old: Mapping[str, Any], new: Mapping[str, Any], tasks: Mapping[str, Entry]
) -> dict[str, Decision]:
    """Return what is done about each task of a new run, by the keys of their cases.

    `old` and `new` are the contents of both runs' run.json, `tasks` the old run's results.
    """
    before, now = (_mapping(each.get("digests")) for each in (old, new))
    shared = changed_for_all(_mapping(old.get("run")), _mapping(new.get("run")))
    return {
        key: _decide(tasks.get(key), _mapping(before.get(key)), parts, shared)
        for key, parts in now.items()
    }


def changed_for_all(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return what has changed that all episodes depend on, or did while the old run went on."""
    before, now = (_mapping(each.get("fingerprints")) for each in (old, new))
    differ = [name for name in SHARED if before.get(name) != now.get(name)]
    resumed = old.get("resumed")
    for again in resumed if isinstance(resumed, list) else ():
        differ += _mapping(again).get("differs_in") or ()
    return [str(name) for name in dict.fromkeys(differ)]


def _decide(
    task: Entry | None, old: Mapping[str, Any], new: Mapping[str, Any], shared: list[str]
) -> Decision:
    if why := _why_run(task, old, new, [name for name in shared if name != _CHECKS]):
        return Decision(RUN, why)
    is_same = old.get(CHECK) == new.get(CHECK) and _CHECKS not in shared
    is_same = is_same or (task is not None and AS_RUN in task)  # people outrank checks
    return Decision(REUSE) if is_same else Decision(SCORE, "check changed")


def _why_run(
    task: Entry | None, old: Mapping[str, Any], new: Mapping[str, Any], shared: list[str]
) -> str:
    """Return why a task has to be run; empty if it has not."""
    if task is None:
        return "new"
    if not old:
        return "no digest kept"
    changed = [name for name, part in new.items() if old.get(name) != part and name != CHECK]
    if shared or changed:
        return f"{[*shared, *changed][0]} changed"
    if task["outcome"] not in _FINAL:
        return f"{task['outcome']} before"
    return "" if task["episode"] else "without an episode"


def told(decisions: Iterable[Decision]) -> str:
    """Return in words what was decided: `80 reused, 5 scored again (check changed), 23 run (…)`."""
    each = Counter(decisions)
    parts = []
    for what in (REUSE, SCORE, RUN):
        of_it = {decision.why: n for decision, n in each.most_common() if decision.what == what}
        count = sum(of_it.values())
        if not count and what != REUSE:
            continue
        alone = len(of_it) == 1
        reasons = [why if alone else f"{n} {why}" for why, n in of_it.items() if why]
        parts.append(f"{count} {what}" + (f" ({', '.join(reasons)})" if reasons else ""))
    total = each.total()
    return f"{total} task{'s' * (total != 1)}: {', '.join(parts)}"


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
