"""`python -m pytest_mobileagent merge`: merge several runs, such as the shards of one.

The merged run is written to a new folder; the others are not changed.
"""

from __future__ import annotations

import re
import shlex
import sys
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent._task.case import Case
from pytest_mobileagent.arguments import Parser, failed, program_name
from pytest_mobileagent.episode import EpisodeRecord, runs
from pytest_mobileagent.episode.importing import import_episode
from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.fileio import PRIVATE, new_folder, read_object, write_json, write_text
from pytest_mobileagent.jsonable import digest, mapping, plural, printable
from pytest_mobileagent.report.bundle import is_bundle, read_bundle
from pytest_mobileagent.report.entry import DECIDED, SCHEMA_VERSION
from pytest_mobileagent.report.gate.missing import describe_missing_shards
from pytest_mobileagent.report.html.run_page import write_page
from pytest_mobileagent.report.metrics import summarise
from pytest_mobileagent.report.metrics.doubtful import unmarked
from pytest_mobileagent.report.names import agent_name
from pytest_mobileagent.report.recorded_run import (
    REPORT,
    RecordedRun,
    document,
    find_run,
    recorded_run,
)
from pytest_mobileagent.report.text import lists, table
from pytest_mobileagent.report.text.narration import PAGE
from pytest_mobileagent.report.text.pull_request import SUMMARY, summary

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pytest_mobileagent.report.entry import Entry, Report

    Head = Mapping[str, Any]


_RANKS = {"not run": 0, "error": 1, "skipped": 2} | dict.fromkeys(DECIDED, 3)
_MOST = 5  # tasks named in an error


@dataclass(frozen=True, slots=True)
class MergedRun:
    """A merged run: its `report`, and `remarks` on the runs that it was merged from."""

    report: Report
    remarks: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Part:
    """A case in one of the runs: its entries in report.json, run.json and the index."""

    run: Path
    entry: Entry
    plan: Mapping[str, Any] = field(default_factory=dict)
    digests: Any = None
    lines: Sequence[runs.IndexLine] = ()

    @property
    def rank(self) -> int:
        """The rank of the entry; of several entries, the last with the highest rank counts."""
        return _RANKS.get(str(self.entry.outcome), 0)


def merge(folders: Sequence[Path], target: Path) -> MergedRun:
    """Merge the runs in some folders into one in the folder `target`, which is new or empty.

    A case in several runs has the result of the run that decided it; all its attempts are kept. A
    partly merged run never appears in `target`.

    Raises:
        HostError: if `target` exists and is not empty, or cannot be written.
        OSError: if a run cannot be read.
        RecordError: if a run is damaged, agents differ, or two runs decided the same case.
    """
    recorded = [recorded_run(folder) for folder in folders]
    _check_agents(recorded)
    parts = _by_case(recorded)
    _check_decided_once(parts)
    with new_folder(target, PRIVATE) as part:
        whole = _write(part, target.name, [run.about for run in recorded], parts)
    write_pages(target, whole)
    open_ended = [f"{run.folder} was cut off, or goes on" for run in recorded if not run.has_ended]
    return MergedRun(whole, [*open_ended, *remarks([run.about for run in recorded])])


def write_pages(run: Path, whole: Report) -> None:
    """Write the page and the summary of a run, which can be recreated from its other files."""
    try:
        write_page(run, whole)
        write_text(run / SUMMARY, summary(whole, PAGE))
    except OSError as error:
        msg = f"{run} is merged, but its {PAGE} or {SUMMARY} could not be written: {error}"
        raise HostError(msg) from error


def _check_agents(recorded: Sequence[RecordedRun]) -> None:
    agents = {agent_name(str(run.about.get("agent"))): run.folder for run in recorded}
    if len(agents) > 1:
        each = ", ".join(f"{agent} in {folder}" for agent, folder in agents.items())
        msg = f"these are runs of different agents; compare them instead of merging: {each}"
        raise RecordError(msg)


def _by_case(recorded: Sequence[RecordedRun]) -> dict[str, list[_Part]]:
    """Return the parts of each case in the runs, with the part that counts in last place."""
    found: dict[str, list[_Part]] = {}
    for run in recorded:
        planned = read_object(run.folder / runs.RUN)
        plans = planned.get("tasks")
        plans = {plan.get("key"): plan for plan in plans or () if isinstance(plan, dict)}
        digests = mapping(planned.get("digests"))
        lines: dict[str, list[runs.IndexLine]] = {}
        for line in runs.entries(run.folder):
            lines.setdefault(line.case, []).append(line)
        for entry in run.tasks:
            part = _Part(run.folder, unmarked(entry))  # suspects are marked again in the whole
            key = entry.key
            whole = replace(
                part,
                plan=plans.get(key) or _plan_of(part),
                digests=digests.get(key),
                lines=lines.get(key, ()),
            )
            found.setdefault(key, []).append(whole)
    return {key: sorted(each, key=lambda part: part.rank) for key, each in found.items()}


def _plan_of(part: _Part) -> dict[str, Any]:
    """Return the description of a case as in run.json, for a run that has no run.json."""
    for folder in reversed(_attempts(part)):
        try:
            return read(folder, EpisodeRecord).case.to_json()
        except RecordError:
            continue
    entry = part.entry
    names = ("level", "kind", "language", "tags", "golden_steps")
    task = {name: value for name in names if (value := getattr(entry, name)) is not None}
    apps = [entry.app] if entry.app else []
    own = ("id", "suite", "nodeid", "parameters")
    about = {name: value for name in own if (value := getattr(entry, name))}
    place = {"environment": entry.environment, "epoch": entry.epoch}
    return Case.from_json({**about, **place, "task": {**task, "goal": "-", "apps": apps}}).to_json()


def _check_decided_once(parts: Mapping[str, Sequence[_Part]]) -> None:
    last = {key: each[-2:] for key, each in parts.items() if len(each) > 1}
    twice = [key for key, two in last.items() if all(part.rank == _RANKS["passed"] for part in two)]
    if twice:
        one, other = (part.run for part in last[twice[0]])
        names = ", ".join(twice[:_MOST]) + (" …" if len(twice) > _MOST else "")
        count = plural(len(twice), "task")
        msg = (
            f"{one} and {other} have both decided {count}, so they are not parts of one run: "
            f"{names}; leave one of them out, or compare them"
        )
        raise RecordError(msg)


def _write(
    folder: Path, name: str, heads: Sequence[Head], parts: Mapping[str, Sequence[_Part]]
) -> Report:
    results = [_take_over(folder, each) for each in parts.values()]
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    head = {**merged_head(heads, name), "merged": now}
    digests = {key: each[-1].digests for key, each in parts.items() if each[-1].digests}
    planned = [each[-1].plan for each in parts.values()]
    before = {name: value for name, value in head.items() if name != "ended"}
    run = {"schema_version": SCHEMA_VERSION, "run": before, "tasks": planned, "digests": digests}
    write_json(folder / runs.RUN, run, indent=None)
    whole = document(head, {result.nodeid: result for result in results})
    write_json(folder / REPORT, whole)
    return whole


def _take_over(target: Path, parts: Sequence[_Part]) -> Entry:
    """Import all attempts at a case, and return its result."""
    names: dict[str, str] = {}
    stem = runs.stem_of(target, parts[-1].entry.key)
    count = 0
    for part in parts:
        names = {}  # only those of the last part, which counts, are used
        for attempt in _attempts(part):
            folder = stem.with_name(f"{stem.name}.{count}")
            import_episode(attempt, target, folder)
            names[f"episodes/{attempt.name}"] = folder.relative_to(target).as_posix()
            count += 1
        for line in part.lines:
            if line.folder in names:
                number = int(names[line.folder].rpartition(".")[2])
                runs.append(target, replace(line, attempt=number, folder=names[line.folder]))
    result = parts[-1].entry
    broke = [why for part in parts for why in part.entry.infrastructure]
    tried = [each for part in parts for each in part.entry.attempts]
    episode = names.get(result.episode or "")
    return replace(result, episode=episode, infrastructure=broke, attempts=tried)


def _attempts(part: _Part) -> list[Path]:
    """Return the folders of the attempts at a case, including the one that the report names."""
    found = runs.attempts(part.run, part.entry.key)
    episode = str(part.entry.episode or "")
    named = part.run / "episodes" / Path(episode).name
    is_ours = episode == f"episodes/{named.name}" and named.name not in {"", ".", ".."}
    is_new = is_ours and named not in found and runs.is_folder_of(part.run, named)
    return [*found, named] if is_new else found


_OWN = {"mobile-shard", "mobile-runs"}  # options that differ between the parts of a run


def merged_head(heads: Sequence[Head], name: str) -> dict[str, Any]:
    """Return the "run" object of run.json for a run merged from several parts.

    Most values are those of the first part; fingerprints that differ are combined.
    """
    ended = [head.get("ended") for head in heads]
    options, selection = (heads[0].get(name) for name in ("options", "selection"))
    shared = _fingerprints(heads)
    return {
        **heads[0],
        "id": name,
        "started": min(str(head.get("started") or "") for head in heads),
        "ended": None if None in ended else max(map(str, ended)),
        "command": _without_own(heads[0].get("command")),
        "options": {n: o for n, o in options.items() if n not in _OWN} if options else options,
        "virtual": any(head.get("virtual") for head in heads),
        "selection": selection if all(h.get("selection") == selection for h in heads) else None,
        "shard": None,
        "merged_from": [head.get("id") for head in heads],
        "missing_shards": missing_shards(heads),
        "fingerprints": shared,
        "fingerprint": digest(shared) if shared else heads[0].get("fingerprint"),
    }


def remarks(heads: Sequence[Head]) -> list[str]:
    """Describe the conditions that differ between the parts of a run, and missing shards."""
    first, *others = heads
    found = []
    for head in others:
        differ = _differing(first, head)
        if differ:
            found.append(f"{head.get('id')} differs from {first.get('id')} in: {', '.join(differ)}")
    return [*found, *describe_missing_shards(missing_shards(heads))]


def _differing(one: Head, other: Head) -> list[str]:
    prints = [head.get("fingerprints") or {} for head in (one, other)]
    names = [n for n in sorted({*prints[0], *prints[1]}) if prints[0].get(n) != prints[1].get(n)]
    options = [head.get("options") or {} for head in (one, other)]
    given = [
        {n: o.get("value") if isinstance(o, dict) else o for n, o in each.items() if n not in _OWN}
        for each in options
    ]
    changed = [n for n in sorted({*given[0], *given[1]}) if given[0].get(n) != given[1].get(n)]
    return names + [f"--{name}" for name in changed]


def missing_shards(heads: Sequence[Head]) -> list[str]:
    """Return the shards that are in none of the runs, such as "2/4".

    A run that was itself merged names those that it lacks.
    """
    there: dict[int, set[int]] = {}
    for head in heads:
        own, lacks = _shards([head.get("shard")]), _shards(head.get("missing_shards") or ())
        for number, count in own:
            there.setdefault(count, set()).add(number)
        for count in {count for _, count in lacks}:
            others = {number for number, of in lacks if of == count}
            there.setdefault(count, set()).update(set(range(1, count + 1)) - others)
    return [
        f"{number}/{count}"
        for count, numbers in sorted(there.items())
        for number in range(1, count + 1)
        if number not in numbers
    ]


def _shards(texts: Iterable[Any]) -> list[tuple[int, int]]:
    found = [re.fullmatch(r"(\d{1,5})/(\d{1,5})", str(text), re.ASCII) for text in texts]
    return [(int(match[1]), int(match[2])) for match in found if match]


def _fingerprints(heads: Sequence[Head]) -> dict[str, Any]:
    each = [head.get("fingerprints") or {} for head in heads]
    names = dict.fromkeys(name for prints in each for name in prints)
    found = {name: [prints.get(name) for prints in each] for name in names}
    return {
        n: v[0] if v == v[:1] * len(v) else digest(sorted(map(str, v))) for n, v in found.items()
    }


def _without_own(command: Any) -> Any:
    """Return a command without the options that belong to one part."""
    if not isinstance(command, list):
        return command
    kept, skip = [], False
    for word in map(str, command):
        name, has_value, _ = word.removeprefix("--").partition("=")
        is_own = word.startswith("--") and name in _OWN
        if not skip and not is_own:
            kept.append(word)
        skip = is_own and not has_value
    return kept


_SHOW = ("python", "-m", "pytest_mobileagent", "show")


def main(arguments: Sequence[str], pack: Callable[[Path], None]) -> int:
    """Merge runs, `pack` the merged run's screens, print its table, and return the exit status."""
    parser = _parser()
    given = parser.parse_args(arguments)
    target = Path(given.output).absolute()
    try:
        paths = list(map(Path, given.runs))
        each = (read_bundle(path).runs if is_bundle(path) else [find_run(path)] for path in paths)
        runs = [run for own in each for run in own]
        if twice := next((run for run in runs if runs.count(run) > 1), None):
            parser.error(f"{printable(str(twice))} is named twice")
        merged = merge(runs, target)
        pack(target)
    except (OSError, ValueError, HostError, RecordError) as error:
        return failed(error)
    for remark in merged.remarks:
        sys.stderr.write(f"warning: {printable(remark)}\n")
    sys.stdout.write("".join(f"{line}\n" for line in _final_message(merged, Path(given.output))))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program_name("merge"),
        description="Merge several runs into one: the shards of a run, or its parts on several "
        "machines, even if some were interrupted. The runs themselves are not changed.",
    )
    add = parser.add_argument
    run = "the folder of a run, or a folder of runs, whose newest run is used"
    add("runs", nargs="+", metavar="RUN", help=run)
    add("-o", "--output", required=True, metavar="DIR", help="the new run's folder: new or empty")
    return parser


def _final_message(merged: MergedRun, target: Path) -> list[str]:
    """Return the final message; `target` is the folder as the user typed it."""
    results = merged.report["tasks"]
    return [
        *table(summarise(results)),
        *lists.failures(results),
        *lists.reviews(results),
        *lists.reasons("skipped", results),
        *lists.reasons("not run", results),
        *lists.remarks(results, merged.report["run"]),
        printable(f"report: {target / PAGE}   (open it: {shlex.join([*_SHOW, str(target)])})"),
    ]
