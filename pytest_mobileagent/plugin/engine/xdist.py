"""pytest-xdist's protocol, for the scheduler of this package, and how its workers are started.

What pytest-xdist gives a worker cannot be taken back once the worker knows it as its next test:
`WorkerController.send_steal` reaches only those behind it. There is no order for a pause; a worker
that is given the test before it once more takes that for one (see `deferring.Pauses`).
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.plugin.engine import refuse, show_beginning
from pytest_mobileagent.plugin.engine.scheduler import Mark

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from xdist.workermanage import WorkerController

    from pytest_mobileagent.plugin.engine.scheduler import Scheduler


class TaskScheduling:
    """A scheduler of pytest-xdist (its protocol is `xdist.scheduler.Scheduling`)."""

    def __init__(self, config: pytest.Config, scheduler: Scheduler) -> None:
        self.config = config
        self._scheduler = scheduler
        self._nodes: dict[str, WorkerController] = {}
        self._last: dict[str, int] = {}  # the test that each worker was given last
        self._has_begun = False

    @property
    def nodes(self) -> list[WorkerController]:
        """The workers that have started and not ended."""
        return list(self._nodes.values())

    @property
    def collection_is_completed(self) -> bool:
        """Whether tests can be handed out, for which one worker has to have collected."""
        return self._scheduler.has_collected

    def wait_for(self, workers: int) -> None:
        """Keep tests for so many workers that have yet to come (see `Scheduler.wait_for`)."""
        self._scheduler.wait_for(workers)

    @property
    def tests_finished(self) -> bool:
        """Whether all tests are done, except those that wait to be the last of their worker.

        pytest-xdist asks this after each event, which it has reported by then; so it is here that
        interim analyses are made.
        """
        if self._scheduler.analyse():
            self._give(self.nodes)
        return self._scheduler.is_done

    @property
    def has_pending(self) -> bool:
        """Whether tests are being run; pytest-xdist ends its status line before that."""
        return self._has_begun and self._scheduler.is_left

    def add_node(self, node: WorkerController) -> None:
        """Add a worker that has started and has yet to collect."""
        self._nodes[node.gateway.id] = node
        self._scheduler.started(node.gateway.id)

    def add_node_collection(self, node: WorkerController, collection: Sequence[str]) -> None:
        """Receive what a worker has collected; if it differs from the first's, the run ends."""
        if difference := self._scheduler.collected(node.gateway.id, collection):
            refuse(self.config, node.gateway.id, difference)
            self._scheduler.drop_rest()
            for each in self.nodes:
                each.shutdown()

    def schedule(self) -> None:
        """Give each worker that has collected what it needs to go on."""
        if not self._has_begun:
            self._has_begun = True
            self._show_beginning()
        self._give(self.nodes)

    def mark_test_complete(
        self, node: WorkerController, item_index: int, duration: float = 0
    ) -> None:
        """Note that a worker has done a test, in `duration` seconds."""
        worker = node.gateway.id
        at_pause = self._scheduler.is_at_pause(worker)
        self._scheduler.done(worker, Mark.PAUSE if at_pause else item_index, duration)
        self._give([node])

    def mark_test_pending(self, item: str) -> None:
        """Hand out a test once more."""
        self._scheduler.again(item)
        self.schedule()

    def remove_pending_tests_from_node(
        self, node: WorkerController, indices: Sequence[int]
    ) -> None:
        """Do nothing but raise: what a worker has in hand cannot be taken back."""
        raise NotImplementedError

    def remove_node(self, node: WorkerController) -> str | None:
        """Remove a worker, and return the test that it was running if it died over it.

        Raises:
            KeyError: there is no such worker.
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
            given = self._scheduler.give(worker)
            if not given:
                continue
            numbers = []
            for each in given:
                if not isinstance(each, Mark):
                    self._last[worker] = each
                if each is not Mark.END:
                    numbers.append(self._last[worker])
            with suppress(OSError):  # it died; when xdist notices, what it has comes back
                if numbers:
                    node.send_runtest_some(numbers)
                if given[-1] is Mark.END:
                    node.shutdown()

    def _show_beginning(self) -> None:
        """Write how many tests there are, and keep the workers' status out of the dots."""
        status = self.config.pluginmanager.getplugin("terminaldistreporter")
        if status is None:
            return
        status.setstatus = lambda *_, **__: None
        show_beginning(self.config, len(self._scheduler.tests))


class Starting:
    """A plugin of pytest-xdist's controller that holds workers back until others have collected.

    A worker computes until it has collected, a second or so for a thousand tasks. All at once they
    would keep each other, and the phones that start beside them, from being ready: eight of them on
    two processors, four times as long. So the first begins its first task as soon as it has
    collected, and the others start while it waits for its phone and its agent.

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
