"""Graphs of recorded pages on disk, which each worker opens separately."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.device.device import PagesAddress
from pytest_mobileagent.device.sources import RunSlots, Source
from pytest_mobileagent.errors import GraphError, TaskError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from pytest_mobileagent._task import Task
    from pytest_mobileagent.dataset.graph import Graph
    from pytest_mobileagent.device.device import DeviceOptions
    from pytest_mobileagent.device.fleet.shared import SharedRun


class GraphSource(Source):
    """A graph of recorded pages, with a device for each worker."""

    form = "graph:DIR"
    help = "recorded pages in a folder, which need no phone"
    how_to_install = "choose a graph that has pages of the app"
    reached_by = PagesAddress
    is_live = False
    restores = True

    def __init__(self, text: str) -> None:
        if not text or "\0" in text:
            raise ValueError("must be `graph:DIR`, with a folder of recorded pages")
        super().__init__(text)

    @cached_property
    def graph(self) -> Graph:
        """The graph, opened once."""
        from pytest_mobileagent.dataset.graph import Graph

        return Graph.open(Path(self.text).expanduser().absolute())

    def check(self, options: DeviceOptions) -> None:
        """Check the graph, except for the pixels of its pictures."""
        from pytest_mobileagent.dataset.graph import check_graph

        try:
            check_graph(self.graph)
        except GraphError as error:
            raise ValueError(str(error)) from None

    def packages(
        self, options: DeviceOptions, shared: Callable[[], SharedRun]
    ) -> Collection[str] | None:
        return self.graph.packages

    def hides(self) -> Mapping[str, str]:
        """Return what some of its pages lack: screenshots, or hierarchies."""
        pages = len(self.graph)
        return {
            what: f"{count} of its {pages} pages {'have' if count > 1 else 'has'} no {what}"
            for what, count in self.graph.count_lacking().items()
            if count
        }

    def refuses(self, task: Task) -> str:
        """Return why recorded pages cannot run a task: it needs a phone, or a page is missing."""
        from pytest_mobileagent.dataset.graph import RecordedPath, gap_in

        has: dict[str, object] = {"a `prepare`": task.prepare, "a `clean_up`": task.clean_up}
        has |= {"measures": task.measures, "probes": task.probes}
        for what, needed in has.items():
            if needed:
                return f"the task has {what}, which recorded pages cannot run"
        path = task.golden
        return gap_in(self.graph, path.pages) if isinstance(path, RecordedPath) else ""

    def check_task(self, task: Task) -> None:
        """Check that the graph has the task's snapshot, and edges for its golden steps."""
        from pytest_mobileagent.dataset.graph.checks import flaws_of_task

        for flaw in flaws_of_task(self.graph, task):
            raise TaskError(f"{flaw} ({self.shown})")

    def open(self, options: DeviceOptions, shared: Callable[[], SharedRun]) -> RunSlots:
        return RunSlots(shared(), options.workers, PagesAddress(self.graph.folder))
