"""Graphs of recorded pages: the screens of apps, and the actions that lead from page to page."""

from pytest_mobileagent.dataset.graph.checks import RecordedPath, check_graph, flaws, gap_in
from pytest_mobileagent.dataset.graph.store import Edge, Graph, Page
from pytest_mobileagent.dataset.graph.writer import GraphWriter

__all__ = [
    "Edge", "Graph", "GraphWriter", "Page", "RecordedPath", "check_graph", "flaws", "gap_in",
]  # fmt: skip
