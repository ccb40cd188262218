"""A3's second official release: its goals, and its inconsistencies.

    python tasks/a3/release.py DIR

compares a copy of https://github.com/YuxiangChai/AITK with the table `v2.toml`, whose goals and
essential states are in our own words. Nothing of the copy is imported or run: its tasks are text.

For a while the release had a rewrite of each goal, called noisy, in a separate file. With a copy
that has this file, these tasks have two variants, "official" and "noisy".
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent._task import OFFICIAL
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.releases import Finding, Released, compare_release

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

FILE, REWRITES = Path("tasks", "tasks.jsonl"), Path("tasks", "noisy_tasks.jsonl")
NOISY = "noisy"
LEVELS = {"easy": 1, "medium": 2, "hard": 3}
KINDS = {"operation": "operation", "information retrieval": "single-frame query"}
STATES = ("essential states", "essential_states")  # in the release, and in its documentation
FIELDS = ("task", "level", "category", "max_steps", "app_package")


def official(folder: Path) -> dict[str, str | dict[str, str] | None]:
    """Return the goals of a release by the ids of the table, those with a rewrite as variants.

    Raises:
        TaskError: if there is no release, or one of its tasks cannot be read.
    """
    rewritten = {task["name"]: task["new_task"].strip() for _, task in _rewrites(folder)}
    goals = {name: each.goal for name, each in read(folder).items()}
    return {
        name: {OFFICIAL: goal, NOISY: rewritten[name]} if goal and name in rewritten else goal
        for name, goal in goals.items()
    }


def read(folder: Path) -> dict[str, Released]:
    """Return the tasks of a release by the ids of the table.

    Raises:
        TaskError: if there is no release, or one of its tasks cannot be read.
    """
    return {
        task["name"]: Released(
            task["task"].strip(),
            place,
            {
                "level": LEVELS[task["level"]],
                "kind": KINDS[task["category"]],
                "step_limit": task["max_steps"],
            },
        )
        for place, task in _tasks(folder)
    }


def lint(folder: Path) -> Iterator[Finding]:
    """Yield the defects of a release's tasks, of their states and of their rewrites.

    Raises:
        TaskError: if there is no release, or one of its tasks cannot be read.
    """
    goals = {name: each.goal for name, each in read(folder).items()}
    for place, task in _rewrites(folder):
        if task["name"] not in goals:
            yield Finding("a rewrite of no task", place, f"{FILE.as_posix()} has no such task")
        elif task.get("task", "").strip() != goals[task["name"]]:
            what = "it was written of a goal that the release has changed since"
            yield Finding("a rewrite of an older goal", place, what)
    for place, task in _tasks(folder):
        states = _states(task, place)
        if len({state.strip() for state in states}) != len(states):
            yield Finding("a state twice", place, task["name"])
        if blank := [state for state in states if state != state.strip()]:
            yield Finding("blanks around a state", place, f"{task['name']}: {blank[0]!r}")


def _tasks(folder: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for place, task in _lines(folder, FILE, FIELDS):
        if task["level"] not in LEVELS or task["category"] not in KINDS:
            msg = f"{place}: {task['level']!r}, {task['category']!r} is no level and category"
            raise TaskError(msg)
        if not isinstance(task["task"], str) or not isinstance(task["max_steps"], int):
            msg = f"{place}: task must be a string, and max_steps a number"
            raise TaskError(msg)
        yield place, task


def _rewrites(folder: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the tasks in the file of rewrites, if there is one."""
    if not (folder / REWRITES).exists():
        return
    for place, task in _lines(folder, REWRITES, ("new_task",)):
        if not isinstance(task["new_task"], str) or not isinstance(task.get("task", ""), str):
            msg = f"{place}: task and new_task must be texts"
            raise TaskError(msg)
        yield place, task


def _lines(
    folder: Path, file: Path, fields: Sequence[str]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the tasks of a file with their places, after checking that they have some fields."""
    path = folder / file
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, ValueError):
        msg = f"{path} cannot be read: name the folder of a copy of YuxiangChai/AITK"
        raise TaskError(msg) from None
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        place = f"{file.as_posix()}, line {number}"
        try:
            task = json.loads(line)
            name = str(task["name"])
            lacking = [field for field in fields if field not in task]
        except (ValueError, LookupError, TypeError, RecursionError):
            msg = f"{place} is not a task in JSON"
            raise TaskError(msg) from None
        place = f"{place} ({name})"
        if lacking:
            msg = f"{place} has no {lacking[0]}"
            raise TaskError(msg)
        yield place, task


def _states(task: Mapping[str, Any], place: str) -> list[str]:
    """Return the essential states, which the release writes as JSON within JSON."""
    given = next((task[name] for name in STATES if name in task), None)
    try:
        states = json.loads(given) if isinstance(given, str) else given
    except ValueError:
        states = None
    if not isinstance(states, list) or not all(isinstance(state, str) for state in states):
        msg = f"{place}: its essential states are no list of texts"
        raise TaskError(msg)
    return states


if __name__ == "__main__":
    raise SystemExit(compare_release(read, lint, [Path(__file__).with_name("v2.toml")]))
