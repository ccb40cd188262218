"""The base class of earlier runs that an option names: what is read from their folders."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode import runs
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.fileio import read_json, write_json
from pytest_mobileagent.jsonable import mapping, to_wire
from pytest_mobileagent.plugin.reuse import EarlierRun
from pytest_mobileagent.plugin.settings import as_usage_error, path_of, usage_error
from pytest_mobileagent.report.bundle.reading import is_bundle
from pytest_mobileagent.report.entry import Entry
from pytest_mobileagent.report.metrics.doubtful import FAIL, policy
from pytest_mobileagent.report.recorded_run import find_run, recorded_run
from pytest_mobileagent.run.folder import is_held

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pytest

    from pytest_mobileagent.plugin.settings import OptionValue


# The options that decide which tests there are, and what the agent may do in them.
TESTS = (
    "mobile-seed", "mobile-epochs", "mobile-env", "mobile-shard", "mobile-step-factor",
    "mobile-max-steps", "mobile-time-limit",
)  # fmt: skip
_RESULTS = "earlier.json"  # in the folder that the run's processes share


class RecordedRun(EarlierRun):
    """A run that was recorded.

    All its results are known to the process that owns the new run and to its workers. Each process
    decides which of them are reused and which episodes are scored again (`decide`).

    Raises:
        pytest.UsageError: if there is no such run, or it cannot be read.
    """

    path: Path
    same: tuple[str, ...] = ()  # options whose values are taken from the earlier run
    is_same_run = False  # whether both runs are reported as one, with one policy on suspects
    needs_end = False  # whether the earlier run must have ended

    def __init__(
        self, config: pytest.Config, setting: OptionValue, given: Mapping[str, str]
    ) -> None:
        super().__init__()
        self.setting = setting
        with as_usage_error((OSError, RecordError), setting):
            found = given.get("earlier")
            if self.goes_on and is_bundle(path_of(config, setting)):
                raise RecordError("a bundle cannot be gone on with: name the run's own folder")
            self.path = Path(found) if found else find_run(path_of(config, setting))
            self.about = runs.about(self.path) or dict(recorded_run(self.path).about)
        self.source = None if self.goes_on or self.gives_replies else self.path

    def read(self, given: Mapping[str, str]) -> None:
        """Read the results of the earlier run; in a worker, those that the owner has sent.

        Raises:
            pytest.UsageError: if they cannot be read, or the run is still going on although it must
                have ended.
        """
        if "decided" in given:
            sent = read_json(Path(given["decided"]))
            self.tasks = {key: Entry.from_json(task) for key, task in sent.items()}
            return
        if self.needs_end and is_held(self.path):
            raise usage_error(self.setting, f": {self.path} is still running; wait for it to end")
        with as_usage_error((OSError, RecordError), self.setting):
            tasks = recorded_run(self.path).tasks
        self.tasks = {task.key: task for task in tasks}

    def to_worker(self, shared: Path) -> dict[str, str]:
        """Write the results to the folder `shared`; return what a worker needs to read them."""
        tasks = {key: to_wire(task) for key, task in self.tasks.items()}
        write_json(shared / _RESULTS, tasks, indent=None)
        return {"earlier": str(self.path), "decided": str(shared / _RESULTS)}

    def agreed(self, settings: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
        """Return the options of this run, some of which are those of the earlier run.

        Raises:
            pytest.UsageError: if the command line gives a different value.
        """
        recorded, agreed = mapping(self.about.get("options")), dict(settings)
        for name in self.options_taken(settings):
            known = recorded.get(name)
            if isinstance(known, dict) and "value" in known:
                agreed[name] = self._taken(agreed[name], known["value"])
        suspects = agreed["mobile-suspects"]
        if self.is_same_run and not suspects.is_given and (how := policy(self.about)) == FAIL:
            source = self.setting.option.flag
            agreed["mobile-suspects"] = replace(suspects, value=how, text=how, source=source)
        return agreed

    def options_taken(self, settings: Mapping[str, OptionValue]) -> tuple[str, ...]:
        """Return the options whose values are taken from the earlier run."""
        return self.same

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
            raise usage_error(given, f"{msg}{self.other_way(given)}")
        return replace(given, value=value, text=text, source=self.setting.option.flag)

    def adapted(self, flag: str, text: Any) -> Any:
        """Return the text of an option of the earlier run, adapted to this one."""
        return text

    def is_same(self, given: OptionValue, text: str | None, value: Any) -> bool:
        """Return whether an option has the value of the earlier run, displayed there as `text`."""
        return given.text == text or (text is not None and given.value == value)

    def other_way(self, given: OptionValue) -> str:
        """Return how a run with another value of an option can be made, for an error, or ""."""
        return ""


def upper_end(flag: str, text: Any) -> Any:
    """Return an option's text; of a range of epochs, the upper end."""
    return str(text).rpartition("..")[2] if flag == "--mobile-epochs" and text else text
