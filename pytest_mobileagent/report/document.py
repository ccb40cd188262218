"""report.json: write and read the report of a run, and find the newest of several runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.runs import HEAD, RUN
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.fileio import parse_json, read_text
from pytest_mobileagent.plain import check, expect
from pytest_mobileagent.report.entry import KINDS, Entry, read_entry
from pytest_mobileagent.report.metrics.summary import summarise
from pytest_mobileagent.report.metrics.suspects import marked, policy

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


SCHEMA_VERSION = 2


def document(run: Mapping[str, Any], results: Mapping[str, Entry]) -> dict[str, Any]:
    """Return the report of a run as plain data.

    `run` is what run.json says of it, `results` are its tasks' by node id.
    """
    tasks = marked([results[nodeid] for nodeid in sorted(results)], policy(run))
    return {
        "schema_version": SCHEMA_VERSION,
        "run": dict(run),
        "summary": summarise(tasks),
        "tasks": tasks,
    }


REPORT = "report.json"


def read_report(path: Path) -> dict[str, Any]:
    """Return a report.json in today's shape, with all that a newer minor version has added.

    Raises:
        OSError: it cannot be read, or is not there.
        RecordError: it is damaged, or of a newer major version.
    """
    text = read_text(path, "replace")
    try:
        whole = expect(parse_json(text), dict, "report")
        version = expect(whole["schema_version"], float, "schema_version")
        check(whole["run"], HEAD, "run")
        expect(whole["summary"], dict, "summary")
        check(whole["tasks"], [KINDS], "tasks")
        tasks = [read_entry(task, version) for task in whole["tasks"]]
    except (ValueError, LookupError, TypeError, AttributeError) as error:
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
    """Whether a folder is that of a run, which may still be going on."""
    return any((folder / name).is_file() for name in (RUN, REPORT))


def _begun(folder: Path) -> tuple[float, str]:
    first = folder / RUN
    path = first if first.is_file() else folder / REPORT
    return path.stat().st_mtime, folder.name
