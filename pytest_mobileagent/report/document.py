"""report.json: the whole of a run, and results of tasks that only their records tell of."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.store import load
from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.plain import write_json
from pytest_mobileagent.report.metrics import summarise
from pytest_mobileagent.report.result import Result, measures
from pytest_mobileagent.run.folder import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pytest_mobileagent.plugin.options import OptionValue
    from pytest_mobileagent.run.folder import RunFolder

SCHEMA_VERSION = 1
_BEGUN = "begun.json"  # a result without a verdict, for as long as an attempt may leave no record


def document(
    folder: RunFolder, settings: Mapping[str, OptionValue], results: Mapping[str, dict[str, Any]]
) -> dict[str, Any]:
    """Return the report of a run as plain data; `results` are its tasks' by node id."""
    tasks = [results[nodeid] for nodeid in sorted(results)]
    return {
        "schema_version": SCHEMA_VERSION,
        "run": {
            "id": folder.id,
            "started": folder.started,
            "agent": settings["agent"].value,
            "device": settings["mobile-device"].text,
            "options": {
                name: {"value": setting.text, "source": setting.source}
                for name, setting in settings.items()
            },
            "fingerprint": fingerprint(settings, tasks),
        },
        "summary": summarise(tasks),
        "tasks": tasks,
    }


@contextlib.contextmanager
def begun(folder: Path, result: Result) -> Iterator[None]:
    """Leave word in an attempt's folder while it goes on, lest it be lost with its process.

    A device may take minutes until there is a first look to record.

    Raises:
        HostError: the folder cannot be written to.
    """
    note = folder / _BEGUN
    try:
        write_json(note, result.to_wire())
    except OSError as error:
        msg = f"cannot record an episode in {folder}: {error}"
        raise HostError(msg) from error
    try:
        yield
    finally:
        note.unlink(missing_ok=True)


def lost_result(folder: RunFolder, nodeid: str) -> Result | None:
    """Return the result of a task whose worker died, from what it left; None if that is nothing."""
    for path in sorted((folder.path / "episodes").glob("*"), reverse=True):
        try:
            episode = load(path)
        except RecordError:
            if (result := _noted(path / _BEGUN)) is not None and result.nodeid == nodeid:
                return result
            continue
        task = episode.task
        if task.nodeid == nodeid:
            return Result(
                id=task.id,
                nodeid=task.nodeid,
                suite=task.suite,
                app=task.apps[0] if task.apps else None,
                kind=task.kind,
                level=task.level,
                epoch=episode.epoch,
                environment=task.environment,
                episode=folder.relative(path),
                **measures(episode, None),
            )
    return None


def _noted(path: Path) -> Result | None:
    try:
        return Result(**json.loads(path.read_text("utf-8")))
    except (OSError, ValueError):
        return None
