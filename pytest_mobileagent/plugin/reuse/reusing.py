"""`--mobile-reuse`: a new run takes over the results of an earlier run that are still valid."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent._task.case import Case
from pytest_mobileagent.episode import runs
from pytest_mobileagent.fileio import read_object
from pytest_mobileagent.jsonable import mapping
from pytest_mobileagent.plugin.reuse import CHECK
from pytest_mobileagent.plugin.reuse.recorded_earlier import RecordedRun
from pytest_mobileagent.report.result import Result
from pytest_mobileagent.statistics import ratio

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    import pytest

    from pytest_mobileagent.plugin.settings import OptionValue
    from pytest_mobileagent.report.entry import Entry


# Fields of an entry that describe the task, and may have changed without affecting the result.
_OF_TASK = (
    "id", "nodeid", "suite", "app", "kind", "level", "language", "tags", "parameters",
    "golden_steps",
)  # fmt: skip


class Reusing(RecordedRun):
    """A run whose results are reused, or whose episodes are scored again.

    This is decided after collection, by comparing the digests in both runs' run.json.

    Raises:
        pytest.UsageError: if there is no such run, or it cannot be read.
    """

    words = "reuses what is still valid from {path}"

    def __init__(
        self, config: pytest.Config, setting: OptionValue, given: Mapping[str, str]
    ) -> None:
        super().__init__(config, setting, given)
        self.decisions: dict[str, ReuseDecision] = {}

    @property
    def runs_agents(self) -> bool:
        """Whether any task must be run; False until this is decided, so nothing starts before."""
        return any(decision.what == RUN for decision in self.decisions.values())

    def decide(self, run: Path | None = None) -> None:
        """Decide what to reuse by the new run's run.json; until then, nothing is decided."""
        if run is None or self.decisions:
            return
        old, new = (read_object(each / runs.RUN) for each in (self.path, run))
        tasks = self.tasks
        self.decisions = decisions(old, new, tasks)
        plans = {plan["key"]: plan for plan in new.get("tasks", ())}
        what = {key: decision.what for key, decision in self.decisions.items()}
        self.reused = {k: _as_now(tasks[k], plans[k]) for k, each in what.items() if each == REUSE}
        self.to_score = {k: tasks[k].episode or "" for k, each in what.items() if each == SCORE}

    def summary(
        self, results: Sequence[Entry], _reused: Collection[str], _selected: Collection[str], /
    ) -> list[str]:
        """Return a line on how many results were reused, scored again or run, and why."""
        keys = [result.key for result in results]
        return [in_words(self.decisions[key] for key in keys if key in self.decisions)]


def _as_now(entry: Entry, plan: Mapping[str, Any]) -> Entry:
    """Return a result with the current description of its task."""
    now = Result(Case.from_json(plan)).entry()
    steps = ratio(entry.steps, now.golden_steps) if entry.success else None
    return replace(entry, **{name: getattr(now, name) for name in _OF_TASK}, step_ratio=steps)


REUSE, SCORE, RUN = "reused", "scored again", "run"
# The fingerprints of a run that all its episodes depend on; the others concern single tasks.
SHARED = ("agent", "models", "prompts", "device", "apps", "plugin")
_FINAL = {"passed", "failed", "review"}
_CHECKS = "checks"  # the combined fingerprint of all checks


@dataclass(frozen=True, slots=True)
class ReuseDecision:
    """What is done with a task, and the reason unless it is reused."""

    what: str
    why: str = ""


def decisions(
    old: Mapping[str, Any], new: Mapping[str, Any], tasks: Mapping[str, Entry]
) -> dict[str, ReuseDecision]:
    """Return what is done with each task of a new run, by the keys of their cases.

    `old` and `new` are the contents of the two runs' run.json; `tasks` are the old run's results.
    """
    before, now = (mapping(each.get("digests")) for each in (old, new))
    shared = changed_for_all(mapping(old.get("run")), mapping(new.get("run")))
    return {
        key: _decide(tasks.get(key), mapping(before.get(key)), parts, shared)
        for key, parts in now.items()
    }


def changed_for_all(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return which parts that all episodes depend on have changed since, or during, the old run."""
    before, now = (mapping(each.get("fingerprints")) for each in (old, new))
    differ = [name for name in SHARED if before.get(name) != now.get(name)]
    resumed = old.get("resumed")
    for again in resumed if isinstance(resumed, list) else ():
        differ += mapping(again).get("differs_in") or ()
    return [str(name) for name in dict.fromkeys(differ)]


def _decide(
    task: Entry | None, old: Mapping[str, Any], new: Mapping[str, Any], shared: list[str]
) -> ReuseDecision:
    if why := _why_run(task, old, new, [name for name in shared if name != _CHECKS]):
        return ReuseDecision(RUN, why)
    is_same = old.get(CHECK) == new.get(CHECK) and _CHECKS not in shared
    is_same = is_same or (task is not None and task.as_run is not None)  # decided by a person
    return ReuseDecision(REUSE) if is_same else ReuseDecision(SCORE, "check changed")


def _why_run(
    task: Entry | None, old: Mapping[str, Any], new: Mapping[str, Any], shared: list[str]
) -> str:
    """Return why a task must be run; empty if it need not be."""
    if task is None:
        return "new"
    if not old:
        return "no digest kept"
    changed = [name for name, part in new.items() if old.get(name) != part and name != CHECK]
    if shared or changed:
        return f"{[*shared, *changed][0]} changed"
    if task.outcome not in _FINAL:
        return f"{task.outcome} before"
    return "" if task.episode else "without an episode"


def in_words(decisions: Iterable[ReuseDecision]) -> str:
    """Return a string such as `80 reused, 5 scored again (check changed), 23 run (…)`."""
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
