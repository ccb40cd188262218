"""Tables of runs, written as Markdown, LaTeX and CSV with all strings escaped."""

from __future__ import annotations

import csv
import io
import unicodedata
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.report.text import escape_markdown, markdown_table

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Cell:
    """The content of a cell: text, or a number shown with `digits` decimals; None for "n/a".

    - `percent`: whether the number is a share shown in percent; `sign`: whether with "%".
    - `low`, `high`: its interval. `error`: its standard error.
    """

    value: float | str | None
    digits: int = 3
    percent: bool = False
    sign: bool = field(default=True, kw_only=True)
    low: float | None = None
    high: float | None = None
    error: float | None = None

    def __str__(self) -> str:
        """Return the formatted content: 0.340, 0.340 (0.262-0.421), 87 ± 07 or n/a."""
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
        text = f"{100 * number:.{self.digits}f}"
        return f"{text}%" if self.sign else text.zfill(2)


@dataclass(frozen=True, slots=True)
class Column:
    """The head of a column; `group` is a heading above several columns."""

    title: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Columns, rows of cells, and notes with the caveats of the numbers."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()


_FORMULA = ("=", "+", "-", "−", "@")  # beginnings that spreadsheets take for a formula
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
    """Return a table in Markdown; the titles of grouped columns begin with the group."""
    head = [f"{column.group}: {column.title}" if column.group else column.title
            for column in table.columns]  # fmt: skip
    lines = markdown_table(head, table.rows)
    notes = [f"{escape_markdown(note)}  " for note in table.notes]
    return "\n".join([*lines, *(["", *notes] if notes else [])]) + "\n"


def as_csv(table: Table) -> str:
    """Return a table in CSV (RFC 4180); intervals and errors have separate columns.

    Shares are from 0 to 1. Texts that a spreadsheet would evaluate are prefixed by an apostrophe.
    """
    written = io.StringIO()
    writer = csv.writer(written)
    columns = [[row[place] for row in table.rows] for place in range(len(table.columns))]
    extras = [
        [name for name in _EXTRAS if any(getattr(cell, name) is not None for cell in cells)]
        for cells in columns
    ]
    head: list[str] = []
    for column, names in zip(table.columns, extras, strict=True):
        title = f"{column.group}: {column.title}" if column.group else column.title
        head += [_harmless(title), *(_harmless(f"{title} {name}") for name in names)]
    writer.writerow(head)
    for row in table.rows:
        cells: list[str] = []
        for cell, names in zip(row, extras, strict=True):
            value = cell.value
            cells.append(_harmless(value) if isinstance(value, str) else _csv_number(value))
            cells += [_csv_number(getattr(cell, name)) for name in names]
        writer.writerow(cells)
    return written.getvalue()


def as_latex(table: Table) -> str:
    """Return a LaTeX tabular for the package booktabs; notes are comments above it."""
    lines = [f"% {_one_line(note)}" for note in table.notes]
    columns = zip(*table.rows, strict=True)
    texts = [any(isinstance(cell.value, str) for cell in each) for each in columns]
    aligned = "".join("l" if is_text else "r" for is_text in texts)
    lines += [rf"\begin{{tabular}}{{{aligned}}}", r"\toprule"]
    if any(column.group for column in table.columns):
        lines += list(_groups(table))
    lines.append(_latex_row(column.title for column in table.columns))
    lines.append(r"\midrule")
    lines += [_latex_row(map(str, row)) for row in table.rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _groups(table: Table) -> Iterator[str]:
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
    # After the end of a row or a rule, LaTeX would read these characters as its argument.
    return "{}" + row if row.startswith(("[", "*")) else row


def escape_latex(text: str) -> str:
    """Return the text with LaTeX's special characters escaped, on one line."""
    return "".join(_LATEX.get(char, char) for char in _one_line(text))


def _csv_number(number: float | None) -> str:
    return "n/a" if number is None else f"{number:.6g}"


def _harmless(text: str) -> str:
    line = _one_line(text)
    # East Asian spreadsheets treat full-width signs like the ASCII ones.
    first = unicodedata.normalize("NFKC", line[:1])
    return f"'{line}" if first.startswith(_FORMULA) else line


def _one_line(text: str) -> str:
    return printable(" ".join(text.split()))
