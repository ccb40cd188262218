"""Shared fixtures for the view toolkit: laying out a view on a phone's screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.ui.layout import Box, UiState, layout
from pytest_mobileagent.virtual.ui.metrics import Metrics

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.ui import View


class Screen:
    """A phone's display, and the state of its only window."""

    def __init__(self) -> None:
        self.metrics = Metrics()
        self.state = UiState()

    def show(self, view: View) -> Box:
        return layout(view, self.metrics.screen, self.metrics, self.state)


@pytest.fixture
def screen() -> Screen:
    return Screen()
