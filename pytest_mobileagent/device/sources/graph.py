"""Recorded pages: graphs on disk, which each worker opens for itself."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.device.device import PagesAddress
from pytest_mobileagent.device.fleet.slots import Slots
from pytest_mobileagent.device.sources import Source
from pytest_mobileagent.errors import GraphError, TaskError
from pytest_mobileagent.task.task import DEFAULT_SNAPSHOT

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from pytest_mobileagent.dataset.graph import Graph
    from pytest_mobileagent.device.device import DeviceOptions
    from pytest_mobileagent.device.fleet.shared import SharedRun
    from pytest_mobileagent.task.task import Task


class GraphSource(Source):
    """A graph of recorded pages, as many devices as there are workers."""

    form = "graph:DIR"
    help = "recorded pages in a folder, on which no phone is needed"
    how_to_install = "name a graph that has pages of it"
    reached_by = PagesAddress
    is_live = False
    restores = True

    def __init__(self, text: str) -> None:
        if not text or "\0" in text:
            msg = "has to be `graph:DIR`, a folder of recorded pages"
            raise ValueError(msg)
        self._text = text

    @property
    def shown(self) -> str:
        """The folder."""
        return f"graph:{self._text}"

    @cached_property
    def _graph(self) -> Graph:
        from pytest_mobileagent.dataset.graph import Graph

        return Graph.open(Path(self._text).expanduser().absolute())

    def check(self, options: DeviceOptions) -> None:
        """Check all of the graph but the pixels of its pictures."""
        from pytest_mobileagent.dataset.graph import check_graph

        try:
            check_graph(self._graph)
        except GraphError as error:
            raise ValueError(str(error)) from None

    def packages(
        self, options: DeviceOptions, shared: Callable[[], SharedRun]
    ) -> Collection[str] | None:
        """Return the apps of its pages."""
        return self._graph.packages

    def hides(self) -> Mapping[str, str]:
        """Return what some of its pages do not have: screenshots, or hierarchies."""
        pages = len(self._graph)
        return {
            what: f"{count} of its {pages} pages {'have' if count > 1 else 'has'} no {what}"
            for what, count in self._graph.count_lacking().items()
            if count
        }

    def refuses(self, task: Task) -> str:
        """Return what a task needs a phone for, of which pages were not recorded."""
        for what, needed in (
            ("a `prepare`", task.prepare),
            ("a `clean_up`", task.clean_up),
            ("probes", task.probes),
        ):
            if needed:
                return f"the task has {what}, which recorded pages cannot run"
        return ""

    def check_task(self, task: Task) -> None:
        """Check that the graph has the pages that a task names, and its golden path leads there."""
        from pytest_mobileagent.action.matching import Golden
        from pytest_mobileagent.dataset.graph.checks import flaws_of_path

        golden = [each for each in getattr(task, "golden", ()) if isinstance(each, Golden)]
        known = task.snapshot in self._graph.snapshots
        snapshot = "" if task.snapshot == DEFAULT_SNAPSHOT and not known else task.snapshot
        for flaw in flaws_of_path(self._graph, golden, snapshot):
            msg = f"{flaw} ({self.shown})"
            raise TaskError(msg)

    def open(self, options: DeviceOptions, shared: Callable[[], SharedRun]) -> GraphSlots:
        """Return a slot for each worker."""
        return GraphSlots(shared(), options.workers, PagesAddress(self._graph.folder))


class GraphSlots(Slots):
    """Slots that all show the pages of one graph, and start nothing."""

    renews = True

    def __init__(self, run: SharedRun, count: int, address: PagesAddress) -> None:
        self._run, self._count, self._address = run, count, address

    @property
    def locks(self) -> Sequence[str]:
        """Locks in the run's folder."""
        return [str(self._run.folder / f"slot-{number}.lock") for number in range(self._count)]

    def address(self, slot: int, *, fresh: bool = False) -> PagesAddress:
        """Return the graph's address."""
        return self._address
