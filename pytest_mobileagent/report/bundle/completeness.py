"""Whether a bundle holds all that its runs did: every task, every attempt, each decided once."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from pytest_mobileagent.episode import runs
from pytest_mobileagent.episode.reader import head_of, records_of
from pytest_mobileagent.episode.runs import End, entries, note_of
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.jsonable import mapping, plural
from pytest_mobileagent.report.bundle.integrity import FAILED, OPEN, UNPROVEN
from pytest_mobileagent.report.names import agent_name
from pytest_mobileagent.verdict import CROSS, PERSON, SINGLE, by_people, effective, verdicts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_mobileagent.report.bundle.integrity import Found
    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.report.recorded_run import RecordedRun

_DECIDED = {"passed", "failed", "review", "xfailed", "xpassed"}
_INCOMPLETE = {None, "interrupted", "budget"}
_DECIDES = ("passed", "scorer")  # fields of a verdict
_NUMBER = re.compile(r"(.+)\.(\d{1,6})")
_MOST = 5  # tasks named in a line


def completeness(recorded: Sequence[RecordedRun], *, reruns: bool) -> Found:
    """Yield what is missing in runs, or was done more than once.

    With `reruns`, tasks may have been decided more than once.
    """
    agents = {agent_name(str(run.about.get("agent"))) for run in recorded}
    if len(agents) > 1:
        yield FAILED, f"runs of different agents: {', '.join(sorted(agents))}"
    decided = Counter(
        task.key for run in recorded for task in run.tasks if task.outcome in _DECIDED
    )
    if twice := [key for key, many in decided.items() if many > 1]:
        yield FAILED, f"decided in more than one of the runs: {_named(twice)}"
    for run in recorded:
        yield from _of_head(run, reruns=reruns)
        yield from _of_tasks(run)
        yield from _of_attempts(run, reruns=reruns)
        for task in run.tasks:
            yield from _of_verdicts(run, task, reruns=reruns)
            yield from _of_episode(run, task)


def _of_head(run: RecordedRun, *, reruns: bool) -> Found:
    about = run.about
    if merged := about.get("merged_from"):
        names = ", ".join(map(str, merged))
        yield OPEN, f"merged from {plural(len(merged), 'run')} ({names}): bundle these themselves"
    if resumed := about.get("resumed"):
        differ = {str(each) for again in resumed for each in mapping(again).get("differs_in") or ()}
        changed = f", after a change of: {', '.join(sorted(differ))}" if differ else ""
        yield OPEN if differ else UNPROVEN, f"resumed {plural(len(resumed), 'time')}{changed}"
    words = [str(word) for word in about.get("command") or ()]
    if (again := next((w for w in words if w.startswith("--reruns")), "")) and not reruns:
        yield OPEN, f"run with {again}, which repeats failures: accept it with --reruns"
    if not run.has_ended:
        yield OPEN, "the run was cut off, so it has no report of its own"


def _of_tasks(run: RecordedRun) -> Found:
    planned = {case.key for case in runs.cases(run.folder)}
    reported = Counter(task.key for task in run.tasks)
    if lost := sorted(planned - set(reported)):
        yield FAILED, f"in the plan of the run, but not in its report: {_named(lost)}"
    if planned and (more := sorted(set(reported) - planned)):
        yield FAILED, f"in the report, but not in the plan of the run: {_named(more)}"
    if twice := [key for key, many in reported.items() if many > 1]:
        yield FAILED, f"more than once in the report: {_named(twice)}"
    if never := [task.key for task in run.tasks if task.outcome == "not run"]:
        yield OPEN, f"not run: {_named(never)}"
    finished = {line.case: line.outcome for line in entries(run.folder)}
    for task in run.tasks:
        was = mapping(task.as_run).get("outcome", task.outcome)
        known = finished.get(task.key, was)
        if known != was and not task.suspect:
            yield FAILED, f"{task.key}: {was} in the report, but {known} in the index"


def _of_attempts(run: RecordedRun, *, reruns: bool) -> Found:
    numbers: dict[str, set[int]] = defaultdict(set)
    for path in (run.folder / "episodes").glob("*"):
        if path.is_dir() and (match := _NUMBER.fullmatch(path.name)):
            numbers[match[1]].add(int(match[2]))
    for stem, there in sorted(numbers.items()):
        if lost := sorted(set(range(max(there))) - there):
            yield FAILED, f"episodes/{stem}: attempts are missing: {', '.join(map(str, lost))}"
    lines = Counter(line.case for line in entries(run.folder) if line.outcome in _DECIDED)
    for task in run.tasks:
        folders = runs.attempts(run.folder, task.key)
        yield from _of_numbers(task.key, folders)
        ended = [_is_decided(folder) for folder in folders]
        if (many := max(sum(ended), lines[task.key])) > 1:
            state = UNPROVEN if reruns else FAILED
            yield state, f"{task.key}: decided {many} times, of which one is reported"
        elif any(ended[:-1]):
            yield FAILED, f"{task.key}: run again after it had been decided"
        elif any(ended) and task.outcome in {"skipped", "not run"}:
            yield FAILED, f"{task.key}: {task.outcome} in the report, but decided in its records"
        others = {str(each.get("run")) for each in task.attempts} - {str(run.about.get("id"))}
        if others and task.as_run is None and not run.about.get("merged_from"):
            yield OPEN, f"{task.key}: from another run, {', '.join(sorted(others))}"


def _of_numbers(key: str, folders: Sequence[Path]) -> Found:
    """Compare the numbers of attempts with those in their records."""
    for number, folder in enumerate(folders):
        head = head_of(folder)
        case, own = mapping(head.get("case")).get("key"), head.get("attempt", number)
        if head and case not in {None, key}:
            yield FAILED, f"episodes/{folder.name}: it is an episode of {case}"
        elif own != number:
            yield FAILED, f"episodes/{folder.name}: it was attempt {own}, so others are missing"


def _is_decided(folder: Path) -> bool:
    note = note_of(folder)
    is_played = note is None or note.end is End.PLAYED
    own = [each for each in verdicts(folder) if each.scorer != PERSON]
    return is_played and any(each.passed is not None for each in own)


def _of_verdicts(run: RecordedRun, task: Entry, *, reruns: bool) -> Found:
    folder = runs.inside(run.folder, task.episode)
    given = [] if folder is None else verdicts(folder)
    for verdict in by_people(given):
        if who := str(verdict.evidence.get("who") or "").strip():
            yield UNPROVEN, f"{task.key}: decided by a person, {who}"
        else:
            yield FAILED, f"{task.key}: decided by a person without a name"
    own = effective(given)
    if own and task.verdict and (own.passed, own.scorer) != (*map(task.verdict.get, _DECIDES),):
        yield FAILED, f"{task.key}: its verdict in the report is not that of its records"
    if (many := sum(each.scorer in {SINGLE, CROSS} for each in given)) > 1:
        state = UNPROVEN if reruns else OPEN
        yield state, f"{task.key}: judged {many} times, of which one counts: accept with --reruns"


def _of_episode(run: RecordedRun, task: Entry) -> Found:
    """Compare an entry with its episode, which is not scored again if it seems cut off."""
    folder = runs.inside(run.folder, task.episode)
    if folder is None:
        if task.success is not None:
            yield FAILED, f"{task.key}: {task.outcome}, but without an episode"
        return
    try:
        records = records_of(folder)
    except RecordError as error:
        yield OPEN, f"{task.key}: its episode cannot be read: {error}"
        return
    key = mapping(records[0].get("case")).get("key", task.key)
    if key != task.key:
        yield FAILED, f"{task.key}: the report shows the episode of {key}"
    agents = records[0].get("agent"), run.about.get("agent")
    if all(agents) and agents[0] != agents[1]:
        yield OPEN, f"{task.key}: played by {agents[0]}, in a run of {agents[1]}"
    ended = next((each.get("termination") for each in records if each["record"] == "end"), None)
    if task.termination in _INCOMPLETE and ended not in _INCOMPLETE:
        yield FAILED, f"{task.key}: {task.termination} in the report, {ended} in its episode"


def _named(keys: Sequence[str]) -> str:
    more = f" and {len(keys) - _MOST} more" if len(keys) > _MOST else ""
    return f"{plural(len(keys), 'task')}: {', '.join(keys[:_MOST])}{more}"
