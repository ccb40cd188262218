"""The decorators `task` and `tasks`, which make a test function a task, or one for each row.

A decorator checks the fields where they stand. What it makes of the function is up to whatever runs
tests: the plugin has pytest mark it (`declare_by`). Where nothing does, it stays as it is.

Tables of tasks: CSV, JSON and JSONL files whose rows are tasks.
"""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.plain import why_unreadable
from pytest_mobileagent.task.task import DEFAULT_SNAPSHOT, Task

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pytest_mobileagent.task.solution import Move
    from pytest_mobileagent.task.task import Probe


F = TypeVar("F")


class Decorator(Protocol):
    """What makes a test function a task."""

    def __call__(self, function: F, /) -> F:
        """Return the function, which is a task now."""


class Declaring(Protocol):
    """What makes tasks of test functions, for whatever runs them."""

    def task(self, fields: Mapping[str, Any]) -> Decorator:
        """Return the decorator for a task with some fields, its goal among them."""

    def tasks(self, rows: Sequence[tuple[Row, Mapping[str, Any]]]) -> Decorator:
        """Return the decorator for a task for each row, each with its fields."""


class _Nothing:
    """Leaves functions as they are: nothing runs them as tests."""

    def task(self, fields: Mapping[str, Any]) -> Decorator:  # noqa: ARG002
        return _unchanged

    def tasks(self, rows: Sequence[tuple[Row, Mapping[str, Any]]]) -> Decorator:  # noqa: ARG002
        return _unchanged


def _unchanged(function: F, /) -> F:
    return function


_declaring: Declaring = _Nothing()


def declare_by(declaring: Declaring) -> None:
    """Have tasks made by what runs tests, from now on."""
    global _declaring  # noqa: PLW0603 - one process has one test runner
    _declaring = declaring


def task(
    goal: str,
    *,
    app: str | None = None,
    apps: Sequence[str] = (),
    golden_steps: int | None = None,
    level: int | None = None,
    kind: str = "operation",
    language: str = "en",
    tags: Sequence[str] = (),
    source: str = "",
    suite: str | None = None,
    step_limit: int | None = None,
    probes: Mapping[str, Probe] | None = None,
    needs: Sequence[str] = (),
    snapshot: str = DEFAULT_SNAPSHOT,
    solution: Sequence[Move] = (),
    parameters: Callable[[random.Random], Mapping[str, Any]] | None = None,
    prepare: Callable[..., object] | None = None,
    clean_up: Callable[..., object] | None = None,
    user: str | Mapping[str, str] | None = None,
    success_after_error: bool = False,
    stop_on_success: bool = False,
) -> Decorator:
    """Make a test function a task: its body decides whether an episode has met the goal.

    The fields are those of `Task`; `suite` names another suite than the folder of the file. Under
    pytest this is the marker `mobile_task`, so `-m "mobile_task(level=1)"` selects by field.

    Raises:
        TaskError: a field makes no sense.
    """
    given = {name: value for name, value in locals().items() if name != "goal"}
    defaults = task.__kwdefaults__ or {}
    fields = {name: value for name, value in given.items() if value is not defaults[name]}
    make_task(goal, fields)  # so that an error is raised where the task stands
    return _declaring.task({"goal": goal, **fields})


def tasks(rows: Iterable[Row], **common: Any) -> Decorator:
    """Make a test function a task for each row of a table (see `rows`).

    Columns that are fields of a task are used as such, others fill placeholders of the goal and of
    the solution; all are attributes of the test's argument `row`. Fields that all rows have in
    common, such as probes and a solution, are given by name, as to `task`.

    Raises:
        TaskError: a row or a field makes no sense; the text names the row's line.
    """
    make_task("any goal", common)
    found = []
    for row in rows:
        try:
            fields = {**row.task_fields, **common}
            columns = ((name, value) for name, value in fields.items() if name not in common)
            _check_fields(tuple((name, value) for name, value in columns if name != "goal"))
        except TaskError as error:
            where = f"{row.where}: "
            msg = f"{where}{str(error).removeprefix(where)}"
            raise TaskError(msg) from None
        found.append((row, fields))
    return _declaring.tasks(found)


@lru_cache(maxsize=1024)
def _check_fields(fields: tuple[tuple[str, Any], ...]) -> None:
    """Look whether the fields of a row make sense: a long table has the same ones many times."""
    make_task("any goal", dict(fields))


def make_task(goal: Any, fields: Mapping[str, Any]) -> Task:
    """Return a task with some fields; `suite` is none of them.

    Raises:
        TaskError: a field makes no sense, or there is no such field.
    """
    given = {name: value for name, value in fields.items() if name != "suite"}
    for name in ("apps", "tags", "needs"):
        if isinstance(given.get(name), list):
            given[name] = tuple(given[name])
    try:
        return Task(goal, **given)
    except TypeError as error:
        msg = f"@task({goal!r}): {error}".replace("Task.__init__() got", "a task got")
        raise TaskError(msg) from None


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
