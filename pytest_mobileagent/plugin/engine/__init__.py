"""Where and in which order tests run: two engines with one scheduler, and tests that wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mobileagent.plugin.config import RunConfig
    from pytest_mobileagent.plugin.engine.scheduler import Scheduler


def scheduler_of(run: RunConfig) -> Scheduler:
    """Return the scheduler for a run's workers, which knows of the run's earlier episodes."""
    from pytest_mobileagent.episode.runs import cases
    from pytest_mobileagent.plugin.engine.scheduler import Scheduler
    from pytest_mobileagent.run.expected import expected_times
    from pytest_mobileagent.task.case import key_of

    def times() -> dict[str, float]:  # called after collection, when the reused are known
        reused = {entry["nodeid"] for entry in run.earlier.reused.values()}
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
