"""`--mobile-replies`: play episodes again with the recorded replies of the models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.episode import runs
from pytest_mobileagent.episode.exchanges import STREAM
from pytest_mobileagent.llm.known_replies import has_replies
from pytest_mobileagent.plugin.reuse.earlier import CasePlan
from pytest_mobileagent.plugin.reuse.recorded_earlier import TESTS, RecordedRun, upper_end

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path
    from typing import Any

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.report.entry import Entry

_AGENT = ("agent", "mobile-agent-option", "mobile-model")
_PLAYED = {"passed", "failed", "review", "xfailed", "xpassed"}


class Replaying(RecordedRun):
    """A run on fresh phones whose agents get the models' replies from an earlier run.

    Episodes without recorded replies are not played.

    Raises:
        pytest.UsageError: if there is no such run, or it has not ended.
    """

    same = (*_AGENT, *TESTS)
    gives_replies = True
    needs_end = True

    @property
    def header(self) -> str:
        """The line about the earlier run in pytest's header."""
        return f"plays {len(self.to_score)} episodes of {self.path} again, from recorded replies"

    def adapted(self, flag: str, text: Any) -> Any:
        """Return the upper end of a range of epochs, of which a gate may have needed fewer."""
        return upper_end(flag, text)

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
