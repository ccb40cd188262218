"""What is on the screen: activities in their tasks, and laid-out windows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from pytest_mobileagent.virtual.ui import MATCH, View
from pytest_mobileagent.virtual.ui.layout import Box, UiState, layout

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.app.app import Activity, App
    from pytest_mobileagent.virtual.ui.metrics import Metrics


@dataclass(slots=True)
class Record:
    """An activity in a task."""

    number: int
    activity: Activity
    component: str
    caller: int = 0  # number of the record that expects a result, or 0
    request: str = ""
    ui: UiState = field(default_factory=UiState)  # state of its window
    over: UiState | None = None  # state of the dialog above it, if one is open

    @property
    def app(self) -> App:
        """The app of this activity."""
        return self.activity.app

    @property
    def package(self) -> str:
        """The app's package."""
        return self.activity.app.package

    def close_menu(self) -> None:
        """Close any menu that is open in the activity's windows."""
        for state in (self.ui, self.over):
            if state:
                state.menu = None

    @property
    def token(self) -> str:
        """The hash that identifies this record in dumps."""
        return f"{(self.number * 0x9E3779B1) & 0xFFFFFFF:x}"


@dataclass(slots=True)
class Task:
    """A stack of activities, the top one last."""

    number: int
    package: str
    records: list[Record] = field(default_factory=list)
    used: int = 0  # increases each time the task comes to the front

    @property
    def root(self) -> Record:
        """The activity at the bottom, for which the task was created."""
        return self.records[0]

    @property
    def top(self) -> Record:
        """The activity on top, which is visible."""
        return self.records[-1]


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
