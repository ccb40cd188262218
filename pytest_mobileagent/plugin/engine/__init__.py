"""The scheduler, its two engines (pytest-xdist and Ray), and tests that wait for judges."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.fileio import read_object
from pytest_mobileagent.jsonable import check, plural

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from pytest_mobileagent.plugin.config import RunConfig
    from pytest_mobileagent.plugin.engine.scheduler import Scheduler


def scheduler_of(run: RunConfig) -> Scheduler:
    """Return the scheduler for a run's workers; it expects the durations of earlier episodes."""
    from pytest_mobileagent._task.case import key_of
    from pytest_mobileagent.episode.runs import cases
    from pytest_mobileagent.plugin.engine.scheduler import Scheduler

    def times() -> dict[str, float]:  # called after collection, when reused results are known
        reused = {entry.nodeid for entry in run.earlier.reused.values()}
        return expected_times(run.folder.path, reused)

    def sets() -> dict[str, str]:
        if run.devices.source.restores:
            return {}
        found = (case for case in cases(run.folder.path) if case.task.task_set)
        return {
            case.nodeid: key_of(f"{case.suite}/{case.task.task_set}", case.environment, case.epoch)
            for case in found
        }

    get_plugin = run.config.pluginmanager.get_plugin
    analyses, collector = (get_plugin(f"mobileagent-{n}") for n in ("analyses", "collector"))
    reported = None if collector is None else collector.finished
    return Scheduler(run.workers, times, analyses=analyses, sets=sets, reported=reported)


def show_beginning(config: pytest.Config, tests: int) -> None:
    """Print the numbers of workers and tests."""
    terminal = config.pluginmanager.getplugin("terminalreporter")
    if terminal is not None and tests and config.get_verbosity() >= 0:
        workers = plural(len(config.option.tx), "worker")
        terminal.write_line(f"{workers} [{plural(tests, 'item')}]")


def refuse(config: pytest.Config, worker: str, difference: str) -> None:
    """Report that a worker has collected different tests from the first worker."""
    report = pytest.CollectReport(nodeid=worker, outcome="failed", longrepr=difference, result=[])
    config.hook.pytest_collectreport(report=report)


_NO_TIME = 0.001
_STEPS = {"golden_steps": int | None}
# What is read of a run.json, and of a report.json.
_RUN: dict[str, Any] = {
    "run": {"agent": str | None},
    "tasks": [{"nodeid": str, "seconds": float | int | None, "task": _STEPS, **_STEPS}],
}


def expected_times(folder: Path, at_once: Collection[str] = ()) -> dict[str, float]:
    """Return the expected durations of the tasks of the run in this folder, by node id.

    The unit is seconds if the newest earlier run of the same agent in the same place has durations
    of any of the tasks, and golden steps otherwise. A task for which neither is known gets the mean
    of the others. Tasks that are done `at_once` take next to no time. The result is empty if
    nothing is known: without the files, or with damaged ones, only the order is lost.
    """
    run = _read(folder / "run.json")
    steps = {
        task.get("nodeid", ""): task.get("golden_steps")
        or task.get("task", {}).get("golden_steps")
        or 0
        for task in run.get("tasks", ())
    }
    before = _before(folder, run.get("run", {}).get("agent"))
    seconds = {nodeid: before[nodeid] for nodeid in steps if nodeid in before}
    both = [nodeid for nodeid in seconds if steps[nodeid]]
    rate = sum(seconds[n] for n in both) / sum(steps[n] for n in both) if both else 1.0
    known = {nodeid: rate * count for nodeid, count in steps.items() if count} | seconds
    if not known:
        return {}
    mean = fmean(known.values())
    return {n: _NO_TIME if n in at_once else known.get(n, mean) for n in steps}


def _before(folder: Path, agent: str | None) -> dict[str, float]:
    """Return the seconds of each task in the newest run of the agent before the one in a folder."""
    # Names begin with the time, so the newest run comes last.
    for path in sorted(folder.parent.glob("*/report.json"), reverse=True) if agent else ():
        if path.parent.name < folder.name:
            report = _read(path)
            if report.get("run", {}).get("agent") == agent:
                tasks = report.get("tasks", ())
                return {t.get("nodeid", ""): t["seconds"] for t in tasks if t.get("seconds")}
    return {}


def _read(path: Path) -> dict[str, Any]:
    """Return the content of a file; empty if it is missing or damaged."""
    try:
        return dict(check(read_object(path), _RUN, path.name))
    except TypeError:
        return {}
