"""What a task is made of: activities, one above the other."""

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
    caller: int = 0  # the record that wants a result
    request: str = ""
    ui: UiState = field(default_factory=UiState)  # of its window
    over: UiState | None = None  # of the dialog above it, while there is one

    @property
    def app(self) -> App:
        """The app of this activity."""
        return self.activity.app

    @property
    def package(self) -> str:
        """The app's package."""
        return self.activity.app.package

    def close_menu(self) -> None:
        """Close the menu of whichever window has one open."""
        for state in (self.ui, self.over):
            if state:
                state.menu = None

    @property
    def token(self) -> str:
        """The hash by which dumps name this record."""
        return f"{(self.number * 0x9E3779B1) & 0xFFFFFFF:x}"


@dataclass(slots=True)
class Task:
    """A stack of activities, the top one last."""

    number: int
    package: str
    records: list[Record] = field(default_factory=list)
    used: int = 0  # the higher, the later it was in front

    @property
    def root(self) -> Record:
        """The activity that the task was made for."""
        return self.records[0]

    @property
    def top(self) -> Record:
        """The activity that is seen."""
        return self.records[-1]
