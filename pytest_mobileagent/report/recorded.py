"""A run read back, from its report or, where it was cut off, from what its cases left on disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode import runs
from pytest_mobileagent.episode.index import entries
from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.episode.record import EpisodeRecord
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.report.reading import REPORT, read_report
from pytest_mobileagent.report.redecide import redecide
from pytest_mobileagent.report.result import Result
from pytest_mobileagent.verdict.standing import standing
from pytest_mobileagent.verdict.store import verdicts

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.episode.index import Entry
    from pytest_mobileagent.task.case import Case

_FAULTS = {"failed": "agent", "error": "task"}
_CUT_OFF = "the run was cut off"


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A run as its folder tells it.

    - `about`: what run.json says of it, and report.json where it ended: "id", "agent",
      "fingerprints" and the like.
    - `tasks`: the entries of report.json, one for each case, by the verdicts that stand: those of
      people come before what the run itself said.
    - `has_ended`: whether it wrote a report; one that was killed has none, or goes on still.
    """

    folder: Path
    about: Mapping[str, Any]
    tasks: Sequence[Mapping[str, Any]]
    has_ended: bool


def recorded_run(run: Path) -> RecordedRun:
    """Read the run in a folder.

    Raises:
        OSError: its report cannot be read.
        RecordError: its report or its run.json is damaged, or of a newer version.
    """
    has_ended = (run / REPORT).is_file()
    if has_ended:
        report = read_report(run / REPORT)
        about, tasks = report["run"], report["tasks"]
    else:
        runs.cases(run)  # one that is damaged is an error here
        about = runs.about(run)
        tasks = [result.to_wire() for result in missing_results(run, (), _CUT_OFF)]
    return RecordedRun(run, about, [_by_people(run, task) for task in tasks], has_ended)


def _by_people(run: Path, task: Mapping[str, Any]) -> dict[str, Any]:
    folder = task.get("episode")
    return redecide(task, standing(verdicts(run / folder)) if folder else None)


def lost_result(run: Path, nodeid: str) -> Result | None:
    """Return the result of the case with a node id whose worker died over it.

    None if the run was to run no such case.
    """
    case = next((case for case in _cases(run) if case.nodeid == nodeid), None)
    return None if case is None else _interrupted(run, case, "")


def missing_results(run: Path, known: Collection[str], why: str) -> list[Result]:
    """Return the results of the cases of a run whose node ids are not `known`.

    Finished attempts have left an entry in the run's index, and a verdict. Others were interrupted,
    or did not begin, because the run ended: `why`.
    """
    finished = {str(entry.case): entry for entry in entries(run)}
    return [
        _finished(run, case, finished.get(case.key))
        or _interrupted(run, case, why)
        or Result(case, "not run", fault=_whose(why), reason=why)
        for case in _cases(run)
        if case.nodeid not in known
    ]


def _finished(run: Path, case: Case, entry: Entry | None) -> Result | None:
    """Return the result of a finished attempt; None if there is none that can be read."""
    if entry is None:
        return None
    path = run / str(entry.folder)
    try:
        episode = read(path, EpisodeRecord)
    except (RecordError, ValueError):  # ValueError: a name that is no path
        return None
    verdict = next(reversed(verdicts(path)), None)
    return Result(
        case,
        outcome=entry.outcome,
        fault=_FAULTS.get(entry.outcome),
        reason=verdict.reason if verdict is not None else "",
        episode=episode,
        folder=entry.folder,
        verdict=verdict,
    )


def _interrupted(run: Path, case: Case, why: str) -> Result | None:
    """Return the result of a case that began and has not finished.

    Without `why` its worker died, if need be before there was a record.
    """
    attempts = runs.attempts(run, case)
    for attempt in reversed(attempts):
        try:
            episode = read(attempt, EpisodeRecord)
        except RecordError:  # it ended before the first screen
            continue
        relative = attempt.relative_to(run).as_posix()
        reason = why and f"interrupted: {why}"
        return Result(case, fault="infrastructure", reason=reason, episode=episode, folder=relative)
    if why and not attempts:
        return None
    return Result(case, fault="infrastructure", reason=why and f"interrupted: {why}")


def _whose(why: str) -> str:
    return "budget" if why.startswith("budget: ") else "infrastructure"


def _cases(run: Path) -> list[Case]:
    try:
        return runs.cases(run)
    except RecordError:  # somebody has changed run.json
        return []
