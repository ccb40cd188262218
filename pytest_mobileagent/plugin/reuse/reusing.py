"""New runs that use an earlier one: its results, its episodes, or its models' replies.

`--mobile-reuse` takes over the results that are still valid, `--mobile-rescore` scores the episodes
again, and `--mobile-replies` plays them from the recorded replies.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent._task.case import Case
from pytest_mobileagent.episode import runs
from pytest_mobileagent.episode.exchanges import STREAM
from pytest_mobileagent.fileio import read_object
from pytest_mobileagent.jsonable import mapping, printable
from pytest_mobileagent.llm.known_replies import has_replies
from pytest_mobileagent.plugin.reuse import CHECK, CasePlan
from pytest_mobileagent.plugin.reuse.recorded_earlier import TESTS, RecordedRun
from pytest_mobileagent.report.result import Result
from pytest_mobileagent.report.text.lists import changes
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


_MOST = 3  # node ids that are listed
_NOT_COMPLETE = {None, "interrupted", "budget"}  # terminations
_OF_EPISODES = (
    "agent", "models", "price_table", "device", "virtual", "recorded_pages", "published",
)  # fmt: skip
_MADE_ANEW = {"tasks", "checks", "plugin"}  # fingerprints


class Rescoring(RecordedRun):
    """A run that scores the episodes of an earlier run again; its results go to a new folder.

    Raises:
        pytest.UsageError: if there is no such run, or it has not ended.
    """

    same = ("agent", *TESTS)
    words = "no device and no agent: scores {scored} episodes of {path} again"
    is_same_run = True
    makes_episodes = False
    runs_agents = False
    needs_end = True
    ends_epochs = True

    def decide(self, run: Path | None = None) -> None:
        """Score complete episodes that were not decided by a person; reuse all other results."""
        for key, task in self.tasks.items():
            if task.episode and task.termination not in _NOT_COMPLETE and task.as_run is None:
                self.to_score[key] = task.episode
            elif task.outcome != "not run":
                self.reused[key] = task

    def plan_for(self, case: Case) -> CasePlan:
        """Return what was decided about a case; the gate did not need all epochs of some."""
        plan = super().plan_for(case)
        is_known = plan.entry is not None or plan.episode is not None
        recorded = mapping(mapping(self.about.get("options")).get("mobile-epochs"))
        least = str(recorded.get("value")).rpartition("..")[0].strip()
        is_needed = is_known or not least.isdecimal() or case.epoch < int(least)
        return replace(plan, is_needed=is_needed)

    def made(self, parts: Mapping[str, str | None]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the metadata of how the episodes were made, and all fingerprints, for run.json.

        `parts` are the fingerprints of this run; those of the episodes are the earlier run's.
        """
        made = {name: self.about.get(name) for name in _OF_EPISODES}
        made["rescored_from"] = self.about.get("id") or self.path.name
        before = mapping(self.about.get("fingerprints"))
        return made, {n: p if n in _MADE_ANEW else before.get(n) for n, p in parts.items()}

    def digests(self, parts: Mapping[str, Any]) -> dict[str, Any]:
        """Return the digests of the episodes from the earlier run, with those of current checks."""
        before = runs.digests(self.path)
        both = parts.keys() & before.keys()
        return {key: {**before[key], CHECK: parts[key][CHECK]} for key in both}

    def summary(
        self, results: Sequence[Entry], reused: Collection[str], _selected: Collection[str], /
    ) -> list[str]:
        """Return lines on changed verdicts, and on episodes that were not scored."""
        known = {*self.to_score, *self.reused}.difference(result.key for result in results)
        left = [task.nodeid for key, task in self.tasks.items() if key in known]
        scored = [result for result in results if result.key in self.to_score]
        lines = [f"{self.path.name}: {len(scored)} scored again, {len(reused)} reused"]
        if left:
            names = ", ".join(map(printable, left[:_MOST])) + ", …" * (len(left) > _MOST)
            lines.append(f"not collected, though recorded ({len(left)}): {names}")
        if not os.access(self.path / "episodes", os.W_OK):
            lines.append(f"{self.path} cannot be written to: new verdicts are in this run only")
        return [*lines, *changes(self.tasks, scored)]


_AGENT = ("agent", "mobile-agent-option", "mobile-model")
_PLAYED = {"passed", "failed", "review", "xfailed", "xpassed"}


class Replaying(RecordedRun):
    """A run on fresh phones whose agents get the models' replies from an earlier run.

    Episodes without recorded replies are not played.

    Raises:
        pytest.UsageError: if there is no such run, or it has not ended.
    """

    same = (*_AGENT, *TESTS)
    words = "plays {scored} episodes of {path} again, from recorded replies"
    gives_replies = True
    needs_end = True
    ends_epochs = True

    def decide(self, run: Path | None = None) -> None:
        """Select the episodes that were decided and have recorded replies."""
        for key, task in self.tasks.items():
            folder = runs.inside(self.path, task.episode)
            if folder is not None and task.outcome in _PLAYED and has_replies(folder / STREAM):
                self.to_score[key] = str(task.episode)

    def plan_for(self, case: Case) -> CasePlan:
        """Return whether a case is played, and with which replies."""
        episode = self.to_score.get(case.key)
        return CasePlan(is_run=episode is not None, replies=self.path / (episode or ""))

    def summary(
        self, results: Sequence[Entry], _reused: Collection[str], _selected: Collection[str], /
    ) -> list[str]:
        """Return a line with the number of verdicts that are unchanged."""
        before = {key: self.tasks[key].success for key in self.to_score}
        now = {each.key: each.success for each in results if each.key in before}
        both = [(before[key], each) for key, each in now.items() if None not in {before[key], each}]
        same = sum(earlier is later for earlier, later in both)
        return [f"{self.path.name}: {len(both)} played again, {same} with the same verdict"]
