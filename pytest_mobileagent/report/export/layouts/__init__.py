"""A table of runs as a paper prints it: its tasks, its numbers, and their arrangement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.fileio import read_json
from pytest_mobileagent.jsonable import check
from pytest_mobileagent.report.entry import Entry
from pytest_mobileagent.report.export.tables import Cell, Column, Table
from pytest_mobileagent.report.metrics import totals
from pytest_mobileagent.report.names import models_of, names_of
from pytest_mobileagent.report.published_settings import Difference, in_words, preset_of

if TYPE_CHECKING:
    from pathlib import Path

VIRTUAL = "virtual phones test the harness; do not publish these numbers as an agent's"


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A run in a table: its "run" object in report.json, its summary, and its tasks' entries.

    In tables of counts, `summary` has the counts of a file, and there are no tasks. `unlike_preset`
    are the settings in which it differs from its preset.
    """

    about: Mapping[str, Any]
    summary: Mapping[str, Any]
    tasks: Sequence[Entry] = ()
    unlike_preset: Sequence[Difference] = ()

    @property
    def is_on_path(self) -> bool:
        """Whether the tasks' golden actions were executed instead of the agent's."""
        option = (self.about.get("options") or {}).get("mobile-path") or {}
        return option.get("value") == "single"

    def only(self, wanted: Wanted) -> Run:
        """Return the run as if it had only the tasks that `wanted` accepts."""
        tasks = [task for task in self.tasks if wanted(task)]
        return Run(self.about, totals(tasks), tasks)


Wanted = Callable[[Entry], bool]
Parts = Mapping[str, Wanted]  # parts of a run's tasks, by their titles


@dataclass(frozen=True, slots=True)
class Measure:
    """A number, or a text, of each run: its title, and that of its group."""

    title: str
    cell: Callable[[Run], Cell]
    group: str = ""


Measures = Sequence[Measure]
Rows = Sequence[tuple[str, Sequence[Cell]]]  # the name of each run, and the cells of its measures
Arranged = tuple[tuple[Column, ...], tuple[tuple[Cell, ...], ...]]


def measure(title: str, name: str, digits: int = 1, *, group: str = "", **form: bool) -> Measure:
    """Return the number that is called `name` in a run's summary; `form` is that of `Cell`."""
    return Measure(title, lambda run: Cell(run.summary.get(name), digits, **form), group)


def grouped(parts: Parts, *measures: Measure) -> list[Measure]:
    """Return the measures of each part, in a group with the part's title."""
    return [
        replace(each, group=title, cell=_of_part(part, each))
        for title, wanted in parts.items()
        for part in [_part(wanted)]
        for each in measures
    ]


def titled(parts: Parts, measured: Measure) -> list[Measure]:
    """Return a measure of each part, with the part's title."""
    return [
        replace(measured, title=title, cell=_of_part(_part(wanted), measured))
        for title, wanted in parts.items()
    ]


def _part(wanted: Wanted) -> Callable[[Run], Run]:
    return lru_cache(maxsize=1)(lambda run: run.only(wanted))  # several measures need it


def _of_part(part: Callable[[Run], Run], measured: Measure) -> Callable[[Run], Cell]:
    return lambda run: measured.cell(part(run))


def has(name: str, value: object) -> Wanted:
    """Return whether a field of a task has a value, or contains it."""

    def wanted(task: Entry) -> bool:
        own = getattr(task, name)
        return value in own if isinstance(own, list) else own == value

    return wanted


def wide(heads: Sequence[str], rows: Rows, measures: Measures) -> Arranged:
    """Return a row for each run, and a column for each measure."""
    columns = (*map(Column, heads), *(Column(each.title, each.group) for each in measures))
    return columns, tuple((Cell(name), *cells) for name, cells in rows)


def long(heads: Sequence[str], rows: Rows, measures: Measures) -> Arranged:
    """Return a row for each run and group; all groups have the same titles."""
    columns = map(Column, (*heads, *dict.fromkeys(each.title for each in measures)))
    groups = [each.group for each in measures]
    return tuple(columns), tuple(
        (Cell(name), Cell(group), *(cell for _, cell in own))
        for name, cells in rows
        for group, own in groupby(zip(groups, cells, strict=True), itemgetter(0))
    )


def turned(heads: Sequence[str], rows: Rows, measures: Measures) -> Arranged:
    """Return a row for each measure, and a column for each run; the last head is above these."""
    *own, above = heads
    columns = (*map(Column, own), *(Column(name, above) for name, _ in rows))
    return columns, tuple(
        (*map(Cell, (each.group, each.title)[-len(own) :]), *(cells[place] for _, cells in rows))
        for place, each in enumerate(measures)
    )


@dataclass(frozen=True, slots=True)
class Layout:
    """How a table is made of runs, or of files of counts.

    - `names`: PAPER:TABLE, and further names, after spaces.
    - `measures`: its numbers, which may depend on the runs.
    - `part`: what the tasks that it covers are, and whether a task is one of them.
    - `arrange`: `wide`, `long` or `turned`; `heads`: the heads of the first columns.
    - `named`: the names of runs. `pooled`: runs that become one row are put together.
    - `source`: which files of counts are read instead of runs; `kind`: the kind of their data (see
      `jsonable.check`); `counted`: the counts as runs.
    - `notes`: remarks on a run.
    """

    names: str
    measures: Measures | Callable[[Sequence[Run]], Measures]
    part: tuple[str, Wanted] | None = None
    arrange: Callable[[Sequence[str], Rows, Measures], Arranged] = wide
    heads: tuple[str, ...] = ("Agent",)
    named: Callable[[Sequence[Mapping[str, Any]]], list[str]] = names_of
    pooled: Callable[[Sequence[Run]], Sequence[Run]] = tuple
    source: str = ""
    kind: Any = None
    counted: Callable[[dict[str, Any]], Iterable[Run]] = lambda _: ()
    notes: Callable[[Run], Iterable[str]] = lambda _: ()

    def read(self, path: Path) -> list[Run]:
        """Return the counts in a file as runs, or raise a RecordError if it is no `source`."""
        try:
            runs = list(self.counted(check(read_json(path), self.kind, "it")))
        except OSError as error:
            msg = f"{path} cannot be read ({error.strerror or error})"
            raise RecordError(f"{msg}: this table needs {self.source}") from error
        except (TypeError, ValueError, KeyError) as error:
            why = f"it has no {error}" if isinstance(error, KeyError) else error
            raise RecordError(f"{path} is not {self.source}: {why}") from error
        if not runs:
            raise RecordError(f"{path} is not {self.source}: it has no counts")
        return runs


def tabulate(layout: Layout, given: Sequence[Run]) -> Table:
    """Return a table of runs with the caveats of its numbers."""
    runs = layout.pooled(given)
    names = layout.named([run.about for run in runs])
    shown = runs if layout.part is None else [run.only(layout.part[1]) for run in runs]
    measures = layout.measures(shown) if callable(layout.measures) else layout.measures
    cells = [[each.cell(run) for each in measures] for run in shown]
    notes = [
        f"{name}: {note}"
        for name, run, own, numbers in zip(names, runs, shown, cells, strict=True)
        for note in _notes(layout, run, own, numbers)
    ]
    rows = list(zip(names, cells, strict=True))
    return Table(*layout.arrange(layout.heads, rows, measures), tuple(notes))


def _notes(layout: Layout, run: Run, shown: Run, cells: Sequence[Cell]) -> Iterable[str]:
    whole, own = run.summary.get("tasks"), shown.summary
    if layout.part is not None and own["tasks"] != whole:
        yield f"{own['tasks']} of {whole} tasks are {layout.part[0]}; this table has no others"
    if "decided" in own and own["decided"] < own["episodes"]:
        count = f"{own['decided']} of {own['episodes']} episodes are decided"
        yield f"{count}; its success rate of all is {Cell(own['success_rate_of_all'])}"
    if own.get("decided") and all(isinstance(cell.value, str | None) for cell in cells):
        yield "its tasks give none of these numbers; `report --layouts` says what the table needs"
    if sees := run.summary.get("sees"):
        yield f"its agent saw only the {sees} of each screen"
    if run.about.get("virtual"):
        yield VIRTUAL
    if run.unlike_preset:
        unlike = ", ".join(in_words(run.unlike_preset))
        yield f"it differs from the preset {preset_of(run.about)} in: {unlike}"
    yield from layout.notes(shown)


def success(run: Run, *, digits: int = 3, percent: bool = False) -> Cell:
    """Return the success rate, with its interval over tasks if the run has several epochs."""
    summary = run.summary
    interval = summary["interval"] if summary["epochs"]["number"] > 1 else None
    low, high = interval or (None, None)
    return Cell(summary["success_rate"], digits, percent=percent, low=low, high=high)


_VERIFIED = Measure("Verified", lambda run: Cell(run.about.get("verified") or "not a bundle"))


def _columns(runs: Sequence[Run]) -> list[Measure]:
    epochs = min(run.summary["epochs"]["number"] for run in runs)

    def repeated(title: str, name: str) -> Measure:
        return Measure(
            f"{title}{epochs}",
            lambda run: Cell(run.summary[name].get(str(epochs)), 1, percent=True),
        )

    return [
        measure("Tasks", "tasks", 0),
        measure("Episodes", "episodes", 0),
        Measure("Success rate", lambda run: success(run, digits=1, percent=True)),
        measure("Of all", "success_rate_of_all", percent=True),
        *([repeated("pass@", "pass_at"), repeated("pass^", "pass_all")] if epochs > 1 else []),
        measure("Step ratio", "mean_step_ratio", 2),
        measure("Premature", "premature_rate", percent=True),
        measure("Overdue", "overdue_rate", percent=True),
        measure("Steps", "mean_steps", 1),
        measure("s/step", "seconds_per_step", 2),
        measure("Tokens/task", "mean_tokens", 0),
        measure("USD/task", "mean_cost_usd", 4),
        *([_VERIFIED] if any(run.about.get("verified") for run in runs) else []),
    ]


OWN = Layout("own", _columns)
# What several papers show.
LEVELS: Parts = {title: has("level", n) for n, title in enumerate(("Easy", "Medium", "Hard"), 1)}
MODELS = Measure("Models", lambda run: Cell(", ".join(models_of(run.about)) or None))
