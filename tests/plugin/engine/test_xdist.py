"""The scheduler as pytest-xdist calls it, and what is sent to the workers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.plugin.engine.scheduler import Scheduler
from pytest_mobileagent.plugin.engine.xdist import TaskScheduling

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TESTS = ["a", "b", "c"]


class Node:
    """The part of a worker that pytest-xdist uses; records what was sent to it."""

    def __init__(self, name: str) -> None:
        self.gateway = SimpleNamespace(id=name)
        self.sent: list[int] = []
        self.shutting_down = self.is_dead = False

    def send_runtest_some(self, indices: Sequence[int]) -> None:
        if self.is_dead:
            raise OSError("cannot send (already closed?)")
        self.sent += indices

    def shutdown(self) -> None:
        self.shutting_down = True


class Analyses:
    """Interim analyses that hold back the last test and do not drop it."""

    held_back: frozenset[str] = frozenset({"c"})

    def waiting(self, tests: Iterable[str]) -> set[str]:
        return set(tests) & self.held_back

    def analyse(self, tests: Iterable[str]) -> set[str]:
        self.held_back = frozenset()
        return set()


@pytest.fixture
def scheduling() -> Any:
    """Starts scheduling on a number of workers; returns the scheduling and the workers."""

    def begin(workers: int, analyses: Analyses | None = None) -> tuple[TaskScheduling, list[Node]]:
        errors: list[pytest.CollectReport] = []
        config: Any = SimpleNamespace(
            pluginmanager=SimpleNamespace(getplugin=lambda _: None),
            hook=SimpleNamespace(pytest_collectreport=lambda report: errors.append(report)),  # noqa: PLW0108 - by keyword
            errors=errors,
        )
        scheduling = TaskScheduling(config, Scheduler(workers, dict, analyses=analyses))
        nodes = [Node(f"gw{number}") for number in range(workers)]
        for node in nodes:
            scheduling.add_node(node)
            scheduling.add_node_collection(node, TESTS)
        scheduling.schedule()
        return scheduling, nodes

    return begin


def test_pause_sends_the_previous_test_again(scheduling):
    tests, (node,) = scheduling(1, Analyses())
    assert node.sent == [0, 1]
    tests.mark_test_complete(node, 0, 1.0)
    assert node.sent == [0, 1, 1]
    assert not tests.tests_finished
    tests.mark_test_complete(node, 1, 1.0)
    assert tests.tests_finished  # except the last one, which is sent after the analysis
    assert node.sent == [0, 1, 1, 2]
    assert node.shutting_down
    tests.mark_test_complete(node, 1)  # the pause
    assert tests.has_pending
    tests.mark_test_complete(node, 2, 1.0)
    assert not tests.has_pending


def test_a_worker_that_dies_before_its_pause_does_not_end_the_run(scheduling):
    tests, (first, second) = scheduling(2)
    first.is_dead = True
    tests.mark_test_complete(first, 0, 1)
    assert tests.remove_node(first) == "c"
    assert tests.nodes == [second]
    with pytest.raises(KeyError):
        tests.remove_node(first)
    tests.mark_test_pending("c")
    clone = Node("gw2")
    tests.add_node(clone)
    tests.add_node_collection(clone, TESTS)
    tests.schedule()
    assert clone.sent == [2]


def test_queued_tests_of_a_worker_are_not_stolen(scheduling):
    tests, (node,) = scheduling(1)
    with pytest.raises(NotImplementedError):
        tests.remove_pending_tests_from_node(node, [0])


def test_different_collection_ends_the_run(scheduling):
    tests, nodes = scheduling(2)
    late = Node("gw2")
    tests.add_node(late)
    tests.add_node_collection(late, TESTS[:2])
    (error,) = tests.config.errors
    assert "gw0 and gw2 collected different tests" in error.longrepr
    assert error.nodeid == "gw2"
    assert all(node.shutting_down for node in [*nodes, late])
    assert late.sent == []
