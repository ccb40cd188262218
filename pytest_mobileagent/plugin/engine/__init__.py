"""The scheduler, its two engines (pytest-xdist and Ray), and tests that wait for judges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.jsonable import plural

if TYPE_CHECKING:
    from pytest_mobileagent.plugin.config import RunConfig
    from pytest_mobileagent.plugin.engine.scheduler import Scheduler


def scheduler_of(run: RunConfig) -> Scheduler:
    """Return the scheduler for a run's workers; it expects the durations of earlier episodes."""
    from pytest_mobileagent._task.case import key_of
    from pytest_mobileagent.episode.runs import cases
    from pytest_mobileagent.plugin.engine.expected_times import expected_times
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
