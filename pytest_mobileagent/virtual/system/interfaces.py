"""What services share: activities in tasks, windows, and protocols of services built later."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from pytest_mobileagent.virtual.ui import MATCH, View
from pytest_mobileagent.virtual.ui.layout import Box, UiState, layout

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from pytest_mobileagent.virtual.app.app import Activity, App
    from pytest_mobileagent.virtual.ui import Input
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
    "wallpaper", "activity", "scrim", "dialog", "menu", "keyguard", "shade", "headsup",
    "keyboard", "toast", "status", "navigation",
]  # fmt: skip
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


class ActivityService(Protocol):
    """The activity service: a failure of an app's code ends that app, and nothing else."""

    def force_stop(self, package: str, /) -> None: ...
    def kill(self, package: str, reason: str, /) -> None: ...
    def guard(self, package: str, /) -> AbstractContextManager[None]: ...


class PermissionService(Protocol):
    """The permission service: granted permissions belong to an installed app."""

    def grant_all(self, package: str, /) -> None: ...
    def reset(self, package: str, /) -> None: ...


class MimeTypes(Protocol):
    """The content resolver, which knows the MIME type of a URI's content."""

    def type_of(self, uri: str, /) -> str: ...


class NotificationService(Protocol):
    """The notification service: an app's notifications are removed with the app."""

    def cancel_all(self, package: str, /) -> None: ...


class AccessibilityBinder(Protocol):
    """The accessibility services, which end when their app is force-stopped."""

    def force_stopped(self, package: str, /) -> None: ...


class ShadeControl(Protocol):
    """The shade, which contains notifications and covers activities."""

    open: bool

    def push(self) -> None: ...
    def close(self) -> None: ...


class KeyguardControl(Protocol):
    """The keyguard; once it is dismissed, the pending notification opens."""

    locked: bool

    def dismiss(self, pending: str = "") -> None: ...


class EventSender(Protocol):
    """Sends accessibility events to listeners."""

    def settle(self, *, by_keys: bool = False) -> None: ...
    def toast(self, package: str, text: str, /) -> None: ...
    def notification(self, package: str, tag: str, texts: tuple[str, ...], /) -> None: ...


class WindowBuilder(Protocol):
    """Builds the windows that are visible while an activity is on top, the lowest first."""

    def build(self, record: Record, /) -> list[Window]: ...
    def app(self, record: Record, /) -> list[Window]: ...


class FocusService(Protocol):
    """The window service, for the focused window and field."""

    @property
    def active(self) -> Window: ...
    def find(self, kind: Kind, /) -> Window | None: ...
    def focused_field(self) -> Input | None: ...
    def focus_next(self, *, fields_only: bool) -> bool: ...
    def reveal(self) -> None: ...
