"""Runs that use the episodes of an earlier run: scored again, or played from recorded replies."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode import runs
from pytest_mobileagent.episode.exchanges import STREAM
from pytest_mobileagent.jsonable import mapping, printable
from pytest_mobileagent.llm.known_replies import has_replies
from pytest_mobileagent.plugin.reuse import CHECK, CasePlan
from pytest_mobileagent.plugin.reuse.recorded_earlier import TESTS, RecordedRun
from pytest_mobileagent.report.text.lists import changes

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.report.entry import Entry


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

        `parts` are the fingerprints of what scores the episodes; all others are taken from the
        earlier run.
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
        reported = {result.key for result in results}
        known = {*self.to_score, *self.reused} - reported
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
        known = {key for key, each in now.items() if each is not None and before[key] is not None}
        same = sum(now[key] is before[key] for key in known)
        return [f"{self.path.name}: {len(known)} played again, {same} with the same verdict"]
