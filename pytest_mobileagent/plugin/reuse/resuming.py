"""`--mobile-resume`: continue a run where it stopped, in its own folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent._task.needs import DECLARED
from pytest_mobileagent.episode import runs
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.fileio import read_json
from pytest_mobileagent.jsonable import mapping, printable
from pytest_mobileagent.plugin.reuse.recorded_earlier import TESTS, RecordedRun
from pytest_mobileagent.plugin.settings import usage_error
from pytest_mobileagent.report.recorded_run import is_final
from pytest_mobileagent.run.folder import SCHEMA_VERSION, RunFolder

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    import pytest

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.plugin.settings import OptionValue
    from pytest_mobileagent.report.entry import Entry


_RESULTS = (
    "agent", "mobile-agent-option", "mobile-model", "mobile-device", "mobile-driver", "mobile-ocr",
    "llm-judge", "mobile-judges", "mobile-judge-all", "mobile-judge-runs",
    "mobile-official", "mobile-redact", "mobile-label",
)  # fmt: skip


class Resuming(RecordedRun):
    """A run that is resumed: final results are reused, and all other tests are run again.

    Raises:
        pytest.UsageError: if there is no such run, or it cannot be resumed.
    """

    same = (*TESTS, *_RESULTS)
    words = "resumes {path}: {reused} of {all} results are final"
    goes_on = True
    is_same_run = True

    def __init__(
        self, config: pytest.Config, setting: OptionValue, given: Mapping[str, str]
    ) -> None:
        super().__init__(config, setting, given)
        try:
            whole = read_json(self.path / runs.RUN)
            version = float(whole["schema_version"])
            if version < SCHEMA_VERSION + 1:
                runs.cases(self.path)
        except FileNotFoundError:
            what = f": {self.path} has no {runs.RUN}, which lists the tests to run"
            raise usage_error(setting, what) from None
        except RecordError as error:
            raise usage_error(setting, f": {error}") from None
        except (OSError, ValueError, LookupError, TypeError) as error:
            what = f": {self.path / runs.RUN} cannot be read: {type(error).__name__}: {error}"
            raise usage_error(setting, what) from None
        if version >= SCHEMA_VERSION + 1:
            newer = "install a newer pytest-mobileagent"
            raise usage_error(setting, f": {self.path} is of schema version {version:g}: {newer}")
        if (source := self.about.get("rescored_from")) is not None:
            what = f": {self.path} was made by --mobile-rescore, without an agent: name {source}"
            raise usage_error(setting, what)

    @property
    def folder(self) -> RunFolder:
        """The folder of the run, in which it continues."""
        name, started = (str(self.about.get(name) or "") for name in ("id", "started"))
        return RunFolder(self.path, name or self.path.name, started, self.session)

    @property
    def runs_agents(self) -> bool:
        """Whether any task of the run is left, as far as this is known before collection."""
        return not self.tasks or len(self.reused) < len(self.tasks)

    def is_same(self, given: OptionValue, text: str | None, value: Any) -> bool:
        """Return whether an option has the same value as in the earlier run.

        Devices only need to be of the same kind, as different ones may be attached now. The file
        with redaction rules may have moved; the rules themselves are compared when they are read.
        """
        if given.option.flag == "--mobile-redact" and given.is_given:
            return True
        if given.option.flag == "--mobile-device" and given.is_given:
            return str(given.text).partition(":")[0] == str(text).partition(":")[0]
        return super().is_same(given, text, value)

    def decide(self, run: Path | None = None) -> None:
        """Reuse final results, except skips for something that devices may have by now."""
        self.reused = {
            key: task
            for key, task in self.tasks.items()
            if is_final(task) and task.skipped_for not in DECLARED
        }

    def not_run(self, selected: Collection[str]) -> list[Entry]:
        """Return the reused results, and those of tasks that are not selected in this session."""
        return [*super().not_run(selected), *self._unselected(selected)]

    def _unselected(self, selected: Collection[str]) -> list[Entry]:
        return [task for task in self.tasks.values() if task.nodeid not in selected]

    def summary(
        self, results: Sequence[Entry], reused: Collection[str], selected: Collection[str], /
    ) -> list[str]:
        """Return lines on reused results, on tasks that were run, and on what has changed."""
        known = {task.nodeid for task in self.tasks.values()}
        was_reused = {task.nodeid for task in super().not_run(selected)}.union(reused)
        to_run = set(selected) - was_reused
        ran = [it.nodeid for it in results if it.outcome != "not run" and it.nodeid in to_run]
        new = sum(nodeid not in known for nodeid in ran)
        others = len(self._unselected(selected))
        parts = [f"{len(was_reused)} reused", f"{len(ran)} run" + f" ({new} new)" * bool(new)]
        parts += [f"{others} not selected this time and unchanged"] * bool(others)
        differs = [str(name) for each in self._own_entry() for name in each.get("differs_in", ())]
        changed = ", ".join(map(printable, differs))
        warning = f"reused results are from before this was changed: {changed}"
        return [", ".join(parts), *([warning] if changed and was_reused else [])]

    def _own_entry(self) -> list[Mapping[str, Any]]:
        """Return the entry of this session in run.json, in a list; empty if there is none yet."""
        resumed = runs.about(self.path).get("resumed") or ()
        return [each for each in resumed if each.get("when") == self.when]

    def begin(
        self, folder: RunFolder, about: Callable[[], Mapping[str, Any]], cases: Sequence[Case]
    ) -> None:
        """Add an entry to run.json that the run is resumed.

        Raises:
            HostError: if the file cannot be written.
        """
        with folder.alone():
            if not self._own_entry():  # another process has written it
                self._add(folder, about(), cases)

    def _add(self, folder: RunFolder, now: Mapping[str, Any], cases: Sequence[Case]) -> None:
        before = mapping(self.about.get("fingerprints"))
        selected, known = ({case.key for case in each} for each in (cases, runs.cases(self.path)))
        if selected != known:  # so these differ in any case
            before = {n: part for n, part in before.items() if n not in {"tasks", "checks"}}
        parts = now["fingerprints"].items()
        again = {
            "when": self.when,
            "command": now["command"],
            "suspects": now["suspects"],
            "differs_in": [name for name, part in parts if before.get(name, part) != part],
        }
        digests = now.get("digests") or {}
        run_again = {key: each for key, each in digests.items() if key not in self.reused}
        folder.go_on(again, cases, run_again)
