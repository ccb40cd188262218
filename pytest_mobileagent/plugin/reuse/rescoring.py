"""`--mobile-rescore`: score the episodes of an earlier run again, without a device."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode import runs
from pytest_mobileagent.jsonable import mapping, printable
from pytest_mobileagent.plugin.items import case_of
from pytest_mobileagent.plugin.reuse.earlier import CHECK
from pytest_mobileagent.plugin.reuse.recorded_earlier import TESTS, RecordedEarlierRun
from pytest_mobileagent.report.text.lists import changes

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import pytest

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.plugin.sources import OptionValue
    from pytest_mobileagent.report.entry import Entry


_MOST = 3  # node ids that are listed
_NOT_COMPLETE = {None, "interrupted", "budget"}  # terminations
_OF_EPISODES = ("agent", "models", "price_table", "device", "virtual", "recorded_pages")
_MADE_ANEW = {"tasks", "checks", "plugin"}  # fingerprints


class Rescoring(RecordedEarlierRun):
    """A run that scores the episodes of an earlier run again; its results go to a new folder.

    Raises:
        pytest.UsageError: if there is no such run, or it has not ended.
    """

    same = ("agent", *TESTS)
    makes_episodes = False
    runs_agents = False
    needs_end = True
    _needed: int | None = None  # epochs that were always run; a gate decided about the others

    @property
    def header(self) -> str:
        """The line about the earlier run in pytest's header."""
        return f"no device and no agent: scores {len(self.to_score)} episodes of {self.path} again"

    def take_options(self, settings: dict[str, OptionValue]) -> None:
        """Replace the values of options, including the agent, by those of the earlier run.

        Raises:
            pytest.UsageError: if the command line gives a different value.
        """
        super().take_options(settings)
        if settings["agent"].value is None:  # version 1 recorded no options
            name = str(self.about.get("agent") or "unknown")
            flag = self.setting.option.flag
            settings["agent"] = replace(settings["agent"], value=name, text=name, source=flag)

    def adapted(self, flag: str, text: Any) -> Any:
        """Return the upper end of a range of epochs, of which a gate may have needed fewer."""
        if flag != "--mobile-epochs" or not text:
            return text
        least, dots, most = str(text).rpartition("..")
        if dots and least.strip().isdecimal():
            self._needed = int(least)
        return most

    def deselect(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Deselect the tests that the gate did not need in the earlier run."""
        unneeded = [item for item in items if self._is_unneeded(case_of(item))]
        if unneeded:
            items[:] = [item for item in items if not self._is_unneeded(case_of(item))]
            config.hook.pytest_deselected(items=unneeded)

    def _is_unneeded(self, case: Case | None) -> bool:
        if case is None or self._needed is None or case.epoch < self._needed:
            return False
        return case.key not in self.to_score and case.key not in self.reused

    def sort(self, tasks: Mapping[str, Entry]) -> None:
        """Score complete episodes that were not decided by a person; reuse all other results."""
        for key, task in tasks.items():
            if task.episode and task.termination not in _NOT_COMPLETE and task.as_run is None:
                self.to_score[key] = task.episode
            elif task.outcome != "not run":
                self.reused[key] = task

    def describe(self, parts: Mapping[str, str | None]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the metadata of how the episodes were made, and all fingerprints, for run.json.

        `parts` are the fingerprints of what scores the episodes; all others are taken from the
        earlier run.
        """
        made = {name: self.about.get(name) for name in _OF_EPISODES}
        made["rescored_from"] = self.about.get("id") or self.path.name
        before = mapping(self.about.get("fingerprints"))
        return made, {n: p if n in _MADE_ANEW else before.get(n) for n, p in parts.items()}

    def digests(self, parts: Mapping[str, Any]) -> Mapping[str, Any]:
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
