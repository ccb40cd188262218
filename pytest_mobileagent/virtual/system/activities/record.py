"""A task, which is a stack of activities, and its parts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui.layout import UiState

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.app.app import Activity, App


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
