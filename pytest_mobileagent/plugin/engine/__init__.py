"""The scheduler, its two engines (pytest-xdist and Ray), and tests that wait for judges."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.fileio import read_object
from pytest_mobileagent.jsonable import plural

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
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

    plugins = run.config.pluginmanager
    analyses = plugins.get_plugin("mobileagent-analyses")
    collector = plugins.get_plugin("mobileagent-collector")
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
_ENDLESS = 1e9  # no task takes so many seconds; larger numbers are from a damaged file


def expected_times(folder: Path, at_once: Collection[str] = ()) -> dict[str, float]:
    """Return the expected durations of the tasks of the run in this folder, by node id.

    The unit is seconds if the newest earlier run of the same agent in the same place has durations
    of any of the tasks, and golden steps otherwise. A task for which neither is known gets the mean
    of the others. Tasks that are done `at_once` take next to no time. The result is empty if
    nothing is known: without the files, or with damaged ones, only the order is lost.
    """
    run = read_object(folder / "run.json")
    tasks = {task["nodeid"]: _number(_golden_steps(task)) for task in _tasks(run)}
    seconds = {n: s for n, s in _earlier_seconds(folder, _agent(run)).items() if n in tasks}
    both = [
        (steps, seconds[nodeid]) for nodeid, steps in tasks.items() if steps and nodeid in seconds
    ]
    rate = sum(took for _, took in both) / sum(steps for steps, _ in both) if both else 1.0
    known = {nodeid: rate * steps for nodeid, steps in tasks.items() if steps} | seconds
    if not known:
        return {}
    mean = sum(known.values()) / len(known)
    times = {nodeid: known.get(nodeid, mean) for nodeid in tasks}
    return times | dict.fromkeys(times.keys() & set(at_once), _NO_TIME)


def _earlier_seconds(folder: Path, agent: str | None) -> dict[str, float]:
    """Return the seconds of each task in the newest run of the agent beside this folder."""
    if agent is None:
        return {}
    # Names begin with the time, so the newest run comes last.
    with suppress(OSError):
        for path in sorted(folder.parent.glob("*/report.json"), reverse=True):
            if path.parent.name < folder.name and _agent(report := read_object(path)) == agent:
                times = {task["nodeid"]: _number(task.get("seconds")) for task in _tasks(report)}
                return {nodeid: took for nodeid, took in times.items() if took}
    return {}


def _agent(document: Mapping[str, Any]) -> str | None:
    run = document.get("run")
    agent = run.get("agent") if isinstance(run, dict) else None
    return agent if isinstance(agent, str) else None


def _tasks(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    tasks = document.get("tasks")
    tasks = tasks if isinstance(tasks, list) else []
    return [t for t in tasks if isinstance(t, dict) and isinstance(t.get("nodeid"), str)]


def _golden_steps(case: Mapping[str, Any]) -> object:
    """Return the golden steps of a case, or else of its task."""
    task = case.get("task")
    return case.get("golden_steps", task.get("golden_steps") if isinstance(task, dict) else None)


def _number(value: object) -> float | None:
    """Return a value if it is a plausible number above 0; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 < value < _ENDLESS else None
