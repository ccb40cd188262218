"""Compares a benchmark's official release with our table: the parts of a suite's `release.py`.

A suite's `release.py` reads a release as files, and imports or executes none of it. It contains

    def read(folder: Path) -> dict[str, Released]         # by the ids of our table
    def official(folder: Path) -> dict[str, str | None]   # {id: each.goal} of that, for `rows`
    def lint(folder: Path) -> list[Finding]               # what is wrong with the release

and, when it is run as a program, ends with `raise SystemExit(compare_release(read, lint,
[table]))`: `python tasks/SUITE/release.py DIR` prints how the release differs from the table.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent._task.table import Row, rows
from pytest_mobileagent._task.wording import (
    Template,
    display_path,
    fill,
    literal,
    release_of,
    times,
)
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.jsonable import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

__all__ = [
    "Finding", "Released", "Template", "compare_release", "fill", "lint_goals", "literal",
    "release_of", "times",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Released:
    """What a release says about a task.

    - `goal`: the official goal; None if the release lacks the task, which is then our own.
    - `place`: the file, relative to the release's folder, with the line if it has several tasks.
    - `columns`: further values, by column of our table: `{"step_limit": 15}`.
    """

    goal: str | None
    place: str = ""
    columns: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    """A defect of a release.

    - `kind`: a word or two by which findings are grouped, such as "can never succeed".
    - `place`: the file and the line, relative to the release's folder.
    - `what`: the reason, in words.
    """

    kind: str
    place: str
    what: str


def lint_goals(released: Mapping[str, Released]) -> list[Finding]:
    """Return general defects of a release: empty goals, and goals shared by two tasks.

    A step limit below the golden steps is also a defect (columns `step_limit` and `golden_steps`).
    """
    found: list[Finding] = []
    known: dict[str, str] = {}
    for name, each in released.items():
        if each.goal is None:
            continue
        if not each.goal.strip():
            found.append(Finding("empty goal", each.place, name))
        elif (first := known.setdefault(" ".join(each.goal.split()), name)) != name:
            found.append(Finding("same goal", each.place, f"{name} has the same goal as {first}"))
        limit, golden = (each.columns.get(column) for column in ("step_limit", "golden_steps"))
        if isinstance(limit, int) and isinstance(golden, int) and limit < golden:
            what = f"{name} has {golden} golden steps, and a limit of {limit}"
            found.append(Finding("limit below golden steps", each.place, what))
    return found


def compare_release(
    read: Callable[[Path], Mapping[str, Released]],
    lint: Callable[[Path], Iterable[Finding]],
    tables: Sequence[Path],
    arguments: Sequence[str] | None = None,
) -> int:
    """Print how the release in a folder, the program's argument, differs from our tables.

    Returns:
        The exit status: 0; 1 if a row has no counterpart or differs from it; 4 if the release or a
        table cannot be read.
    """
    parser = argparse.ArgumentParser(
        description="Compare the official release in a folder with our table, and list errors in "
        "the release. Its code is neither imported nor executed."
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help="the folder of the release")
    folder = parser.parse_args(arguments).folder
    if not folder.is_dir():
        print(printable(f"ERROR: {folder} is not a folder"))
        return 4
    try:
        ours = {row.id: row for table in tables for row in rows(table)}
        released = read(folder)
        findings = [*lint_goals(released), *lint(folder)]
    except (TaskError, ValueError, OSError, SyntaxError) as error:
        print(printable(f"ERROR: {' '.join(str(error).split())}"))
        return 4
    lines = [f"{', '.join(map(display_path, tables))} beside {folder}", *_counts(ours, released)]
    wrong = [*_missing(ours, released), *_differences(ours, released)]
    for line in (*lines, *wrong, *_findings(findings)):
        print(printable(line))
    return 1 if wrong else 0


def _counts(ours: Mapping[str, Row], released: Mapping[str, Released]) -> Iterator[str]:
    there = {name: each for name, each in released.items() if each.goal is not None}
    both = len(there.keys() & ours.keys())
    yield f"{len(there)} tasks in the release, {len(ours)} in our table, {both} in both"
    for column in dict.fromkeys(name for each in there.values() for name in each.columns):
        values = Counter(str(each.columns.get(column, "none")) for each in there.values())
        if len(values) <= 30:  # a longer list would not be informative
            yield f"  {column}: {', '.join(f'{v} {n}' for v, n in values.most_common())}"
    if absent := [name for name in ours if name in released and released[name].goal is None]:
        yield f"not in the release ({len(absent)}): {', '.join(absent)}"


def _missing(ours: Mapping[str, Row], released: Mapping[str, Released]) -> Iterator[str]:
    if missing := [ours[name].where for name in ours if name not in released]:
        yield f"without a counterpart in the release ({len(missing)}):"
        yield from (f"  {where}" for where in missing)
    if more := [name for name in released if name not in ours]:
        yield f"without a row in our table ({len(more)}):"
        yield from (f"  {name}: {released[name].place}" for name in more)


def _differences(ours: Mapping[str, Row], released: Mapping[str, Released]) -> Iterator[str]:
    by_column: dict[str, list[str]] = defaultdict(list)
    for name, row in ours.items():
        for column, value in released[name].columns.items() if name in released else ():
            own = row.columns.get(column)
            if str(own) != str(value):
                counts = f"{own} here, {value} in {released[name].place}"
                by_column[column].append(f"{row.where}: {counts}")
    for column, lines in by_column.items():
        yield f"other {column} ({len(lines)}):"
        yield from (f"  {line}" for line in lines)


def _findings(findings: Iterable[Finding]) -> Iterator[str]:
    by_kind: dict[str, list[str]] = defaultdict(list)
    for each in findings:
        by_kind[each.kind].append(f"  {each.place}: {each.what}")
    for kind, lines in by_kind.items():
        yield f"{kind} ({len(lines)}):"
        yield from lines
