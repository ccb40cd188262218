"""Ending the workers of pytest-xdist when a run is interrupted, without losing their results.

pytest-xdist stops reading what its workers send at once, and lets each work on for up to 15
seconds: the results of finished tests would be lost, and new tests begin after the report.
"""

from __future__ import annotations

import time
from queue import Empty
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

_GRACE = 5.0  # seconds that workers have, together, to put down what they hold


def end_workers(config: pytest.Config) -> None:
    """End all workers that still run, and report what they had sent by then.

    Those on this machine are asked to end, and killed if they do not. Others end by themselves when
    pytest-xdist closes their connections.
    """
    distribution: Any = config.pluginmanager.get_plugin("dsession")
    running = {
        node: process
        for node in getattr(distribution, "_active_nodes", ())
        if (process := _process_of(node)) is not None
    }
    if not running:
        return
    try:
        for process in running.values():
            process.terminate()
        _read(distribution, set(running))
    except KeyboardInterrupt:  # once more: it cannot end soon enough
        pass
    finally:
        for process in running.values():
            process.kill()


def _process_of(node: Any) -> Any:
    """Return the process of a worker; None if it is on another machine, or not yet there."""
    connection = getattr(getattr(node, "gateway", None), "_io", None)
    return getattr(connection, "popen", None)


def _read(distribution: Any, running: set[Any]) -> None:
    """Report what workers have sent, until each has ended or the time is over."""
    deadline = time.monotonic() + _GRACE
    while running:
        try:
            event, told = distribution.queue.get(timeout=max(0.0, deadline - time.monotonic()))
        except Empty:
            return
        if event == "testreport":
            distribution.worker_testreport(**told)
        elif event == "workerfinished":
            distribution.config.hook.pytest_testnodedown(node=told["node"], error=None)
        if event in {"workerfinished", "errordown"}:
            running.discard(told["node"])
