"""Recorded runs: what is read from their folders, and how a recorded result is reported again."""

from __future__ import annotations

import secrets
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.check.episode import load
from pytest_mobileagent.episode import runs
from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.fileio import read_json, write_json
from pytest_mobileagent.jsonable import mapping, printable, to_wire
from pytest_mobileagent.plugin.bodies import STRICT, is_pure
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.items import case_of
from pytest_mobileagent.plugin.options import RECORDED
from pytest_mobileagent.plugin.outputs.display import properties, show_failure
from pytest_mobileagent.plugin.pytest_private import torn_down
from pytest_mobileagent.plugin.reuse import EarlierRun
from pytest_mobileagent.plugin.settings import as_usage_error, path_of, usage_error
from pytest_mobileagent.plugin.state import IS_REUSED, RESULT
from pytest_mobileagent.report.bundle import is_bundle
from pytest_mobileagent.report.entry import Entry
from pytest_mobileagent.report.metrics.doubtful import FAIL, policy
from pytest_mobileagent.report.recorded_run import find_run, recorded_run
from pytest_mobileagent.run.folder import is_held
from pytest_mobileagent.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.plugin.config import RunConfig
    from pytest_mobileagent.plugin.settings import OptionValue


# The options that decide which tests there are, and what the agent may do in them.
TESTS = (
    "mobile-seed", "mobile-epochs", "mobile-env", "mobile-shard", "mobile-step-factor",
    "mobile-max-steps", "mobile-time-limit",
)  # fmt: skip
_OF_JUDGES = (
    "llm-judge", "mobile-judges", "mobile-judge-all", "mobile-judge-runs", "mobile-retries",
)  # fmt: skip
_RESULTS = "earlier.json"  # in the folder that the run's processes share


class RecordedRun(EarlierRun):
    """A run that was recorded, and how a new one goes on from it.

    - `same`: the options whose values are taken from it.
    - `words`: the line about it in pytest's header: {path}, and the numbers of its results that are
      {reused}, {scored} again, and {all}.
    - `is_same_run`: whether both runs are reported as one, with one policy on suspects.
    - `needs_end`: whether it must have ended.
    - `ends_epochs`: whether all its epochs are known, so of a range, the upper end is taken.

    All its results are known to the process that owns the new run and to its workers. Each process
    decides which of them are reused and which episodes are scored again (`decide`).

    Raises:
        pytest.UsageError: if there is no such run, or it cannot be read.
    """

    path: Path
    same: tuple[str, ...] = ()
    words: str
    is_same_run = False
    needs_end = False
    ends_epochs = False

    def __init__(
        self, config: pytest.Config, setting: OptionValue, given: Mapping[str, str]
    ) -> None:
        super().__init__()
        self.setting = setting
        self.when = given.get("when") or datetime.now(UTC).isoformat(timespec="milliseconds")
        self.session = given.get("session") or f"{secrets.token_hex(4)}-"
        with as_usage_error((OSError, RecordError), setting):
            found = given.get("earlier")
            if self.goes_on and is_bundle(path_of(config, setting)):
                raise RecordError("a bundle cannot be gone on with: name the run's own folder")
            self.path = Path(found) if found else find_run(path_of(config, setting))
            self.about = runs.about(self.path) or dict(recorded_run(self.path).about)

    @property
    def header(self) -> str:
        """The line about the earlier run in pytest's header."""
        numbers = {"reused": len(self.reused), "scored": len(self.to_score), "all": len(self.tasks)}
        return self.words.format(path=self.path, **numbers)

    def read(self, given: Mapping[str, str]) -> None:
        """Read the results of the earlier run; in a worker, those that the owner has sent.

        Raises:
            pytest.UsageError: if they cannot be read, or the run must have ended, but has not.
        """
        if "decided" in given:
            sent = read_json(Path(given["decided"]))
            self.tasks = {key: Entry.from_json(task) for key, task in sent.items()}
            return
        if self.needs_end and is_held(self.path):
            raise usage_error(self.setting, f": {self.path} is still running; wait for it to end")
        with as_usage_error((OSError, RecordError), self.setting):
            self.tasks = {task.key: task for task in recorded_run(self.path).tasks}

    def to_worker(self, shared: Path) -> dict[str, str]:
        """Write the results to the folder `shared`; return what a worker needs to read them."""
        decided = shared / _RESULTS
        write_json(decided, {key: to_wire(task) for key, task in self.tasks.items()}, indent=None)
        return {"earlier": str(self.path), "decided": str(decided), "when": self.when}

    def agreed(self, settings: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
        """Return the options of this run, some of which are those of the earlier run.

        Raises:
            pytest.UsageError: if the command line gives a different value.
        """
        recorded, agreed = mapping(self.about.get("options")), dict(settings)
        replayed = settings["mobile-cache"].value == RECORDED  # so the judges are the same, too
        for name in (*self.same, *(_OF_JUDGES if replayed else ())):
            known = recorded.get(name)
            if isinstance(known, dict) and "value" in known:
                agreed[name] = self._taken(agreed[name], known["value"])
        suspects, source = agreed["mobile-suspects"], self.setting.option.flag
        if self.is_same_run and not suspects.is_given and (how := policy(self.about)) == FAIL:
            agreed["mobile-suspects"] = replace(suspects, value=how, text=how, source=source)
        if agreed["agent"].value is None and not self.makes_episodes:  # of version 1
            name = str(self.about.get("agent") or "unknown")
            agreed["agent"] = replace(agreed["agent"], value=name, text=name, source=source)
        return agreed

    def _taken(self, given: OptionValue, text: Any) -> OptionValue:
        is_range = self.ends_epochs and given.option.flag == "--mobile-epochs" and text
        text = str(text).rpartition("..")[2] if is_range else text
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
            if self.goes_on and flag == "--mobile-epochs":
                way = f"--mobile-reuse={self.setting.text} {flag}={given.text}"
                msg += f". For other epochs, make a new run that takes over its results: {way}"
            raise usage_error(given, msg)
        return replace(given, value=value, text=text, source=self.setting.option.flag)

    def is_same(self, given: OptionValue, text: str | None, value: Any) -> bool:
        """Return whether an option has the value of the earlier run, displayed there as `text`."""
        return given.text == text or (text is not None and given.value == value)


# How the call of a test is reported; a test with any other outcome was not called.
_AS_CALLED = {
    "passed": "passed", "xpassed": "passed", "failed": "failed", "review": "skipped",
    "xfailed": "skipped",
}  # fmt: skip


def report_reused(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Report a test from its record instead of running it; return whether it has a record.

    No fixtures are set up, and no device is leased.
    """
    case, run = case_of(item), item.config.stash[RUN]
    entry = None if case is None else run.earlier.plan_for(case).entry
    if case is None or entry is None:
        return False
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in _reports(item, nextitem, _with_episode(run, case, entry)):
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _with_episode(run: RunConfig, case: Case, entry: Entry) -> Entry:
    """Copy the episode of a result into this run's folder, and return the updated entry."""
    episode = entry.episode
    if run.earlier.source is None or not episode:
        return entry
    try:
        folder = run.earlier.take_over(episode, run.folder, run.relay)
        if folder is None:
            return replace(entry, episode=None)
        name = run.folder.relative(folder)
        line = runs.IndexLine(case.key, entry.attempt or 0, name, entry.outcome)
        runs.append(run.folder.path, line)
    except HostError as error:
        broken = replace(entry, outcome="error", success=None, verdict=None, episode=None)
        return replace(broken, fault="infrastructure", reason=f"infrastructure: {error}")
    return replace(entry, episode=name)


def _reports(
    item: pytest.Item, nextitem: pytest.Item | None, entry: Entry
) -> Iterator[pytest.TestReport]:
    item.user_properties.extend(properties(entry))
    called = _AS_CALLED.get(entry.outcome)
    if called is not None:
        yield _report(item, "setup", "passed")
    at_setup = "failed" if entry.outcome == "error" else "skipped"
    decides = _report(item, "setup" if called is None else "call", called or at_setup)
    decides.duration = entry.seconds or 0.0
    decides.longrepr = _longrepr(item, decides, entry)
    if entry.outcome in {"xfailed", "xpassed"}:
        decides.wasxfail = _expected_to_fail(item) or entry.reason
    setattr(decides, RESULT, to_wire(entry))
    yield decides
    report = torn_down(item, nextitem)
    setattr(report, IS_REUSED, True)
    yield report


def _report(item: pytest.Item, when: Any, outcome: Any) -> pytest.TestReport:
    report = pytest.TestReport(
        nodeid=item.nodeid,
        location=item.location,
        keywords=dict.fromkeys(item.keywords, 1),
        outcome=outcome,
        longrepr=None,
        when=when,
        user_properties=item.user_properties,
    )
    setattr(report, IS_REUSED, True)
    return report


def _longrepr(item: pytest.Item, report: pytest.TestReport, entry: Entry) -> Any:
    """Return what pytest displays about a reused result, in the words of the earlier run."""
    reason, outcome = printable(entry.reason or ""), entry.outcome
    if report.outcome == "skipped":
        prefix = {"review": "review: ", "xfailed": ""}.get(outcome, "Skipped: ")
        return (str(item.path), (item.location[1] or 0) + 1, prefix + reason)
    if report.outcome == "passed":
        return None
    if entry.success:  # a strict xfail that passed, which counts as failed
        return f"{STRICT} {_expected_to_fail(item)}"
    if outcome == "failed" and entry.episode:
        _show_failure(item, report, entry)
    return report.longrepr or reason or "the record gives no reason"


def _expected_to_fail(item: pytest.Item) -> str:
    marker = item.get_closest_marker("xfail")
    return "" if marker is None else str(marker.kwargs.get("reason", ""))


def _show_failure(item: pytest.Item, report: pytest.TestReport, entry: Entry) -> None:
    try:
        episode = load(item.config.stash[RUN].folder.path / (entry.episode or ""))
        verdict = Verdict.from_json(entry.verdict or {})
    except (RecordError, HostError, LookupError, TypeError, ValueError):
        return  # only the reason is displayed
    pure = isinstance(item, pytest.Function) and is_pure(item)
    show_failure(item, report, episode, verdict, on_the_way=pure)
