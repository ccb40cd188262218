"""Tables of tasks: CSV, JSON, JSONL and TOML files whose rows are tasks."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent._task import OFFICIAL, OWN, VARIANTS
from pytest_mobileagent._task.needs import APPS, apps_in, as_list, split_needs, with_packages
from pytest_mobileagent._task.user import user_of_cell
from pytest_mobileagent._task.wording import Template, display_path, literal, official_goals
from pytest_mobileagent.errors import TaskError, did_you_mean
from pytest_mobileagent.jsonable import to_line, why_unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_mobileagent._task.wording import Goals, Official
    from pytest_mobileagent.action.matching import Golden


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table; every column is an attribute.

    - `id` names the row in test ids: its column `id`, or else its number, from 1.
    - `columns` maps column names to cells.
    - `where` is the file and line, for error messages.
    - `wording` is "official" if the goal comes from the suite's release (see `rows`), else "own".
    - `goal_variant` names the variant of the goal, if the release has several for the task.

    `@task(**row.task_fields, probes=…)` makes a single task of a row.
    """

    id: str
    columns: Mapping[str, Any]
    where: str
    wording: str = OWN
    goal_variant: str = ""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self.columns:
            names = ", ".join(self.columns) if not name.startswith("__") else ""
            raise AttributeError(f"{self.where} has no column {name!r} (available: {names})")
        return self.columns[name]

    def __repr__(self) -> str:
        return f"<row {self.test_id}>"

    @property
    def test_id(self) -> str:
        """The name of the row in test ids: its id, followed by the goal's variant, if any."""
        return f"{self.id}-{self.goal_variant}" if self.goal_variant else self.id

    @property
    def task_fields(self) -> dict[str, Any]:
        """The columns that are fields of a task, by name, without empty cells.

        Raises:
            TaskError: if a cell has the wrong type for its field.
        """
        fields: dict[str, Any] = {}
        for name, value in self.columns.items():
            if name not in _FIELDS or value in ("", None):
                continue
            try:
                fields[name] = _FIELDS[name](value)
            except TaskError as error:
                raise TaskError(f"{self.where}: {error}") from None
            except ValueError:
                what = _EXPECTED.get(name, "a whole number from 1")
                raise TaskError(f"{self.where}: {name} {value!r} must be {what}") from None
        if not fields.get("goal", "").strip():
            raise TaskError(f"{self.where}: a task needs a goal: add it in a column `goal`")
        if self.wording != OWN:
            given = self.columns["goal"]
            goal = given if isinstance(given, Template) else literal(fields["goal"])
            fields |= {"goal": str(goal), "wording": self.wording}
        return fields


def rows(
    path: str | Path, *, columns: Mapping[str, str] | None = None, wording: Official | None = None
) -> list[Row]:
    """Return the rows of a table: a `.csv`, `.json`, `.jsonl` or `.toml` file.

    A JSON file contains a list of objects, and a TOML file an array of tables, such as `[[task]]`.
    A relative path is resolved against the folder of the calling file.

    - `columns` maps fields to columns with other names: `{"goal": "task_description"}`.
    - `wording` reads the goals of the suite's official release: a function that takes the release's
      folder and returns goals by row id. For a goal of None the row keeps its own wording; the
      placeholders of a `Template` are filled. A dictionary contains goals by variant name,
      including "official": the row then appears once per variant, as tests that `compare` pairs.
      The function is called only if a file `releases.toml`, beside the table or in a folder above
      it up to the project's, names the release's folder under the name of the table's folder, or
      under both names: `a3.v1 = "../A3"` for `a3/v1.csv`.

    A word without a dot in the columns `app` and `apps` is a label from the file `apps.toml` beside
    the table, if there is one.

    Raises:
        TaskError: if the table or the release cannot be read or is invalid, with file and line.
    """
    caller = Path(sys._getframe(1).f_code.co_filename).parent  # noqa: SLF001 - as `warnings` does
    file = caller / path
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        raise TaskError(f"{path} must end with {', '.join(_READERS)}")
    try:
        text = file.read_text("utf-8-sig")
    except (OSError, ValueError) as error:
        raise TaskError(f"cannot read the table {file}: {error}") from error
    location = display_path(file)
    table = [*reader(text, location)]
    if columns:
        table = _renamed(table, columns, location)
    found: dict[str, Row] = {}
    labels = apps_in(file.with_name(APPS))
    for number, (place, cells) in enumerate(table, 1):
        name = str(cells.get("id") or number)
        where = f"{location}, {place} ({name})"
        if name in found:
            raise TaskError(f"{where}: this is also the id of {found[name].where}")
        found[name] = Row(name, with_packages(cells, labels, where), where)
    _check_paths(found.values())
    if wording is not None and (goals := official_goals(file, wording)) is not None:
        return [each for row in found.values() for each in _worded(row, goals, wording)]
    return list(found.values())


def _check_paths(found: Iterable[Row]) -> None:
    """Check that no two rows have the same golden path through recorded pages.

    Raises:
        TaskError: if two rows have the same golden path.
    """
    known: dict[str, Row] = {}
    for row in found:
        golden = row.columns.get("golden")
        if not golden or not isinstance(golden, list):
            continue
        if not all(isinstance(each, dict) and each.get("page") for each in golden):
            continue
        path = to_line([golden, row.columns.get("instructions")])
        if path in known:
            raise TaskError(f"{row.where}: its golden path is also that of {known[path].where}")
        known[path] = row


Table = list[tuple[str, dict[str, Any]]]  # each row's place in the file, and its cells


def _renamed(table: Table, columns: Mapping[str, str], path: str) -> Table:
    """Return the table with the mapped columns added under the names of their fields."""
    there = list(dict.fromkeys(name for _, cells in table for name in cells))
    for field, column in columns.items():
        if field not in {"id", *_FIELDS}:
            hint = f"{field!r}{did_you_mean(field, ['id', *_FIELDS])}"
            raise TaskError(f"columns={{{field!r}: …}}: a row of {path} has no field {hint}")
        if table and column not in there:
            hint = f"{column!r}{did_you_mean(column, there)} (available: {', '.join(there)})"
            raise TaskError(f"{path}, {table[0][0]} has no column {hint}")
    return [
        (place, {**cells, **{f: cells[c] for f, c in columns.items() if c in cells}})
        for place, cells in table
    ]


def _worded(row: Row, goals: Goals, official: Official) -> list[Row]:
    """Return the row with the release's goal, or one row per variant of the goal."""
    if row.id not in goals:
        name = getattr(official, "__name__", "wording")
        msg = f"{row.where}: {name}() found no goal with this id in the release"
        raise TaskError(f"{msg}: is it from another commit?")
    if (given := goals[row.id]) is None:
        return [row]
    if isinstance(given, Mapping):
        _check_variants(row, given)
    variants = given if isinstance(given, Mapping) else {"": given}
    for goal in variants.values():
        if not isinstance(goal, str) or not goal.strip():
            raise TaskError(f"{row.where}: the goal of the release must be a string, not {goal!r}")
    return [
        Row(row.id, {**row.columns, "goal": goal}, row.where, OFFICIAL, variant)
        for variant, goal in variants.items()
    ]


def _check_variants(row: Row, variants: Mapping[Any, Any]) -> None:
    """Check the names of the variants of a row's goal.

    Raises:
        TaskError: if a name cannot be in test ids, "official" is missing, or there is a vague goal.
    """
    if OFFICIAL not in variants:
        msg = f"{row.where}: the release's goals by variant must include {OFFICIAL!r}"
        raise TaskError(f"{msg}, not only {[*variants]!r:.60}")
    for name in variants:
        if not (isinstance(name, str) and re.fullmatch(r"\w+", name)) or name in VARIANTS:
            msg = f"{row.where}: a variant of the release's goal cannot be called {name!r:.60}"
            raise TaskError(f"{msg}: use letters and digits, and neither {' nor '.join(VARIANTS)}")
    if row.columns.get("vague"):
        why = "it has a vague goal, so the release's goal cannot have variants"
        raise TaskError(f"{row.where}: {why}")


def _csv(text: str, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    table = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        names = list(table.fieldnames or ())
        if not names or (twice := [name for name in names if names.count(name) > 1]):
            what = f"has the column {twice[0]!r} twice" if names else "must name the columns"
            raise TaskError(f"{path}, line 1 {what}")
        for columns in table:
            if None in columns or None in columns.values():
                raise TaskError(f"{path}, line {table.line_num}: {_cells(columns)}")
            yield f"line {table.line_num}", dict(columns)
    except csv.Error as error:
        raise TaskError(f"{path}, line {table.line_num}: {error}") from error


def _cells(columns: Mapping[Any, Any]) -> str:
    more = len(columns.get(None) or ())
    fewer = sum(value is None for value in columns.values())
    count = f"{more} more" if more else f"{fewer} fewer"
    return f"has {count} cells than the first line has columns"


def _json(text: str, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        table = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TaskError(f"{path} is not JSON: {why_unreadable(error)}") from error
    if not isinstance(table, list):
        raise TaskError(f"{path} must contain a list of objects")
    for number, columns in enumerate(table, 1):
        yield f"row {number}", _object(columns, f"{path}, row {number}")


def _jsonl(text: str, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            where = f"{path}, line {number}"
            try:
                columns = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise TaskError(f"{where} is not JSON: {why_unreadable(error)}") from error
            yield f"line {number}", _object(columns, where)


def _toml(text: str, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        whole = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise TaskError(f"{path} is not TOML: {why_unreadable(error)}") from error
    name, table = next(iter(whole.items()), ("", None))
    if len(whole) != 1 or not isinstance(table, list):
        raise TaskError(f"{path} must contain one array of tables, each beginning with [[task]]")
    begins = re.compile(rf"\[\[\s*[\"']?{re.escape(name)}[\"']?\s*\]\]\s*(#.*)?")
    lines = [n for n, line in enumerate(text.split("\n"), 1) if begins.fullmatch(line.strip())]
    # False if the text contains such a line, or if all tables are inline.
    known = len(lines) == len(table)
    for number, columns in enumerate(table, 1):
        place = f"line {lines[number - 1]}" if known else f"row {number}"
        yield place, _object(columns, f"{path}, {place}")


def _object(columns: Any, where: str) -> dict[str, Any]:
    if not isinstance(columns, dict):
        raise TaskError(f"{where} must be an object with named values")
    return columns


_READERS: dict[str, Callable[[str, str], Iterator[tuple[str, dict[str, Any]]]]] = {
    ".csv": _csv,
    ".json": _json,
    ".jsonl": _jsonl,
    ".toml": _toml,
}


def _needs(value: Any) -> tuple[str, ...]:
    return split_needs(value, separators=",;") if isinstance(value, str) else as_list(value)


def _golden(value: Any) -> tuple[Golden, ...]:
    """Return golden actions from JSON data, or from JSON text as in a CSV cell.

    Raises:
        TaskError: if the JSON is invalid or an action is; the message gives its number, from 1.
    """
    from pytest_mobileagent.action.matching import golden_from_json

    try:
        each = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError) as error:
        raise TaskError(f"golden is not JSON: {why_unreadable(error)}") from None
    if not isinstance(each, list):
        raise TaskError("golden must be a list of golden actions")
    found = []
    for number, one in enumerate(each, 1):
        try:
            found.append(golden_from_json(one))
        except TaskError as error:
            raise TaskError(f"golden action {number}: {error}") from None
    return tuple(found)


def _whole(value: Any) -> int:
    return int(str(value))


def _flag(value: Any) -> bool:
    word = str(value).strip().casefold()
    if word not in {"true", "yes", "1", "false", "no", "0"}:
        raise ValueError(value)
    return word in {"true", "yes", "1"}


# The parser for each column that is a field of a task.
_FIELDS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("goal", "vague", "app", "kind", "language", "source", "suite"), str),
    **dict.fromkeys(("snapshot", "task_set", "twin"), str),
    **dict.fromkeys(("apps", "tags", "instructions"), as_list),
    **dict.fromkeys(("golden_steps", "level", "step_limit"), _whole),
    "needs": _needs,
    "golden": _golden,
    "stop_on_success": _flag,
    "user": user_of_cell,
}
_EXPECTED = {
    "level": "1, 2 or 3",
    "stop_on_success": "true or false",
    "user": "a text, or a list of pairs of question and answer",
}
