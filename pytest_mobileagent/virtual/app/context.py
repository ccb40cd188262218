"""What an app needs of the phone that it runs on, whatever phone that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_mobileagent.virtual.content.intent import Intent
    from pytest_mobileagent.virtual.content.locale import Locale
    from pytest_mobileagent.virtual.content.settings import Settings
    from pytest_mobileagent.virtual.kernel.clock import Clock
    from pytest_mobileagent.virtual.kernel.files import FileSystem
    from pytest_mobileagent.virtual.kernel.log import Log
    from pytest_mobileagent.virtual.kernel.processes import ProcessTable
    from pytest_mobileagent.virtual.ui.layout import UiState

A_contra = TypeVar("A_contra", contravariant=True)  # an activity


class AccessibilityService(Protocol):
    """A service of an app that is told of events; made when it is bound."""

    def start(self) -> None:
        """Begin: it has been enabled."""

    def stop(self) -> None:
        """End at once: it is not enabled any more, or its app is gone."""


class Locales(Protocol):
    """The languages of apps, and their texts in them."""

    def of(self, package: str, /) -> Locale: ...
    def text(self, package: str, folder: Path, english: str, /) -> str: ...


class Notifications(Protocol):
    """Where apps post."""

    def post(self, package: str, tag: str, title: str, text: str, **more: Any) -> object: ...
    def cancel(self, package: str, tag: str, /) -> None: ...


class Permissions(Protocol):
    """What apps may do."""

    def allowed(self, package: str, permission: str, /) -> bool: ...


class Record(Protocol):
    """What is kept of an activity that has started."""

    ui: UiState


class Activities(Protocol[A_contra]):
    """How activities come and go."""

    def finish(self, activity: A_contra, result: dict[str, Any], /) -> None: ...
    def record_of(self, activity: A_contra, /) -> Record | None: ...
    def start_from(self, activity: A_contra, intent: Intent, request: str = "", /) -> None: ...
    def ask_permission(self, activity: A_contra, names: Sequence[str], request: str, /) -> None: ...


class Keyboard(Protocol):
    """The soft keyboard."""

    def show(self) -> None: ...
    def hide(self) -> None: ...


class Windows(Protocol):
    """Where texts are shown that go away by themselves."""

    def show_toast(self, package: str, text: str, seconds: float, /) -> None: ...


class Events(Protocol):
    """What assistive services are told."""

    def announce(self, package: str, text: str, /) -> None: ...


class Context(Protocol[A_contra]):
    """The services behind the methods of `App` and `Activity`."""

    clock: Clock
    files: FileSystem
    log: Log
    settings: Settings
    proc: ProcessTable

    @property
    def locales(self) -> Locales: ...
    @property
    def notifications(self) -> Notifications: ...
    @property
    def permissions(self) -> Permissions: ...
    @property
    def activities(self) -> Activities[A_contra]: ...
    @property
    def ime(self) -> Keyboard: ...
    @property
    def windows(self) -> Windows: ...
    @property
    def events(self) -> Events: ...

    def changed(self) -> None:
        """Say that something changed, so that the screen is built anew."""
