"""Which columns a table of runs has: our own, or those of a paper's tables.

Tables of numbers, written as Markdown, LaTeX and CSV, in which every name stays a name.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm.reference import public_name
from pytest_mobileagent.plain import printable
from pytest_mobileagent.report.text import markdown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Summary = Mapping[str, Any]
    Content = list[tuple["Column", Callable[["Run"], "Cell"]]]


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in a cell: a text, or a number with so many digits; None for "n/a".

    - `percent`: whether a share is shown in percent: by "%", or in whole numbers if `digits` is 0.
    - `low`, `high`: its interval. `error`: its standard error.
    """

    value: float | str | None
    digits: int = 3
    percent: bool = False
    low: float | None = None
    high: float | None = None
    error: float | None = None

    def __str__(self) -> str:
        """Return it as people read it: 0.340, 0.340 (0.262-0.421), 87 ± 07 or n/a."""
        if self.value is None:
            return "n/a"
        if isinstance(self.value, str):
            return self.value
        text = self._number(self.value)
        if self.low is not None and self.high is not None:
            text += f" ({self._number(self.low)}-{self._number(self.high)})"
        if self.error is not None:
            text += f" ± {self._number(self.error)}"
        return text

    def _number(self, number: float) -> str:
        if not self.percent:
            return f"{number:.{self.digits}f}"
        return f"{100 * number:.{self.digits}f}%" if self.digits else f"{100 * number:02.0f}"


@dataclass(frozen=True, slots=True)
class Column:
    """The head of a column; `group` stands above several."""

    title: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Columns, a row of cells for each run, and notes: what one has to know of the numbers."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()


_FORMULA = ("=", "+", "-", "−", "@")  # what spreadsheets compute
_EXTRAS = ("low", "high", "error")
_LATEX = {
    **{char: f"\\{char}" for char in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "`": r"\textasciigrave{}",
}


def as_markdown(table: Table) -> str:
    """Return a table in Markdown; groups of columns stand before their titles."""
    head = [f"{column.group}: {column.title}" if column.group else column.title
            for column in table.columns]  # fmt: skip
    lines = markdown.table(head, table.rows)
    notes = [f"{markdown.escape(note)}  " for note in table.notes]
    return "\n".join([*lines, *(["", *notes] if notes else [])]) + "\n"


def as_csv(table: Table) -> str:
    """Return a table in CSV (RFC 4180); intervals and errors have columns of their own.

    Shares are from 0 to 1. A text that a spreadsheet would compute stands behind an apostrophe.
    """
    written = io.StringIO()
    writer = csv.writer(written)
    extras = [
        [
            name
            for name in _EXTRAS
            if any(getattr(row[place], name) is not None for row in table.rows)
        ]
        for place in range(len(table.columns))
    ]
    head: list[str] = []
    for column, names in zip(table.columns, extras, strict=True):
        title = f"{column.group}: {column.title}" if column.group else column.title
        head += [_harmless(title), *(_harmless(f"{title} {name}") for name in names)]
    writer.writerow(head)
    for row in table.rows:
        writer.writerow(_csv_row(row, extras))
    return written.getvalue()


def as_latex(table: Table) -> str:
    """Return a tabular of the package booktabs; notes are comments above it."""
    lines = [f"% {_one_line(note)}" for note in table.notes]
    lines += [rf"\begin{{tabular}}{{l{'r' * (len(table.columns) - 1)}}}", r"\toprule"]
    if any(column.group for column in table.columns):
        lines += list(_groups(table))
    lines.append(_latex_row(column.title for column in table.columns))
    lines.append(r"\midrule")
    lines += [_latex_row(map(str, row)) for row in table.rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _groups(table: Table) -> Iterator[str]:
    """Yield the row of groups, and the lines below them."""
    cells, rules, place = [], [], 1
    for group, columns in groupby(table.columns, lambda column: column.group):
        count = len(list(columns))
        if group:
            cells.append(rf"\multicolumn{{{count}}}{{c}}{{{escape_latex(group)}}}")
            rules.append(rf"\cmidrule(lr){{{place}-{place + count - 1}}}")
        else:
            cells += [""] * count
        place += count
    yield " & ".join(cells) + r" \\"
    yield " ".join(rules)


def _latex_row(cells: Iterator[str] | map[str]) -> str:
    row = " & ".join(map(escape_latex, cells)) + r" \\"
    # Behind the end of the row before, or a rule, these would be an argument of that.
    return "{}" + row if row.startswith(("[", "*")) else row


def escape_latex(text: str) -> str:
    """Return a text as LaTeX prints it word by word, on one line."""
    return "".join(_LATEX.get(char, char) for char in _one_line(text))


def _csv_row(row: tuple[Cell, ...], extras: list[list[str]]) -> Iterator[str]:
    for cell, names in zip(row, extras, strict=True):
        yield _harmless(cell.value) if isinstance(cell.value, str) else _plain(cell.value)
        yield from (_plain(getattr(cell, name)) for name in names)


def _plain(number: float | None) -> str:
    return "n/a" if number is None else f"{number:.6g}"


def _harmless(text: str) -> str:
    line = _one_line(text)
    # Spreadsheets of East Asia take the full-width sign for the other.
    first = unicodedata.normalize("NFKC", line[:1])
    return f"'{line}" if first.startswith(_FORMULA) else line


def _one_line(text: str) -> str:
    return printable(" ".join(text.split()))


_ERRORS = {"self-reported", "step limit"}  # the endings that SPA-Bench does not call errors
_LEVELS = {"1": "Easy", "2": "Medium", "3": "Hard"}
_KINDS = ("operation", "single-frame query", "multi-frame query")
VIRTUAL = "virtual phones test the harness; do not publish these numbers as an agent's"


@dataclass(frozen=True, slots=True)
class Run:
    """A run as tables take it: what report.json says of it, and the numbers of its tasks."""

    about: Mapping[str, Any]
    summary: Summary


def tabulate(layout: str, runs: Sequence[Run]) -> Table:
    """Return a table with a row for each run, named by its agent; by its id, too, if need be.

    `layout` is one of `LAYOUTS`.
    """
    content = LAYOUTS[layout](runs)
    columns = (Column("Agent"), *(column for column, _ in content))
    names = names_of([run.about for run in runs])
    rows = tuple(
        (Cell(name), *(cell(run) for _, cell in content))
        for name, run in zip(names, runs, strict=True)
    )
    notes = [note for pair in zip(names, runs, strict=True) for note in _notes(*pair)]
    return Table(columns, rows, tuple(notes))


def names_of(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names of runs in a table; `runs` is what report.json says of each.

    They are called by their agents; runs of the same agent by their models as well, or by their ids
    if they do not all have models of their own.
    """
    agents = [str(about.get("agent") or "(no agent)") for about in runs]
    models = [", ".join(models_of(about)) for about in runs]
    names = []
    for agent, model, about in zip(agents, models, runs, strict=True):
        alike = [of for each, of in zip(agents, models, strict=True) if each == agent]
        told_by_models = all(alike) and len({*alike}) == len(alike)
        more = model if told_by_models else about.get("id", "?")
        names.append(agent if len(alike) == 1 else f"{agent} ({more})")
    return names


def models_of(about: Mapping[str, Any]) -> list[str]:
    """Return the names of a run's models, each once; `about` is what report.json says of it."""
    models = about.get("models")
    named = models.values() if isinstance(models, dict) else ()
    return list(dict.fromkeys(public_name(str(model)) for model in named))


def _notes(name: str, run: Run) -> list[str]:
    summary, notes = run.summary, []
    if summary["decided"] < summary["tasks"]:
        rate = Cell(summary["success_rate_of_all"])
        count = f"{summary['decided']} of {summary['tasks']} tasks are decided"
        notes.append(f"{name}: {count}; its success rate of all is {rate}")
    if run.about.get("virtual"):
        notes.append(f"{name}: {VIRTUAL}")
    return notes


def _own(runs: Sequence[Run]) -> Content:
    epochs = min(run.summary["epochs"]["number"] for run in runs)
    repeated = [_passed(f"pass@{epochs}", "pass_at", epochs)]
    repeated.append(_passed(f"pass^{epochs}", "pass_all", epochs))
    return [
        (Column("Tasks"), lambda run: Cell(run.summary["tasks"], 0)),
        (Column("Success rate"), lambda run: _success(run, digits=1, percent=True)),
        (Column("Of all"), lambda run: Cell(run.summary["success_rate_of_all"], 1, percent=True)),
        *(repeated if epochs > 1 else []),
        _number("Step ratio", "mean_step_ratio", 2),
        _share("Premature", "premature_rate"),
        _share("Overdue", "overdue_rate"),
        _number("Steps", "mean_steps", 1),
        _number("s/step", "seconds_per_step", 2),
        _number("Tokens/task", "mean_tokens", 0),
        _number("USD/task", "mean_cost_usd", 4),
    ]


def _spa_bench(_: Sequence[Run]) -> Content:
    reason, inaccuracy = "Termination Reason", "Termination Inaccuracy"
    return [
        (Column("Success Rate"), _success),
        _number("Mean Step Ratio on Success", "mean_step_ratio", 2),
        (Column("SRC Rate", reason), lambda run: _ended(run, {"self-reported"})),
        (Column("MSR Rate", reason), lambda run: _ended(run, {"step limit"})),
        (Column("Error Rate", reason), lambda run: _ended(run, _others(run))),
        _number("Premature Rate", "premature_rate", 3, inaccuracy),
        _number("Overdue Rate", "overdue_rate", 3, inaccuracy),
        _number("Mean Exec Time per Step (sec)", "seconds_per_step", 1),
        _number("Mean Token Cost per Step (USD)", "cost_per_step", 3),
    ]


def _mobileagentbench(_: Sequence[Run]) -> Content:
    return [
        (Column("Models"), lambda run: Cell(", ".join(models_of(run.about)) or None)),
        (Column("SR ↑"), lambda run: Cell(run.summary["latched_success_rate"], 2)),
        _number("SE ↓", "step_efficiency", 2),
        _number("Latency ↓", "latency", 2),
        _number("Tokens ↓", "mean_estimated_tokens", 2),
        _number("FFR ↓", "false_finish_rate", 2),
        _number("OER ↓", "over_execution_rate", 2),
    ]


def _b_moca(runs: Sequence[Run]) -> Content:
    names = sorted({name for run in runs for name in run.summary["environments"]})

    def of(name: str) -> tuple[Column, Callable[[Run], Cell]]:
        return Column(f"Env {name}"), lambda run: _run_to_run(run.summary["environments"].get(name))

    average = (Column("Average"), lambda run: _run_to_run(run.summary))
    return [*map(of, names), average]


def _a3(_: Sequence[Run]) -> Content:
    def of(group: str, name: str, title: str, above: str) -> tuple[Column, Callable[[Run], Cell]]:
        return Column(title, above), lambda run: _rate(run.summary[group].get(name))

    levels = [of("levels", level, title, "Test Level") for level, title in _LEVELS.items()]
    kinds = [of("kinds", kind, kind.title(), "Test Category") for kind in _KINDS]
    return [*levels, *kinds, (Column("All"), lambda run: _success(run, digits=1, percent=True))]


LAYOUTS: dict[str, Callable[[Sequence[Run]], Content]] = {
    "own": _own,
    "spa-bench": _spa_bench,
    "mobileagentbench": _mobileagentbench,
    "b-moca": _b_moca,
    "a3": _a3,
}


def _number(
    title: str, name: str, digits: int, group: str = ""
) -> tuple[Column, Callable[[Run], Cell]]:
    return Column(title, group), lambda run: Cell(run.summary[name], digits)


def _share(title: str, name: str) -> tuple[Column, Callable[[Run], Cell]]:
    return Column(title), lambda run: Cell(run.summary[name], 1, percent=True)


def _passed(title: str, name: str, epochs: int) -> tuple[Column, Callable[[Run], Cell]]:
    return Column(title), lambda run: Cell(run.summary[name].get(str(epochs)), 1, percent=True)


def _success(run: Run, *, digits: int = 3, percent: bool = False) -> Cell:
    """Return the success rate, with its interval over tasks where there are epochs."""
    summary = run.summary
    interval = summary["interval"] if summary["epochs"]["number"] > 1 else None
    low, high = interval or (None, None)
    return Cell(summary["success_rate"], digits, percent=percent, low=low, high=high)


def _rate(summary: Summary | None) -> Cell:
    return Cell(None if summary is None else summary["success_rate"], 1, percent=True)


def _run_to_run(summary: Summary | None) -> Cell:
    """Return the mean over epochs with B-MoCA's standard error, by the population's deviation."""
    if summary is None:
        return Cell(None)
    rates = summary["epochs"]["success_rates"].values()
    mean = sum(rates) / len(rates) if rates else None
    return Cell(mean, 0, percent=True, error=summary["epochs"]["standard_error_ddof_0"])


def _ended(run: Run, endings: set[str]) -> Cell:
    rates = run.summary["termination_rates"]
    return Cell(sum(rates.get(each, 0.0) for each in endings) if rates else None)


def _others(run: Run) -> set[str]:
    return set(run.summary["termination_rates"]) - _ERRORS
