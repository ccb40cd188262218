"""The base class of earlier runs that an option names: what is read from their folders."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode import runs
from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.fileio import read_json, write_json
from pytest_mobileagent.plugin.reuse.earlier import CasePlan, EarlierRun
from pytest_mobileagent.plugin.sources import as_usage_error, path_of, usage_error
from pytest_mobileagent.report.entry import Entry
from pytest_mobileagent.report.metrics.suspects import FAIL, policy
from pytest_mobileagent.report.recorded_run import find_run, recorded_run
from pytest_mobileagent.run.folder import is_held
from pytest_mobileagent.verdict import append as add_verdict

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import pytest

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.plugin.sources import OptionValue
    from pytest_mobileagent.verdict import Verdict


# The options that decide which tests there are, and what the agent may do in them.
TESTS = (
    "mobile-seed", "mobile-epochs", "mobile-env", "mobile-shard", "mobile-step-factor",
    "mobile-max-steps", "mobile-time-limit",
)  # fmt: skip
_DECIDED = "earlier.json"  # in the folder that the run's processes share


class RecordedEarlierRun(EarlierRun, ABC):
    """A run that was recorded.

    When the new run begins, the process that owns it decides which results are `reused` and which
    episodes are scored again (`to_score` has their folders), both by the keys of their cases, and
    sends them to the workers.

    Raises:
        pytest.UsageError: if there is no such run, or it cannot be read.
    """

    path: Path
    same: tuple[str, ...]  # options whose values are taken from the earlier run
    is_same_run = True  # whether both runs are reported as one, with one policy on suspects
    needs_end = False  # whether the earlier run must have ended

    def __init__(
        self, config: pytest.Config, setting: OptionValue, given: Mapping[str, str]
    ) -> None:
        super().__init__()
        self.setting = setting
        self.to_score: dict[str, str] = {}
        self.tasks: dict[str, Entry] = {}  # all recorded results, in the owner's process only
        with as_usage_error((OSError, RecordError), setting):
            found = given.get("earlier")
            self.path = Path(found) if found else find_run(path_of(config, setting))
            self.about = runs.about(self.path) or dict(recorded_run(self.path).about)
        self.source = None if self.goes_on or self.gives_replies else self.path

    @abstractmethod
    def sort(self, tasks: Mapping[str, Entry]) -> None:
        """Decide which results are reused or scored again; all are keyed by their cases."""

    def plan_for(self, case: Case) -> CasePlan:
        """Return what was decided about a case; other cases are run."""
        if (entry := self.reused.get(case.key)) is not None:
            return CasePlan(replace(entry, nodeid=case.nodeid))
        if (episode := self.to_score.get(case.key)) is not None:
            return CasePlan(episode=self.path / episode)
        return CasePlan(is_run=self.makes_episodes)

    def add_verdict(self, case: Case, folder: Path, verdict: Verdict) -> None:
        """Record a verdict beside the original episode, too, if its folder is writable.

        If it is not, the summary says so.
        """
        original = self.plan_for(case).episode
        if original is not None and original != folder:
            with suppress(HostError):
                add_verdict(original, verdict)

    def attempts(self, key: str) -> Sequence[Mapping[str, Any]]:
        """Return the attempts at a case whose result or episode is taken from the earlier run."""
        is_taken = key in self.reused or key in self.to_score
        return self.tasks[key].attempts if is_taken and key in self.tasks else ()

    def unreported(self, reported: Collection[str], selected: Collection[str]) -> list[Entry]:
        """Return the reused results that an interrupted run has not reported.

        `reported` and `selected` are node ids.
        """
        known = (task for task in self.reused.values() if task.nodeid in selected)
        return [task for task in known if task.nodeid not in reported]

    def take_options(self, settings: dict[str, OptionValue]) -> None:
        """Replace the values of options by those of the earlier run.

        Raises:
            pytest.UsageError: if the command line gives a different value.
        """
        recorded = self.about.get("options")
        for name in self.same:
            known = recorded.get(name) if isinstance(recorded, dict) else None
            if isinstance(known, dict) and "value" in known:
                settings[name] = self._taken(settings[name], known["value"])
        suspects = settings["mobile-suspects"]
        if self.is_same_run and not suspects.is_given and (how := policy(self.about)) == FAIL:
            source = self.setting.option.flag
            settings["mobile-suspects"] = replace(suspects, value=how, text=how, source=source)

    def _taken(self, given: OptionValue, text: Any) -> OptionValue:
        text = self.adapted(given.option.flag, text)
        flag, which = given.option.shown, f"{self.setting.option.flag}={self.setting.text}"
        try:
            value = None if text is None else given.option.parse(text)
        except (ValueError, TypeError, AttributeError) as error:
            msg = f": {self.path} was run with {flag}={text}, which cannot be read here: {error}"
            raise usage_error(self.setting, msg) from None
        if self.is_same(given, text, value):
            return given
        if given.is_typed:
            was = "without it" if text is None else f"with {flag}={text}"
            msg = f" and {which} do not go together: that run ({self.path.name}) was made {was}"
            raise usage_error(given, f"{msg}{self.other_way(given)}")
        return replace(given, value=value, text=text, source=self.setting.option.flag)

    def other_way(self, given: OptionValue) -> str:
        """Return how a run with another value of an option can be made, for an error, or ""."""
        return ""

    def adapted(self, flag: str, text: Any) -> Any:
        """Return the text of an option of the earlier run, adapted to this one."""
        return text

    def is_same(self, given: OptionValue, text: str | None, value: Any) -> bool:
        """Return whether an option has the value of the earlier run, displayed there as `text`."""
        return given.text == text or (text is not None and given.value == value)

    def decide(self) -> None:
        """Read the results of the earlier run, and decide about each (see `sort`).

        Raises:
            pytest.UsageError: if the run cannot be read, or is still running but must have ended.
        """
        if self.needs_end and is_held(self.path):
            raise usage_error(self.setting, f": {self.path} is still running; wait for it to end")
        with as_usage_error((OSError, RecordError), self.setting):
            tasks = recorded_run(self.path).tasks
        self.tasks = {task.key: task for task in tasks}
        self.sort(self.tasks)

    def to_worker(self, shared: Path) -> dict[str, str]:
        """Write the decisions to the folder `shared`; return what a worker needs to read them."""
        write_json(shared / _DECIDED, [self.reused, self.to_score], indent=None)
        return {"earlier": str(self.path), "decided": str(shared / _DECIDED)}

    def read_decisions(self, given: Mapping[str, str]) -> None:
        """In a worker, read what the run's owner has decided."""
        reused, self.to_score = read_json(Path(given["decided"]))
        self.reused = {key: Entry.from_json(each) for key, each in reused.items()}
