"""The graph of a data set that a test file writes in the layout of its release."""

from __future__ import annotations

import pytest

from pytest_mobileagent.dataset.formats.release import import_release
from pytest_mobileagent.dataset.graph import Graph, check_graph


@pytest.fixture
def graph(copy, tmp_path) -> Graph:
    """Return the graph into which the file's `copy` is imported."""
    import_release(copy, tmp_path / "graph")
    graph = Graph.open(tmp_path / "graph")
    check_graph(graph)
    return graph
