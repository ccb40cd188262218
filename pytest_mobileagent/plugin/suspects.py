"""Suspects at the end of a run: tasks that broke their phone or worker whenever they were tried."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.plugin.outputs.junit import mend
from pytest_mobileagent.report.metrics.suspects import FAIL, marked
from pytest_mobileagent.report.recorded import key_of, with_attempts

if TYPE_CHECKING:
    import pytest

    from pytest_mobileagent.plugin.config import RunConfig


def find_suspects(
    run: RunConfig, config: pytest.Config, results: dict[str, dict[str, Any]]
) -> set[str]:
    """Mark the suspects among the results of a run, and return those that count as failed.

    What was shown of them before, pytest's counts and JUnit's XML are mended. Results are by node
    id, and so is what is returned.
    """
    how = run.value("mobile-suspects")
    nodeids = list(results)
    tasks = marked([_with_attempts(run, results[nodeid]) for nodeid in nodeids], how)
    results.update(zip(nodeids, tasks, strict=True))
    suspects = {nodeid: results[nodeid] for nodeid in nodeids if results[nodeid]["suspect"]}
    mend(config, suspects)
    if how != FAIL:
        return set()
    _show_as_failed(config, set(suspects))
    return set(suspects)


def _with_attempts(run: RunConfig, result: dict[str, Any]) -> dict[str, Any]:
    """Return a result with all attempts at its case, those of the run that it is from included."""
    return with_attempts(run.folder.path, result, run.earlier.attempts(key_of(result)))


def _show_as_failed(config: pytest.Config, nodeids: set[str]) -> None:
    """Let pytest count tests as failed that it has counted as errors."""
    terminal: Any = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is None:
        return
    errors = terminal.stats.get("error", [])
    ours = [report for report in errors if getattr(report, "nodeid", None) in nodeids]
    if ours:
        errors[:] = [report for report in errors if report not in ours]
        terminal.stats.setdefault("failed", []).extend(ours)
        if not errors:
            del terminal.stats["error"]
