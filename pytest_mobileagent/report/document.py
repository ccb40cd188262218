"""report.json: the whole of a run, and results of tasks that only their records tell of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.store import load
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.report.metrics import summarise
from pytest_mobileagent.report.result import Result, measures
from pytest_mobileagent.run import fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.options import OptionValue
    from pytest_mobileagent.run import RunFolder

SCHEMA_VERSION = 1


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


def lost_result(folder: RunFolder, nodeid: str) -> Result | None:
    """Return the result of a task whose worker died, from its latest record; None without one."""
    for path in sorted((folder.path / "episodes").glob("*"), reverse=True):
        try:
            episode = load(path)
        except RecordError:
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
