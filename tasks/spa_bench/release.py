"""SPA-Bench's official release: its goals, and its inconsistencies.

    python tasks/spa_bench/release.py DIR

compares a copy of https://github.com/ai-agents-2030/SPA-Bench with the tables beside this file,
whose goals are in our own words. Nothing of the copy is imported or run: its tasks are text.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.releases import Finding, Released, compare_release

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

HERE = Path(__file__).parent
# The tables, each with the files of the release that contain its tasks.
TABLES = {
    "en": ("single_en.csv", ("single-app-ENG.csv",)),
    "zh": ("single_zh.csv", ("single-app-CHN.csv",)),
    "cross": ("cross.toml", ("cross-app-ENG.csv", "cross-app-CHN.csv")),
}
LANGUAGES = {"ENG": "en", "CHN": "zh"}


def official(table: str, folder: Path) -> dict[str, str | None]:
    """Return the goals of a release by the ids of one of our tables: en, zh, cross.

    Raises:
        TaskError: if there is no release, or one of its rows cannot be read.
    """
    return {name: each.goal for name, each in read(table, folder).items()}


def read(table: str, folder: Path) -> dict[str, Released]:
    """Return the tasks of a release by the ids of one of our tables: en, zh, cross.

    Raises:
        TaskError: if there is no release, or one of its rows cannot be read.
    """
    found: dict[str, Released] = {}
    for file in TABLES[table][1]:
        for place, row in _rows(folder, file):
            columns: dict[str, Any] = {
                "language": LANGUAGES.get(row["task_language"], row["task_language"]),
                "level": _whole(row["task_difficulty"], place, "task_difficulty"),
                "golden_steps": _whole(row["golden_steps"], place, "golden_steps"),
            }
            if "key_component_final" in row:
                columns["key_components"] = ";".join(components(row, place))
            else:
                columns["category"] = row["category"]
            found[row["task_identifier"]] = Released(
                row["task_description"].strip(), place, columns
            )
    return found


def components(row: Mapping[str, str], place: str) -> list[str]:
    """Return the key components of a row, which are written as a Python list.

    Raises:
        TaskError: if they are not a list of strings.
    """
    text = row["key_component_final"].strip()
    try:
        words = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        words = None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        msg = f"{place}: key_component_final {text[:60]!r} is not a list of texts"
        raise TaskError(msg)
    return words


def lint(table: str, folder: Path) -> Iterator[Finding]:
    """Yield the defects of the tasks of a table in a release.

    Raises:
        TaskError: if there is no release, or one of its rows cannot be read.
    """
    for file in TABLES[table][1]:
        for place, row in _rows(folder, file):
            name = row["task_identifier"]
            if "key_component_final" in row:
                yield from _of_components(name, place, row)
            else:
                yield from _of_split(name, place, row, folder)


def _of_components(name: str, place: str, row: Mapping[str, str]) -> Iterator[Finding]:
    words = components(row, place)
    goal = re.sub(r"\s", "", row["task_description"]).lower()
    if not words:
        yield Finding("no key components", place, f"{name}: any screen passes the coarse stage")
    elif all(word.lower() in goal for word in words):
        yield Finding("all key components in the goal", place, name)
    if re.search(r"""['"]\s+['"]""", row["key_component_final"]):
        yield Finding("two texts without a comma", place, f"{name}: they are read as one")
    if alone := [word for word in words if len(word) == 1]:
        yield Finding("key component of one character", place, f"{name}: {', '.join(alone)}")


def _of_split(name: str, place: str, row: Mapping[str, str], folder: Path) -> Iterator[Finding]:
    """Yield the subtasks of a cross-app task that use apps which its row does not name."""
    path = folder / "data" / "cross-app-split" / f"{name}.json"
    try:
        split = json.loads(path.read_text("utf-8-sig"))
        used = [each["app"] for key, each in split.items() if key.startswith("subtask")]
        named = {app.casefold() for app in ast.literal_eval(row["task_app"])}
    except (OSError, ValueError, SyntaxError, LookupError, TypeError, AttributeError) as error:
        msg = f"{place}: {path.relative_to(folder).as_posix()} cannot be read: {error}"
        raise TaskError(msg) from None
    for app in used:
        if app.casefold() not in named:
            listed = ", ".join(sorted(named))
            what = f"{name}: {app} is not one of {listed}"
            yield Finding("app of a subtask is not the row's", place, what)


def _rows(folder: Path, file: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the rows of a file of the release, each with its place.

    Raises:
        TaskError: if the file cannot be read, or lacks a column.
    """
    path = folder / "data" / file
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, ValueError):
        msg = f"{path} cannot be read: name the folder of a copy of ai-agents-2030/SPA-Bench"
        raise TaskError(msg) from None
    table = csv.DictReader(io.StringIO(text, newline=""))
    needed = {"task_identifier", "task_language", "task_description", "task_difficulty"}
    needed |= {"golden_steps", "category" if file.startswith("cross") else "key_component_final"}
    if missing := sorted(needed - set(table.fieldnames or ())):
        msg = f"data/{file}, line 1 has no column {', '.join(missing)}"
        raise TaskError(msg)
    for row in table:
        place = f"data/{file}, line {table.line_num}"
        if lacking := [name for name in needed if not isinstance(row.get(name), str)]:
            msg = f"{place} ({row['task_identifier']}) has no {lacking[0]}"
            raise TaskError(msg)
        yield f"{place} ({row['task_identifier']})", row


def _whole(text: str, place: str, column: str) -> int:
    try:
        return int(text)
    except ValueError:
        msg = f"{place}: {column} {text!r} is not a whole number"
        raise TaskError(msg) from None


if __name__ == "__main__":
    statuses = [
        compare_release(partial(read, name), partial(lint, name), [HERE / file])
        for name, (file, _) in TABLES.items()
    ]
    raise SystemExit(max(statuses))
