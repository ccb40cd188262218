"""Recorded runs: reading them from report.json, or from their cases if they were interrupted.

Also writes the content of report.json, and finds the newest of several runs.
"""

from __future__ import annotations

import gc
import re
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from pytest_mobileagent.dataset.export import Source
from pytest_mobileagent.episode import EpisodeRecord, runs
from pytest_mobileagent.episode.reader import read, records_of
from pytest_mobileagent.episode.runs import HEAD, RUN, died, entries, noted
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.fileio import parse_json, read_text
from pytest_mobileagent.jsonable import check, expect
from pytest_mobileagent.report.bundle import is_bundle, run_of
from pytest_mobileagent.report.entry import DECIDED, KINDS, SCHEMA_VERSION, Entry, Report
from pytest_mobileagent.report.human_verdicts import apply_verdict
from pytest_mobileagent.report.metrics import summarise
from pytest_mobileagent.report.metrics.doubtful import marked, policy
from pytest_mobileagent.report.result import Result
from pytest_mobileagent.verdict import PERSON, counting, effective, verdicts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.episode.runs import IndexLine


def document(run: Mapping[str, Any], results: Mapping[str, Entry]) -> Report:
    """Return the report of a `run` (as in run.json), with its tasks' entries by their node ids."""
    tasks = marked([results[nodeid] for nodeid in sorted(results)], policy(run))
    return {
        "schema_version": SCHEMA_VERSION,
        "run": dict(run),
        "summary": summarise(tasks),
        "tasks": tasks,
    }


REPORT = "report.json"


def read_report(path: Path) -> Report:
    """Return a report.json in the current form; fields of newer minor versions are kept.

    Raises:
        OSError: if the file is missing or cannot be read.
        RecordError: if it is damaged, or of a newer major version.
    """
    text = read_text(path, "replace")
    try:
        whole = expect(parse_json(text), dict, "report")
        version = expect(whole["schema_version"], float, "schema_version")
        check(whole["run"], HEAD, "run")
        expect(whole["summary"], dict, "summary")
        check(whole["tasks"], [KINDS], "tasks")
        tasks = [Entry.from_json(task, version) for task in whole["tasks"]]
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise RecordError(f"{path} is damaged: {type(error).__name__}: {error}") from error
    if not 1 <= version < SCHEMA_VERSION + 1:
        msg = (
            f"{path} has schema version {version}; this version of pytest-mobileagent reads "
            f"versions up to {SCHEMA_VERSION}: install a newer one"
        )
        raise RecordError(msg)
    version = max(version, SCHEMA_VERSION)
    return cast("Report", {**whole, "schema_version": version, "tasks": tasks})


def find_run(path: Path) -> Path:
    """Return the run that a path names: the folder of a run, a folder of runs, or a bundle.

    In a folder of runs, it is the one started last. A bundle is unpacked into a private folder.

    Raises:
        RecordError: if there is no run.
        OSError: if a bundle cannot be read.
    """
    if is_bundle(path):
        return run_of(path)
    found = path if is_run(path) else newest_run(path)
    if found is None:
        what = "holds no run" if path.is_dir() else "is not a folder"
        msg = f"{path} {what}: name a run's folder, which holds run.json, or a folder of runs, "
        msg += "or a bundle (NAME.mobilerun.zip)"
        raise RecordError(msg)
    return found.resolve()


def newest_run(runs: Path) -> Path | None:
    """Return the run in a folder that was started last; None if there is no run."""
    try:
        return max((path for path in runs.iterdir() if is_run(path)), key=_begun, default=None)
    except OSError:
        return None


def is_run(folder: Path) -> bool:
    """Return whether a folder is that of a run, finished or not."""
    return any((folder / name).is_file() for name in (RUN, REPORT))


def has_run(path: Path) -> bool:
    """Return whether a path names a run: the folder of a run, a folder of runs, or a bundle."""
    return is_bundle(path) or is_run(path) or newest_run(path) is not None


# The times at which a run was started, resumed or merged, in the head of its run.json.
_TIMES = re.compile(r'"(?:started|when|merged)": ?"([^"\\]+)"')
_HEAD_CHARACTERS = 65_536


def _begun(folder: Path) -> tuple[float, float, str]:
    """Return when a run was last started, resumed or merged, with the file's time to break ties.

    The time of the file itself changes when a folder of runs is copied or unpacked.
    """
    first = folder / RUN
    path = first if first.is_file() else folder / REPORT
    written = path.stat().st_mtime
    with path.open(encoding="utf-8", errors="replace") as file:
        head = file.read(_HEAD_CHARACTERS).partition('"tasks": [')[0]
    try:
        times = [datetime.fromisoformat(text).timestamp() for text in _TIMES.findall(head)]
    except (ValueError, OverflowError):
        times = []
    return max(times, default=written), written, folder.name


_FAULTS = {"failed": "agent", "error": "task"}
_SCORED_AGAIN = {"judge", "task"}
INTERRUPTED = "the run was interrupted"  # by a person, for example with Ctrl-C


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A run, read from its folder.

    - `about`: its description, such as "agent", from report.json if it has ended, else run.json.
    - `tasks`: an entry for each case, in which people's verdicts override those of the run.
    - `has_ended`: whether it wrote a report. A run that was killed or is still running has not.
    - `report`: the content of that report, as the run wrote it.
    """

    folder: Path
    about: Mapping[str, Any]
    tasks: Sequence[Entry]
    has_ended: bool
    report: Report | None = None

    def current_report(self) -> Report:
        """Return its report, updated for the effective verdicts.

        For a run that has not written a report, it is created from the run's cases.
        """
        tasks = list(self.tasks)
        if self.report is None:
            return document(self.about, {task.nodeid: task for task in tasks})
        summary = {**self.report["summary"], **summarise(tasks)}
        return {**self.report, "summary": summary, "tasks": tasks}


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Disable garbage collection, which would take 1/6 of the time to find nothing."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@_without_collecting()
def recorded_run(run: Path) -> RecordedRun:
    """Read the run in a folder.

    Raises:
        OSError: if its report cannot be read.
        RecordError: if its report or its run.json is damaged, or of a newer version.
    """
    report = read_report(run / REPORT) if (run / REPORT).is_file() else None
    about = runs.about(run)
    has_ended = report is not None and _times(report["run"]) >= _times(about)
    if report is not None and has_ended:
        about, tasks = report["run"], report["tasks"]
    else:
        tasks = _cut_off_tasks(run, [] if report is None else report["tasks"])
        tasks = marked([with_attempts(run, task) for task in tasks], policy(about))
    folders = [runs.inside(run, task.episode) for task in tasks]
    by_people = [
        apply_verdict(task, None if folder is None else effective(verdicts(folder)))
        for task, folder in zip(tasks, folders, strict=True)
    ]
    return RecordedRun(run, about, by_people, has_ended, report if has_ended else None)


def report_of(run: Path) -> Report:
    """Return the report of the run in a folder, updated for the effective verdicts.

    Raises:
        OSError, RecordError: see `recorded_run`.
    """
    return recorded_run(run).current_report()


def finished_episodes(path: Path) -> Iterator[Source]:
    """Yield the finished episodes of a run (see `find_run`), for an export.

    Raises:
        OSError, RecordError: if the run cannot be read.
    """
    run = recorded_run(find_run(path))
    for task, folder in finished_tasks(run):
        origin = {
            "task": task.key,
            "run": run.about.get("id"),
            "environment": task.environment,
            "epoch": task.epoch,
            "scorer": None if task.verdict is None else task.verdict["scorer"],
        }
        yield Source(folder, task.success, origin)


def finished_tasks(run: RecordedRun) -> Iterator[tuple[Entry, Path]]:
    """Yield the entries of a run's finished episodes, and the folders of these."""
    for task in run.tasks:
        folder = runs.inside(run.folder, task.episode)
        if folder is not None and task.outcome in {"passed", "failed", "review"}:
            yield task, folder


def app_versions(path: Path) -> dict[str, set[str]]:
    """Return the version codes of the tasks' apps in a run (see `find_run`), by package.

    Raises:
        OSError, RecordError: if the run, or one of its episodes, cannot be read.
    """
    found: dict[str, set[str]] = {}
    for source in finished_episodes(path):
        for package, version in records_of(source.folder)[0].get("apps", {}).items():
            if version:
                found.setdefault(package, set()).add(version)
    return found


def is_final(task: Entry) -> bool:
    """Return whether a task is finished, so that a resumed run does not run it again.

    If a judge or the task's check broke, it is enough to score the episode again.
    """
    if task.outcome == "error":
        return task.success is not None or task.fault in _SCORED_AGAIN
    return bool(task.outcome != "not run")


def with_attempts(run: Path, task: Entry, before: Sequence[Mapping[str, Any]] = ()) -> Entry:
    """Return an entry with all attempts at its case that are recorded in a run's folder.

    Attempts of an earlier run, from which the entry was reused, are given as `before` or are in the
    entry. They may be recorded in the folder as well, and are then not added twice.
    """
    known = list(before) or task.attempts
    seen = {(each["worker"], each["started"]) for each in known}
    own = noted(run, task.key)
    new = [a | {"run": run.name} for a in own if (a["worker"], a["started"]) not in seen]
    return replace(task, attempts=[*known, *new])


def note_death(run: Path, task: Entry) -> None:
    """Record that the worker died during the last attempt at the entry's case."""
    died(run, task.key)


def _times(about: Mapping[str, Any]) -> int:
    """Return how many times a run was resumed."""
    resumed = about.get("resumed")
    return len(resumed) if isinstance(resumed, list) else 0


def _cut_off_tasks(run: Path, before: Sequence[Entry]) -> list[Entry]:
    """Return the entries of an interrupted run; `before` are the entries of its last report.

    Entries of cases that have not been tried again since are unchanged.
    """
    tried = {case.nodeid: len(runs.attempts(run, case.key)) for case in runs.cases(run)}
    known = [
        task
        for task in before
        if is_final(task)
        or (task.attempt is not None and tried.get(task.nodeid, 0) <= task.attempt + 1)
    ]
    missing = missing_results(run, {task.nodeid for task in known}, "the run was cut off")
    return [*known, *(result.entry() for result in missing)]


def lost_result(run: Path, nodeid: str) -> Result | None:
    """Return the result of a case whose worker died, by its node id; None for an unknown case."""
    case = next((case for case in _cases(run) if case.nodeid == nodeid), None)
    return None if case is None else _interrupted(run, case, "")


def missing_results(run: Path, known: Collection[str], why: str) -> list[Result]:
    """Return the results of the cases of a run whose node ids are not `known`.

    Cases without an index entry and a verdict did not end, or begin; `why` says why the run ended.
    """
    finished = {str(entry.case): entry for entry in entries(run)}
    fault = "budget" if why.startswith("budget: ") else "infrastructure"
    return [
        _finished(run, case, finished.get(case.key))
        or _interrupted(run, case, why)
        or Result(case, "not run", fault=fault, reason=why)
        for case in _cases(run)
        if case.nodeid not in known
    ]


def _finished(run: Path, case: Case, entry: IndexLine | None) -> Result | None:
    """Return the result of a finished attempt; None if it is missing or unreadable."""
    path = None if entry is None else runs.inside(run, entry.folder)
    if entry is None or path is None:
        return None
    try:
        episode = read(path, EpisodeRecord)
    except (RecordError, ValueError):  # ValueError: a name that is not a path
        return None
    own = [verdict for verdict in counting(verdicts(path)) if verdict.scorer != PERSON]
    verdict = own[-1] if own and entry.outcome not in {"error", "skipped"} else None
    is_decided = verdict is not None and verdict.passed is not None
    if entry.outcome in DECIDED - {"review"} and not is_decided:
        return None  # the verdict was lost, such as when the machine lost power
    matches = [each.evidence["matches"] for each in own if "matches" in each.evidence]
    return Result(
        case,
        outcome=entry.outcome,
        fault=entry.fault or _FAULTS.get(entry.outcome),
        reason=verdict.reason if verdict is not None else entry.reason,
        episode=episode,
        folder=entry.folder,
        verdict=verdict,
        compared=matches[-1] if matches and verdict is not None else None,
    )


def _interrupted(run: Path, case: Case, why: str) -> Result | None:
    """Return the result of a case that began but did not finish; None if it did not begin.

    An empty `why` means that its worker died, possibly before anything was recorded. If a person
    interrupted the run, nothing broke, and the case counts as not run.
    """
    outcome = "not run" if why == INTERRUPTED else "error"
    reason = why and f"interrupted: {why}"
    attempts = runs.attempts(run, case.key)
    for attempt in reversed(attempts):
        try:
            episode = read(attempt, EpisodeRecord)
        except RecordError:  # it ended before the first screen
            continue
        relative = attempt.relative_to(run).as_posix()
        return Result(case, outcome, "infrastructure", reason, episode=episode, folder=relative)
    if why and not attempts:
        return None
    return Result(case, outcome, "infrastructure", reason)


def _cases(run: Path) -> list[Case]:
    try:
        return runs.cases(run)
    except RecordError:  # run.json was changed by hand
        return []
