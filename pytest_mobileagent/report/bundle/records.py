"""Whether the records of a run are those that it wrote, and whether all of them are there.

A chain of digests, and the names of screens, show what was changed; the plan and the numbers of
attempts show what is missing, or was done more than once.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode import runs
from pytest_mobileagent.episode.chain import CHAIN, Link, digest_of, lines_of, links, sealed_files
from pytest_mobileagent.episode.reader import head_of, records_of
from pytest_mobileagent.episode.runs import INDEX, NOTE, RUN, End, entries, inside, note_of
from pytest_mobileagent.episode.screens import FOLDER, ScreenStore
from pytest_mobileagent.episode.store import STREAM
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.fileio import parse_json, read_bytes, read_text
from pytest_mobileagent.jsonable import expect, mapping, plural
from pytest_mobileagent.report.entry import DECIDED
from pytest_mobileagent.report.names import agent_name
from pytest_mobileagent.report.recorded_run import REPORT
from pytest_mobileagent.verdict import (
    CROSS,
    PERSON,
    SINGLE,
    VERDICTS,
    by_people,
    effective,
    verdicts,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    Found = Iterator[tuple[str, str]]  # states, and what was found where
    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.report.recorded_run import RecordedRun

# What is found: it is wrong, it could not be verified, or nobody can prove it from a bundle.
FAILED, OPEN, UNPROVEN = "failed", "not verified", "unproven"
_MOST_LINES = 3  # lines of a file that are named


def integrity(run: Path, known: Collection[str], *, screens: bool) -> Found:
    """Yield what is wrong with the records of a run, or cannot be proved about them.

    `known` are digests that the run has printed; without one, the chain proves only that it fits.
    """
    try:
        chain = list(links(run))
    except OSError:
        chain = []
    if screens:
        yield from _screens(run, chain)
    else:
        yield OPEN, "the screens are left out, so nothing can be proved about them"
    if not chain:
        yield OPEN, f"there is no {CHAIN}: recorded by an older version, merged, or removed"
        return
    yield from _links(chain, known)
    yield from _whole_files(run, chain)
    yield from _chained_attempts(run, chain)


def _links(chain: Sequence[Link], known: Collection[str]) -> Found:
    for link in chain:
        if not link.fits and link.content:
            yield FAILED, f"{CHAIN}, link {link.number}: it does not follow from the one before it"
            return
    if damaged := sum(not link.content for link in chain):
        yield UNPROVEN, f"{CHAIN}: {plural(damaged, 'link')} written in part, as a kill leaves it"
    if not known:
        yield UNPROVEN, "the chain could have been computed again: give --digest, as printed"
        return
    places = [link.number for link in chain if link.digest in known]
    if not places:
        yield FAILED, f"{CHAIN}: the digest is not in it: it was computed again, or is another's"
        return
    later = Counter(
        next((name for name in link.content if name != "when"), "other")
        for link in chain
        if link.number > places[-1] and link.content
    )
    if packed := later.pop("packed", 0):
        pixels = f"the pixels of {plural(packed, 'screen')}"
        yield UNPROVEN, f"{pixels} that were packed after the digest"
    if later:
        what = ", ".join(f"{kind} ({many})" for kind, many in sorted(later.items()))
        yield OPEN, f"{CHAIN}: added after the digest was printed: {what}"


def _whole_files(run: Path, chain: Sequence[Link]) -> Found:
    for kind, name in (("plan", RUN), ("report", REPORT)):
        known = [link.content[kind] for link in chain if kind in link.content]
        try:
            own = [digest_of(read_text(run / name, "replace"))]
        except OSError:
            own = []
        if own != known[-1:]:
            what = "it was edited, or is that of another run" if own else "it was removed"
            yield FAILED, f"{name}: {what}"
    there = {path.name for path in run.iterdir() if path.is_file()}
    if pages := sorted(there - {CHAIN, RUN, REPORT, INDEX}):
        yield UNPROVEN, f"what {', '.join(pages)} show: write them again from {REPORT} (`report`)"


def _chained_attempts(run: Path, chain: Sequence[Link]) -> Found:
    """Compare the attempts with those of the chain, and the lines in each with their digests."""
    begun, sealed, verdicts, notes = (
        _by_folder(chain, kind) for kind in ("begun", "attempt", "verdict", "note")
    )
    there = {f"episodes/{path.name}" for path in (run / "episodes").glob("*") if path.is_dir()}
    for name in sorted({*begun, *sealed} - there):
        yield FAILED, f"{name}: this attempt was removed"
    for name in sorted(there):
        if name not in begun and name not in sealed:
            yield FAILED, f"{name}: this run has not recorded it: an attempt of another run?"
            continue
        yield from _records(run / name, name, sealed[name])
        if name not in begun:
            yield OPEN, f"{name}: taken over from another run, which may have chosen it"
            continue
        if name not in sealed:
            yield UNPROVEN, f"{name}: cut off before its records were sealed"
        for file, each in ((VERDICTS, verdicts[name]), (NOTE, notes[name][-1:])):
            yield from _lines(run, f"{name}/{file}", [link.content.get("line") for link in each])
    index = [link.content["index"] for link in chain if "index" in link.content]
    yield from _lines(run, INDEX, index)


def _by_folder(chain: Sequence[Link], kind: str) -> dict[str, list[Link]]:
    found: dict[str, list[Link]] = defaultdict(list)
    for link in chain:
        if kind in link.content:
            found[str(link.content[kind])].append(link)
    return found


def _records(folder: Path, name: str, seals: Sequence[Link]) -> Found:
    """Compare the lines of an attempt's records with the digests in its seals."""
    digests: dict[str, list[Any]] = {}
    for link in seals:  # records only grow: a later seal begins with an earlier one
        for file, own in mapping(link.content.get("files")).items():
            before = digests.get(file, [])
            digests[file] = own if isinstance(own, list) else []
            if digests[file][: len(before)] != before:
                yield FAILED, f"{name}/{file}: its seals in {CHAIN}, link {link.number}, differ"
    written = {path.relative_to(folder).as_posix() for path in sealed_files(folder)}
    for file in sorted(written - set(digests)) if seals else ():
        yield UNPROVEN, f"{name}/{file}: written after the attempt was sealed"
    for file, known in digests.items():
        # Judges may be asked later, but nothing happens in an episode any more.
        more = FAILED if file == STREAM else UNPROVEN
        yield from _lines(folder.parent.parent, f"{name}/{file}", known, more)


def _lines(run: Path, name: str, known: Sequence[Any], more: str = FAILED) -> Found:
    """Compare the lines of a file with their digests; `more` is the state of lines after them.

    The order counts if they were sealed together; processes write the index in any order.
    """
    path = inside(run, name)
    lines = [] if path is None else [line for line in lines_of(path) if line]
    own = [digest_of(line) for line in lines]
    left = Counter(map(str, known))
    left.subtract(own)
    strange = [number for number, digest in enumerate(own) if left[digest] < 0]
    lost = sum(many for many in left.values() if many > 0)
    for place, number in enumerate(strange[:_MOST_LINES]):
        state, what = (FAILED, "edited") if place < lost else (more, "added")
        yield state, f"{name}, line {number + 1} ({_word(lines[number])}): it was {what}"
    if lost > len(strange):
        yield FAILED, f"{name}: {plural(lost - len(strange), 'line')} removed"
    elif name != INDEX and not strange and own != list(known):
        yield FAILED, f"{name}: its lines are in another order"


def _word(line: str) -> str:
    """Return what kind of record a line is."""
    try:
        record = expect(parse_json(line), dict, "a record")
    except (ValueError, TypeError):
        return "no record"
    kinds = {"call": "call", "passed": "verdict", "place": "note", "folder": "result"}
    return str(record.get("record") or next((kinds[n] for n in kinds if n in record), "other"))


def _screens(run: Path, chain: Sequence[Link]) -> Found:
    """Compare the screens with their names, which are digests of their contents."""
    kept = (link.content for link in chain if "packed" in link.content)
    packed = {str(each["packed"]): each.get("sha256") for each in kept}
    unknown, store = 0, ScreenStore(run / FOLDER)
    for path in sorted((run / FOLDER).glob("*")):
        stem = path.name.partition(".")[0]
        known = packed.get(path.name) if path.suffix == ".webp" else stem
        unknown += known is None
        try:
            content = store.read(stem, ".xml") if path.suffix == ".gz" else read_bytes(path)
        except (OSError, ValueError) as error:
            yield FAILED, f"{FOLDER}/{path.name}: unreadable: {error}"
            continue
        digest = hashlib.sha256(content).hexdigest()
        if known is not None and known not in {digest, digest[:32]}:
            yield FAILED, f"{FOLDER}/{path.name}: another screen than the one recorded"
    if unknown:
        yield UNPROVEN, f"the pixels of {plural(unknown, 'screen')} that no link of the chain names"
    for folder in sorted((run / "episodes").glob("*")):
        for name, suffix in _shown(folder):
            try:
                store.found(name, suffix)
            except (OSError, ValueError):
                yield OPEN, f"episodes/{folder.name}: its screen {name}{suffix} is missing"


def _shown(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the names and kinds of the screens in the records of an attempt."""
    try:
        records = records_of(folder)
    except RecordError:
        return
    for record in records:
        if record["record"] == "observation":
            for each in (record, mapping(record.get("beneath"))):
                yield from ((str(each[k]), f".{k}") for k in ("png", "xml") if each.get(k))


_INCOMPLETE = {None, "interrupted", "budget"}
_DECIDES = ("passed", "scorer")  # fields of a verdict
_NUMBER = re.compile(r"(.+)\.(\d{1,6})")
_MOST_TASKS = 5  # tasks named in a line


def completeness(recorded: Sequence[RecordedRun], *, reruns: bool) -> Found:
    """Yield what is missing in runs, or was done more than once, which `reruns` permits."""
    agents = {agent_name(str(run.about.get("agent"))) for run in recorded}
    if len(agents) > 1:
        yield FAILED, f"runs of different agents: {', '.join(sorted(agents))}"
    decided = Counter(task.key for run in recorded for task in run.tasks if task.outcome in DECIDED)
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
    lines = Counter(line.case for line in entries(run.folder) if line.outcome in DECIDED)
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
    more = f" and {len(keys) - _MOST_TASKS} more" if len(keys) > _MOST_TASKS else ""
    return f"{plural(len(keys), 'task')}: {', '.join(keys[:_MOST_TASKS])}{more}"
