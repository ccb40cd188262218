"""The ways in which sqlite3 prints the rows of a query."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.streams import decode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pytest_mobileagent.virtual.shell.database import Row

_SEPARATORS = {"csv": (",", "\r\n"), "tabs": ("\t", "\n")}
_CSV_QUOTED = re.compile(r"[^!#-&(-~]")


@dataclass(slots=True)
class Style:
    """How rows are printed now."""

    mode: str = "list"
    header: bool | None = None  # None: as the mode likes it
    column: str = "|"
    row: str = "\n"
    nullvalue: str = ""
    cmd: str = ""

    def become(self, mode: str) -> None:
        """Change the mode, with its separators."""
        self.mode = mode
        self.column, self.row = _SEPARATORS.get(mode, ("|", "\n"))

    def text(self, value: object) -> str:
        """Return a value as text."""
        return self.nullvalue if value is None else _text(value)

    def printed(self, names: Sequence[str], rows: Sequence[Row]) -> str:
        """Return the rows of a query as the mode prints them."""
        return MODES[self.mode](names, rows, self) if rows else ""


def _text(value: object) -> str:
    """Return a value as sqlite3_column_text does."""
    if isinstance(value, bytes):
        return decode(value.partition(b"\0")[0])
    if not isinstance(value, float):
        return str(value)
    mantissa, exponent, power = f"{value or 0.0:.15g}".partition("e")
    if mantissa.lstrip("-") == "inf":
        return mantissa.title()
    return mantissa + (".0" if "." not in mantissa else "") + exponent + power


def _lines(rows: Iterable[Iterable[str]], style: Style) -> str:
    return "".join(style.column.join(cells) + style.row for cells in rows)


def _list(names: Sequence[str], rows: Sequence[Row], style: Style) -> str:
    head = [names] if style.header else []
    return _lines([*head, *([style.text(value) for value in row] for row in rows)], style)


def _csv(names: Sequence[str], rows: Sequence[Row], style: Style) -> str:
    def cell(value: object) -> str:
        text = style.text(value)
        if value is None or (text and not _CSV_QUOTED.search(text) and style.column not in text):
            return text
        return '"' + text.replace('"', '""') + '"'

    return _lines([map(cell, row) for row in ([names] if style.header else []) + list(rows)], style)


def _line(names: Sequence[str], rows: Sequence[Row], style: Style) -> str:
    width = max(5, *map(len, names))
    blocks = [
        (f"{n:>{width}} = {style.text(v)}\n" for n, v in zip(names, row, strict=True))
        for row in rows
    ]
    return "\n".join("".join(block) for block in blocks)


def _json(names: Sequence[str], rows: Sequence[Row], _style: Style) -> str:
    def member(name: str, value: object) -> str:
        text = decode(value) if isinstance(value, bytes) else value
        shown = _text(text) if isinstance(text, float) else json.dumps(text, ensure_ascii=False)
        return f"{json.dumps(name, ensure_ascii=False)}:{shown}"

    objects = ("{" + ",".join(map(member, names, row)) + "}" for row in rows)
    return "[" + ",\n".join(objects) + "]\n"


def _column(names: Sequence[str], rows: Sequence[Row], style: Style) -> str:
    cells = [[style.text(value) for value in row] for row in rows]
    table = [list(names), *cells] if style.header else cells
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    if style.header:
        table.insert(1, ["-" * width for width in widths])
    return "".join("  ".join(map(str.ljust, row, widths)) + "\n" for row in table)


MODES: dict[str, Callable[[Sequence[str], Sequence[Row], Style], str]] = {
    "list": _list,
    "csv": _csv,
    "tabs": _list,
    "line": _line,
    "json": _json,
    "column": _column,
}
