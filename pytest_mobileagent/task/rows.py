"""Tables of tasks: CSV, JSON and JSONL files whose rows are tasks."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.plain import why_unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: every column is an attribute.

    `id` names it in test ids: its column `id`, else its number from 1. `where` says where it
    stands, for error messages.
    """

    id: str
    columns: Mapping[str, Any]
    where: str

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self.columns:
            names = ", ".join(self.columns) if not name.startswith("__") else ""
            msg = f"{self.where} has no column {name!r} (there are: {names})"
            raise AttributeError(msg)
        return self.columns[name]

    def __repr__(self) -> str:
        return f"<row {self.id}>"

    @property
    def task_fields(self) -> dict[str, Any]:
        """The columns that are fields of a task, by name; cells that are empty are left out.

        Raises:
            TaskError: a cell is not of its field's type.
        """
        fields: dict[str, Any] = {}
        for name, value in self.columns.items():
            if name not in _FIELDS or value in ("", None):
                continue
            try:
                fields[name] = _FIELDS[name](value)
            except ValueError:
                what = _EXPECTED.get(name, "a whole number from 1")
                msg = f"{self.where}: {name} {value!r} has to be {what}"
                raise TaskError(msg) from None
        if not fields.get("goal", "").strip():
            msg = f"{self.where}: a task needs a goal: give it in a column `goal`"
            raise TaskError(msg)
        return fields


def rows(path: str | Path) -> list[Row]:
    """Return the rows of a table: a `.csv`, `.json` (a list of objects) or `.jsonl` file.

    A relative path is one beside the file that calls.

    Raises:
        TaskError: the file cannot be read, or two rows have the same id; the text names the line.
    """
    caller = Path(sys._getframe(1).f_code.co_filename).parent  # noqa: SLF001 - as `warnings` does
    file = caller / path
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        msg = f"{path} has to end with {', '.join(_READERS)}"
        raise TaskError(msg)
    try:
        text = file.read_text("utf-8-sig")
    except (OSError, ValueError) as error:
        msg = f"cannot read the table {file}: {error}"
        raise TaskError(msg) from error
    found: dict[str, Row] = {}
    shown = os.path.relpath(file) if file.is_relative_to(Path.cwd()) else str(file)
    unit = "row" if reader is _json else "line"
    for number, (line, columns) in enumerate(reader(text, shown), 1):
        name = str(columns.get("id") or number)
        where = f"{shown}, {unit} {line} ({name})"
        if name in found:
            msg = f"{where}: this id is also that of {found[name].where}"
            raise TaskError(msg)
        found[name] = Row(name, columns, where)
    return list(found.values())


def _csv(text: str, path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    table = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        for columns in table:
            if None in columns or None in columns.values():
                msg = f"{path}, line {table.line_num}: {_cells(columns)}"
                raise TaskError(msg)
            yield table.line_num, dict(columns)
    except csv.Error as error:
        msg = f"{path}, line {table.line_num}: {error}"
        raise TaskError(msg) from error


def _cells(columns: Mapping[Any, Any]) -> str:
    more = len(columns.get(None) or ())
    fewer = sum(value is None for value in columns.values())
    return f"has {more or fewer} {'more' if more else 'fewer'} cells than the first line has names"


def _json(text: str, path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        table = json.loads(text)
    except (ValueError, RecursionError) as error:
        msg = f"{path} is not JSON: {why_unreadable(error)}"
        raise TaskError(msg) from error
    if not isinstance(table, list):
        msg = f"{path} has to hold a list of objects"
        raise TaskError(msg)
    for number, columns in enumerate(table, 1):
        yield number, _object(columns, f"{path}, row {number}")


def _jsonl(text: str, path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                columns = json.loads(line)
            except (ValueError, RecursionError) as error:
                msg = f"{path}, line {number} is not JSON: {why_unreadable(error)}"
                raise TaskError(msg) from error
            yield number, _object(columns, f"{path}, line {number}")


def _object(columns: Any, where: str) -> dict[str, Any]:
    if not isinstance(columns, dict):
        msg = f"{where} has to be an object, with a name for each value"
        raise TaskError(msg)
    return columns


def _list(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(word.strip() for word in value.replace(";", ",").split(",") if word.strip())
    return tuple(map(str, value))


def _whole(value: Any) -> int:
    return int(str(value))


def _flag(value: Any) -> bool:
    words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    word = str(value).strip().casefold()
    if word not in words:
        raise ValueError(value)
    return words[word]


# How cells of the columns that are fields of a task are read.
_FIELDS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("goal", "app", "kind", "language", "source", "suite", "snapshot"), str),
    **dict.fromkeys(("apps", "tags", "needs", "instructions"), _list),
    **dict.fromkeys(("golden_steps", "level", "step_limit"), _whole),
    "stop_on_success": _flag,
}
_EXPECTED = {"level": "1, 2 or 3", "stop_on_success": "true or false"}
_READERS: dict[str, Callable[[str, str], Iterator[tuple[int, dict[str, Any]]]]] = {
    ".csv": _csv,
    ".json": _json,
    ".jsonl": _jsonl,
}
