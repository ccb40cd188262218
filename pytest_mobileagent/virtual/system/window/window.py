"""Windows: their kinds, and what a laid-out window consists of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pytest_mobileagent.virtual.ui import MATCH, View
from pytest_mobileagent.virtual.ui.layout import Box, UiState, layout

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.system.activities.record import Record
    from pytest_mobileagent.virtual.ui.metrics import Metrics

BAR = 24  # dp, height of the top and the bottom bar
Kind = Literal[
    "wallpaper",
    "activity",
    "scrim",
    "dialog",
    "menu",
    "keyguard",
    "shade",
    "headsup",
    "keyboard",
    "toast",
    "status",
    "navigation",
]
FOCUSABLE = ("activity", "dialog", "menu", "keyguard", "shade")


@dataclass(frozen=True, slots=True)
class Window:
    """A laid-out window; `record` is its activity, or the one it is shown above."""

    kind: Kind
    title: str
    package: str
    box: Box
    state: UiState
    record: Record


@dataclass(frozen=True, slots=True)
class Toast:
    """Text that disappears by itself."""

    package: str
    text: str
    until: float  # uptime


def black(metrics: Metrics) -> Box:
    """Return a black screen."""
    view = View(width=MATCH, height=MATCH, background="#000000")
    return layout(view, metrics.screen, metrics, UiState())
