"""The ways in which sqlite3 prints the rows of a query."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TypeAlias

from pytest_mobileagent.virtual.shell.commands import decode

Value: TypeAlias = int | float | str | bytes | None
Row: TypeAlias = Sequence[Value]

_CSV_QUOTED = re.compile(r"[^!#-&(-~]")
_SEPARATORS = {
    "csv": (",", "\r\n"),
    "tabs": ("\t", "\n"),
    "ascii": ("\x1f", "\x1e"),
    "quote": (",", "\n"),
}


@dataclass(slots=True)
class Style:
    """How rows are printed now."""

    mode: str = "list"
    header: bool | None = None  # None: as the mode likes it
    column: str = "|"
    row: str = "\n"
    null: str = ""
    table: str = "table"
    widths: list[int] = field(default_factory=list)

    def become(self, mode: str, *, separators: bool = True) -> None:
        """Change the mode, with its separators."""
        self.mode = mode
        if separators:
            self.column, self.row = _SEPARATORS.get(mode, ("|", "\n"))

    def text(self, value: Value) -> str:
        """Return a value as text."""
        return self.null if value is None else text_of(value)


def text_of(value: Value) -> str:
    """Return a value as sqlite3_column_text does."""
    match value:
        case None:
            return ""
        case bytes():
            return decode(value.partition(b"\0")[0])
        case float():
            return _real(value)
    return str(value)


def literal(value: Value) -> str:
    """Return a value as SQL."""
    match value:
        case None:
            return "NULL"
        case bytes():
            return f"X'{value.hex()}'"
        case str():
            return "'" + value.replace("'", "''") + "'"
    return text_of(value)


def printed(names: Sequence[str], rows: Sequence[Row], style: Style) -> str:
    """Return the rows of a query as the mode prints them."""
    if not rows:
        return ""
    return _MODES[style.mode](names, rows, style)


def modes() -> list[str]:
    """Return the names of all modes."""
    return sorted(_MODES)


def _real(value: float) -> str:
    text = f"{value:.15g}"
    if text in {"inf", "-inf"}:
        return text.capitalize() if text == "inf" else "-Inf"
    mantissa, exponent, power = text.partition("e")
    if "." not in mantissa:
        mantissa += ".0"
    return (
        (mantissa + exponent + power).replace("-0.0", "0.0")
        if value == 0
        else mantissa + exponent + power
    )


def _lines(rows: Iterable[Iterable[str]], style: Style) -> str:
    return "".join(style.column.join(cells) + style.row for cells in rows)


def _list(names: Sequence[str], rows: Sequence[Row], style: Style) -> str:
    head = [names] if style.header else []
    return _lines([*head, *([style.text(value) for value in row] for row in rows)], style)


def _csv(names: Sequence[str], rows: Sequence[Row], style: Style) -> str:
    def cell(value: Value) -> str:
        text = style.text(value)
        if value is None or (text and not _CSV_QUOTED.search(text) and style.column not in text):
            return text
        return '"' + text.replace('"', '""') + '"'

    head = [[cell(name) for name in names]] if style.header else []
    return _lines([*head, *([cell(value) for value in row] for row in rows)], style)


def _quote(names: Sequence[str], rows: Sequence[Row], style: Style) -> str:
    head = [[literal(name) for name in names]] if style.header else []
    return _lines([*head, *([literal(value) for value in row] for row in rows)], style)


def _insert(names: Sequence[str], rows: Sequence[Row], style: Style) -> str:
    columns = f"({','.join(names)})" if style.header else ""
    start = f"INSERT INTO {identifier(style.table)}{columns} VALUES"
    return "".join(f"{start}({','.join(literal(value) for value in row)});\n" for row in rows)


def _line(names: Sequence[str], rows: Sequence[Row], style: Style) -> str:
    width = max(5, *(len(name) for name in names))
    return "\n".join(
        "".join(
            f"{name:>{width}} = {style.text(value)}\n"
            for name, value in zip(names, row, strict=True)
        )
        for row in rows
    )


def _json(names: Sequence[str], rows: Sequence[Row], _style: Style) -> str:
    def value_of(value: Value) -> str:
        match value:
            case None:
                return "null"
            case int():
                return str(value)
            case float():
                return _real(value)
            case bytes():
                return json.dumps(decode(value), ensure_ascii=False)
        return json.dumps(value, ensure_ascii=False)

    objects = (
        "{"
        + ",".join(
            f"{json.dumps(n, ensure_ascii=False)}:{value_of(v)}"
            for n, v in zip(names, row, strict=True)
        )
        + "}"
        for row in rows
    )
    return "[" + ",\n".join(objects) + "]\n"


def _html(names: Sequence[str], rows: Sequence[Row], style: Style) -> str:
    def line(tag: str, cells: Iterable[str]) -> str:
        return "<TR>" + "".join(f"<{tag}>{escape(cell)}</{tag}>\n" for cell in cells) + "</TR>\n"

    head = line("TH", names) if style.header else ""
    return head + "".join(line("TD", (style.text(value) for value in row)) for row in rows)


def _widths(names: Sequence[str], rows: Sequence[Sequence[str]], style: Style) -> list[int]:
    widths = [max(map(len, column)) for column in zip(names, *rows, strict=True)]
    return [
        abs(given) or width
        for given, width in zip([*style.widths, *[0] * len(widths)], widths, strict=False)
    ]


def _column(names: Sequence[str], rows: Sequence[Row], style: Style) -> str:
    cells = [[style.text(value) for value in row] for row in rows]
    widths = _widths(names if style.header else [""] * len(names), cells, style)
    head = [list(names), ["-" * width for width in widths]] if style.header else []
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + "\n"
        for row in [*head, *cells]
    )


def _framed(
    bar: str, top: str, middle: str, bottom: str
) -> Callable[[Sequence[str], Sequence[Row], Style], str]:
    """Return a mode that draws a table; a line is drawn with its four kinds of characters."""

    def rule(characters: str, widths: list[int]) -> str:
        if not characters:
            return ""
        left, dash, cross, right = tuple(characters)
        return left + cross.join(dash * (width + 2) for width in widths) + right + "\n"

    def mode(names: Sequence[str], rows: Sequence[Row], style: Style) -> str:
        cells = [[style.text(value) for value in row] for row in rows]
        widths = _widths(names, cells, style)
        lines = [[_centered(name, width) for name, width in zip(names, widths, strict=True)]]
        lines += [
            [cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in cells
        ]
        head, *body = [f"{bar} " + f" {bar} ".join(line) + f" {bar}\n" for line in lines]
        return (
            rule(top, widths) + head + rule(middle, widths) + "".join(body) + rule(bottom, widths)
        )

    return mode


def _centered(text: str, width: int) -> str:
    left = (width - len(text)) // 2
    return (" " * left + text).ljust(width)


def identifier(name: str) -> str:
    """Return a table's name, in quotes if it needs them."""
    return (
        name
        if re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII)
        else '"' + name.replace('"', '""') + '"'
    )


_MODES: dict[str, Callable[[Sequence[str], Sequence[Row], Style], str]] = {
    "list": _list,
    "csv": _csv,
    "tabs": _list,
    "ascii": _list,
    "quote": _quote,
    "insert": _insert,
    "line": _line,
    "json": _json,
    "html": _html,
    "column": _column,
    "markdown": _framed("|", "", "|-||", ""),
    "table": _framed("|", "+-++", "+-++", "+-++"),
    "box": _framed("│", "┌─┬┐", "├─┼┤", "└─┴┘"),
}
