"""report.json read back, and the newest of several runs found."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.migrate import reset
from pytest_mobileagent.episode.runs import RUN
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.plain import expect
from pytest_mobileagent.report.document import SCHEMA_VERSION
from pytest_mobileagent.report.result import Result
from pytest_mobileagent.task.case import Case
from pytest_mobileagent.task.task import Task

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

REPORT = "report.json"


def read_report(path: Path) -> dict[str, Any]:
    """Return a report.json in today's shape, with all that a newer minor version has added.

    Raises:
        OSError: it cannot be read, or is not there.
        RecordError: it is damaged, or of a newer major version.
    """
    text = path.read_text("utf-8", "replace")
    try:
        whole = expect(json.loads(text), dict, "report")
        version = expect(whole["schema_version"], float, "schema_version")
        expect(whole["run"], dict, "run")
        expect(whole["summary"], dict, "summary")
        tasks = [_entry(task) for task in expect(whole["tasks"], list, "tasks")]
        blank = Result(Case(Task("-"), "-")).to_wire()  # what an older version did not count
        tasks = [{**blank, **(_from_1(task) if version < 2 else task)} for task in tasks]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        msg = f"{path} is damaged: {type(error).__name__}: {error}"
        raise RecordError(msg) from error
    if not 1 <= version < SCHEMA_VERSION + 1:
        msg = (
            f"{path} has schema version {version}; this version of pytest-mobileagent reads up to "
            f"{SCHEMA_VERSION}: install a newer one"
        )
        raise RecordError(msg)
    return {**whole, "schema_version": max(version, SCHEMA_VERSION), "tasks": tasks}


def find_run(path: Path) -> Path:
    """Return the folder of the run that a path names: a run's own, or one that holds several.

    Of several it is the one that was begun last.

    Raises:
        RecordError: there is none.
    """
    found = path if is_run(path) else newest_run(path)
    if found is None:
        what = "holds no run" if path.is_dir() else "is no folder"
        msg = f"{path} {what}: name a run's folder, which holds run.json, or a folder of runs"
        raise RecordError(msg)
    return found.resolve()


def newest_run(runs: Path) -> Path | None:
    """Return the run that was begun last of those in a folder; None if there is none."""
    try:
        folders = [path for path in runs.iterdir() if is_run(path)]
        return max(folders, key=_begun, default=None)
    except OSError:
        return None


def is_run(folder: Path) -> bool:
    """Whether a folder is that of a run, which may go on still."""
    return any((folder / name).is_file() for name in (RUN, REPORT))


def _begun(folder: Path) -> tuple[float, str]:
    first = folder / RUN
    path = first if first.is_file() else folder / REPORT
    return path.stat().st_mtime, folder.name


def _entry(task: Any) -> dict[str, Any]:
    for name in ("id", "outcome"):
        expect(expect(task, dict, "task")[name], str, name)
    if task["success"] is not None:
        expect(task["success"], bool, "success")
    return dict(task)


def _from_1(task: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry of version 1, in which 0 tokens, or a price of 0, are those nobody knew."""
    spent = {name: task[name] or None for name in ("input_tokens", "output_tokens", "cost_usd")}
    fault = "agent" if task["outcome"] == "failed" else None
    return {"fault": fault, **task, **spent, "reset": reset(task.get("reset"))}
