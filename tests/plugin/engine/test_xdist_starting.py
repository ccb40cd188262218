"""How many workers start at the same time."""

from __future__ import annotations

from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_mobileagent.plugin.engine.xdist import StaggeredStart


class Controller:
    """Starts workers as pytest-xdist's controller does."""

    def __init__(self, processors: int, specs: list[Any]) -> None:
        self.starting = StaggeredStart(processors)
        self.specs = specs
        self.started: list[Any] = []
        self.counts: set[int] = set()  # of workers, as these are told
        self.queue: SimpleQueue[tuple[str, dict[str, Any]]] = SimpleQueue()
        self.shuttingdown = False
        self._active_nodes: set[Any] = set()
        self.nodemanager = SimpleNamespace(setup_node=self.setup_node)
        self.starting.pytest_xdist_setupnodes(specs)
        for spec in list(specs):
            self._active_nodes.add(self.setup_node(spec, None))

    def setup_node(self, spec: Any, _: Any) -> Any:
        self.started.append(spec.id)
        node = SimpleNamespace(workerinput={"workercount": len(self.specs)})  # as pytest-xdist does
        self.starting.pytest_configure_node(node)
        self.counts.add(node.workerinput["workercount"])
        return spec.id

    def collects(self) -> None:
        """Make a worker report its collection, and process the events that follow."""
        manager = SimpleNamespace(get_plugin={"dsession": self}.get)
        node = SimpleNamespace(config=SimpleNamespace(pluginmanager=manager))
        self.starting.pytest_xdist_node_collection_finished(node)
        while not self.queue.empty():
            name, fields = self.queue.get()
            getattr(self, f"worker_{name}")(**fields)


def workers(count: int, **about: Any) -> list[Any]:
    return [SimpleNamespace(**{"id": number, "popen": True, **about}) for number in range(count)]


def test_at_most_as_many_workers_collect_as_processors() -> None:
    controller = Controller(2, workers(6))
    assert controller.started == [0]  # a phone starts on the other processor
    so_far = []
    while len(controller.started) < 6:
        controller.collects()
        so_far.append(len(controller.started))
    assert so_far == [3, 4, 5, 6]
    assert controller.started == list(range(6))
    assert controller._active_nodes == set(range(6))
    assert [spec.id for spec in controller.specs] == list(range(6))
    for _ in range(3):
        controller.collects()
    assert len(controller.started) == 6
    assert controller.counts == {6}


@pytest.mark.parametrize(
    ("processors", "specs"),
    [
        pytest.param(4, workers(4), id="one each"),
        pytest.param(2, workers(4, popen=False), id="elsewhere"),
    ],
)
def test_independent_workers_start_at_once(processors: int, specs: list[Any]) -> None:
    controller = Controller(processors, specs)
    assert controller.started == [0, 1, 2, 3]
    controller.collects()
    assert len(controller.started) == 4


def test_no_worker_starts_after_the_run_ends() -> None:
    controller = Controller(2, workers(6))
    controller.shuttingdown = True
    controller.collects()
    assert controller.started == [0]
