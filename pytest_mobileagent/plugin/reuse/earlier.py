"""The run that is gone on with, or scored again: what is taken from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode import runs
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.fileio import read_json, write_json
from pytest_mobileagent.plugin.items import case_of
from pytest_mobileagent.plugin.options import path_of, usage_error
from pytest_mobileagent.plugin.results import KEPT
from pytest_mobileagent.report.document import find_run
from pytest_mobileagent.report.metrics.suspects import FAIL, policy
from pytest_mobileagent.report.recorded import key_of, recorded_run

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import pytest

    from pytest_mobileagent.plugin.options import OptionValue

    Entry = Mapping[str, Any]

# What decides which tests there are, and what the agent may do in them.
TESTS = (
    "mobile-seed", "mobile-epochs", "mobile-env", "mobile-shard", "mobile-step-factor",
    "mobile-max-steps", "mobile-time-limit",
)  # fmt: skip
_DECIDED = "earlier.json"  # in the folder that a run's processes share


class Earlier(ABC):
    """A run that was recorded, as an option names it.

    The process that owns this run decides, at its beginning, which results are `kept` and which
    episodes are scored (`to_score`, their folders), both by the keys of their cases; workers are
    told.

    Raises:
        pytest.UsageError: there is no such run, or it cannot be read.
    """

    same: tuple[str, ...]  # options whose values are those of the earlier run
    is_same_run = True  # whether its results stay those of one run

    def __init__(
        self, config: pytest.Config, setting: OptionValue, given: Mapping[str, str]
    ) -> None:
        self.setting = setting
        self.kept: dict[str, Entry] = {}
        self.to_score: dict[str, str] = {}
        self.tasks: dict[str, Entry] = {}  # all that are recorded; known to the owner only
        try:
            found = given.get("earlier")
            self.path = Path(found) if found else find_run(path_of(config, setting))
            self.about = runs.about(self.path) or dict(recorded_run(self.path).about)
        except (OSError, RecordError) as error:
            raise usage_error(setting, f": {error}") from None

    @property
    @abstractmethod
    def runs_agents(self) -> bool:
        """Whether the agent may have to work."""

    @property
    @abstractmethod
    def header(self) -> str:
        """What a run says of it at its beginning."""

    @abstractmethod
    def sort(self, tasks: Mapping[str, Entry]) -> None:
        """Decide what is kept and what is scored, given all tasks by the keys of their cases."""

    @abstractmethod
    def summary(
        self, results: Sequence[Entry], kept: Collection[str], selected: Collection[str], /
    ) -> list[str]:
        """Return what a run says of it at its end.

        `kept` and `selected` are node ids, of what was reported from its record and of all tests.
        """

    def unreported(self, reported: Collection[str], selected: Collection[str]) -> list[Entry]:
        """Return the results that are known although a run that was cut off has not come to them.

        `reported` are the node ids that it has come to.
        """
        known = (task for task in self.kept.values() if task["nodeid"] in selected)
        return [task for task in known if task["nodeid"] not in reported]

    def unselected(self, selected: Collection[str]) -> list[Entry]:  # noqa: ARG002
        """Return the results of tasks that belong to the run and are not among those selected."""
        return []

    def take_options(self, settings: dict[str, OptionValue]) -> None:
        """Replace the values of options by those of the earlier run.

        Raises:
            pytest.UsageError: the command line gives another.
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
        flag, which = given.option.flag, f"{self.setting.option.flag}={self.setting.text}"
        try:
            value = None if text is None else given.option.parse(text)
        except (ValueError, TypeError, AttributeError) as error:
            msg = f": {self.path} was run with {flag}={text}, which cannot be read here: {error}"
            raise usage_error(self.setting, msg) from None
        if self.is_same(given, text, value):
            return given
        if given.source.startswith("--"):
            was = "without it" if text is None else f"with {flag}={text}"
            msg = f" and {which} do not go together: that run ({self.path.name}) was made {was}"
            raise usage_error(given, msg)
        return replace(given, value=value, text=text, source=self.setting.option.flag)

    def adapted(self, flag: str, text: Any) -> Any:  # noqa: ARG002
        """Return the value of an option of the earlier run as this one takes it."""
        return text

    def is_same(self, given: OptionValue, text: str | None, value: Any) -> bool:
        """Whether an option is given as in the earlier run; `text` is what was shown of it."""
        return given.text == text or (text is not None and given.value == value)

    def decide(self) -> None:
        """Read the earlier run, and decide by it.

        Raises:
            pytest.UsageError: it cannot be read.
        """
        try:
            tasks = recorded_run(self.path).tasks
        except (OSError, RecordError) as error:
            raise usage_error(self.setting, f": {error}") from None
        self.tasks = {key_of(task): task for task in tasks}
        self.sort(self.tasks)

    def tell(self, shared: Path) -> dict[str, str]:
        """Write what was decided for workers, and return what each is given."""
        write_json(shared / _DECIDED, [self.kept, self.to_score], indent=None)
        return {"earlier": str(self.path), "decided": str(shared / _DECIDED)}

    def listen(self, given: Mapping[str, str]) -> None:
        """Take in what the owner has decided."""
        self.kept, self.to_score = read_json(Path(given["decided"]))

    def keep(self, config: pytest.Config, items: Iterable[pytest.Item]) -> None:
        """Let those of the collected tests be reported, and not run, whose results are kept."""
        cases = ((item.nodeid, case_of(item)) for item in items)
        config.stash[KEPT] = {
            nodeid: {**self.kept[case.key], "nodeid": nodeid}
            for nodeid, case in cases
            if case is not None and case.key in self.kept
        }
