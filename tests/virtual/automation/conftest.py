"""Shared fixtures: nodes made from views, without a phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.ui.layout import UiState, layout
from pytest_mobileagent.virtual.ui.metrics import Metrics
from pytest_mobileagent.virtual.ui.node import Node

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.ui import View


@pytest.fixture
def tree() -> Callable[[View], Node]:
    """Create the nodes of a window with one view."""

    def make(view: View) -> Node:
        metrics = Metrics()
        return Node.tree(layout(view, metrics.screen, metrics, UiState()), "org.demo", 7)

    return make
