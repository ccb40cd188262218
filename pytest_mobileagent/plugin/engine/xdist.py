"""Adapts the scheduler to pytest-xdist's protocol, and staggers the start of its workers.

Once a pytest-xdist worker knows a test as its next one, that test cannot be taken back:
`WorkerController.send_steal` only reaches the tests behind it. The protocol has no command for a
pause, so a worker that receives the preceding test a second time pauses (see `waiting.Pauses`).
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.plugin.engine import refuse, show_beginning
from pytest_mobileagent.plugin.engine.scheduler import WorkerSignal
from pytest_mobileagent.plugin.pytest_private import start_xdist_worker

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from xdist.workermanage import WorkerController

    from pytest_mobileagent.plugin.engine.scheduler import Scheduler


class TaskScheduling:
    """A pytest-xdist scheduler (its protocol is `xdist.scheduler.Scheduling`)."""

    def __init__(self, config: pytest.Config, scheduler: Scheduler) -> None:
        self.config = config
        self._scheduler = scheduler
        self._nodes: dict[str, WorkerController] = {}
        self._last: dict[str, int] = {}  # the last test that each worker received
        self._has_begun = False

    @property
    def nodes(self) -> list[WorkerController]:
        """The workers that have started and not ended."""
        return list(self._nodes.values())

    @property
    def collection_is_completed(self) -> bool:
        """Whether tests can be handed out: at least one worker must have collected them."""
        return self._scheduler.has_collected

    def wait_for(self, workers: int) -> None:
        """Reserve tests for `workers` that have not collected yet (see `Scheduler.wait_for`)."""
        self._scheduler.wait_for(workers)

    @property
    def tests_finished(self) -> bool:
        """Whether all tests are done, except the final test of each worker, which it holds back.

        pytest-xdist reads this after each event, once the event has been reported, so interim
        analyses are made here.
        """
        if self._scheduler.analyse():
            self._give(self.nodes)
        return self._scheduler.is_done

    @property
    def has_pending(self) -> bool:
        """Whether tests are being run; until then, pytest-xdist updates its status line."""
        return self._has_begun and self._scheduler.is_left

    def add_node(self, node: WorkerController) -> None:
        """Add a worker that has started and has not collected its tests yet."""
        self._nodes[node.gateway.id] = node
        self._scheduler.started(node.gateway.id)

    def add_node_collection(self, node: WorkerController, collection: Sequence[str]) -> None:
        """Record a worker's collection; end the run if it differs from the first worker's."""
        if difference := self._scheduler.collected(node.gateway.id, collection):
            refuse(self.config, node.gateway.id, difference)
            self._scheduler.drop_rest()
            for each in self.nodes:
                each.shutdown()

    def schedule(self) -> None:
        """Send each worker that has collected its next tests."""
        if not self._has_begun:
            self._has_begun = True
            self._show_beginning()
        self._give(self.nodes)

    def mark_test_complete(
        self, node: WorkerController, item_index: int, duration: float = 0
    ) -> None:
        """Record that a worker has finished a test, which took `duration` seconds."""
        worker = node.gateway.id
        at_pause = self._scheduler.is_at_pause(worker)
        self._scheduler.done(worker, WorkerSignal.PAUSE if at_pause else item_index, duration)
        self._give([node])

    def mark_test_pending(self, item: str) -> None:
        """Hand out a test once more."""
        self._scheduler.again(item)
        self.schedule()

    def remove_pending_tests_from_node(
        self, node: WorkerController, indices: Sequence[int]
    ) -> None:
        """Raise NotImplementedError: tests cannot be taken back from a worker."""
        raise NotImplementedError

    def remove_node(self, node: WorkerController) -> str | None:
        """Remove a worker, and return the test that it was running if it crashed.

        Raises:
            KeyError: if there is no such worker.
        """
        del self._nodes[node.gateway.id]
        crashed = self._scheduler.ended(node.gateway.id)
        if self._has_begun:
            self.schedule()
        return crashed

    def _give(self, nodes: Iterable[WorkerController]) -> None:
        for node in nodes:
            worker = node.gateway.id
            if node.shutting_down:
                self._scheduler.close(worker)
            if not (given := self._scheduler.give(worker)):
                continue
            numbers = []
            for each in given:
                if not isinstance(each, WorkerSignal):
                    self._last[worker] = each
                if each is not WorkerSignal.END:
                    numbers.append(self._last[worker])
            with suppress(OSError):  # it died; its tests are returned when xdist notices
                if numbers:
                    node.send_runtest_some(numbers)
                if given[-1] is WorkerSignal.END:
                    node.shutdown()

    def _show_beginning(self) -> None:
        """Print the number of tests, and keep the workers' status lines out of the progress."""
        status = self.config.pluginmanager.getplugin("terminaldistreporter")
        if status is not None:
            status.setstatus = lambda *_, **__: None
            show_beginning(self.config, len(self._scheduler.tests))


class StaggeredStart:
    """A plugin for pytest-xdist's controller that delays workers until others have collected.

    Collection keeps a processor busy, for about a second per thousand tasks. If all workers
    collected at the same time, they would slow down each other and the phones that are starting:
    eight workers on two processors take four times as long. Instead, the first worker begins its
    first task as soon as it has collected, and the others start while it waits for its phone.

    `processors` is how many workers collect at once; one fewer at first, while phones are starting.
    """

    def __init__(self, processors: int | None = None) -> None:
        self._processors = processors or os.cpu_count() or 1
        self._specs: list[Any] = []  # the controller's own list: the specs of all started workers
        self._count = 0
        self._delayed: list[Any] = []
        self._collecting = 0

    @pytest.hookimpl(optionalhook=True, trylast=True)  # other plugins still see all workers
    def pytest_xdist_setupnodes(self, specs: list[Any]) -> None:
        """Hold back all except the first workers, unless some run on other machines."""
        self._count = len(specs)
        if len(specs) > self._processors and all(spec.popen for spec in specs):
            self._collecting = max(1, self._processors - 1)
            self._specs, self._delayed = specs, specs[self._collecting :]
            del specs[self._collecting :]

    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker the run's own number of workers: the controller counts the started ones."""
        node.workerinput["workercount"] = self._count

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any) -> None:
        """Start further workers once this one has received its first tests."""
        controller = node.config.pluginmanager.get_plugin("dsession")
        controller.worker_mobileagent_start = lambda: self._start_next(controller)
        self._collecting = max(0, self._collecting - 1)
        for _ in range(self._processors - self._collecting):
            controller.queue.put(("mobileagent_start", {}))

    def _start_next(self, controller: Any) -> None:
        if self._delayed and not controller.shuttingdown and self._collecting < self._processors:
            self._collecting += 1
            self._specs.append(self._delayed.pop(0))
            start_xdist_worker(controller, self._specs[-1])
