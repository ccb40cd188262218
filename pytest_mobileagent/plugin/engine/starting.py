"""How the workers of pytest-xdist are started: as many at a time as the machine has processors.

A worker computes until it has collected, a second or so for a thousand tasks. All at once they
would keep each other, and the phones that start beside them, from being ready: eight of them on two
processors, four times as long. So the first begins its first task as soon as it has collected, and
the others start while it waits for its phone and its agent.
"""

from __future__ import annotations

import os
from typing import Any

import pytest


class Starting:
    """A plugin of pytest-xdist's controller that holds workers back until others have collected.

    `processors` is how many of them collect at once: one less at first, when phones start, too.
    """

    def __init__(self, processors: int | None = None) -> None:
        self._processors = processors or os.cpu_count() or 1
        self._specs: list[Any] = []  # of all workers that were started, as the controller has it
        self._held: list[Any] = []
        self._collecting = 0

    @pytest.hookimpl(optionalhook=True, trylast=True)  # others are told of all workers
    def pytest_xdist_setupnodes(self, specs: list[Any]) -> None:
        """Hold back all workers but the first; those on other machines do not wait for these."""
        if len(specs) > self._processors and all(spec.popen for spec in specs):
            self._collecting = max(1, self._processors - 1)
            self._specs, self._held = specs, specs[self._collecting :]
            del specs[self._collecting :]

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any) -> None:
        """Have others started when this one has been given its first tests."""
        controller = node.config.pluginmanager.get_plugin("dsession")
        controller.worker_mobileagent_start = lambda: self._start_next(controller)
        self._collecting = max(0, self._collecting - 1)
        for _ in range(self._processors - self._collecting):
            controller.queue.put(("mobileagent_start", {}))

    def _start_next(self, controller: Any) -> None:
        if self._held and not controller.shuttingdown and self._collecting < self._processors:
            self._collecting += 1
            self._specs.append(self._held.pop(0))
            node = controller.nodemanager.setup_node(self._specs[-1], controller.queue.put)
            controller._active_nodes.add(node)
