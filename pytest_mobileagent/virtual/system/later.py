"""What services need of others that are built after them, and that `link` gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from pytest_mobileagent.virtual.system.activities.record import Record
    from pytest_mobileagent.virtual.system.window.window import Kind, Window
    from pytest_mobileagent.virtual.ui.controls import Input


class Running(Protocol):
    """The activities: a failure of an app's own code ends that app, and nothing else."""

    def force_stop(self, package: str, /) -> None: ...
    def kill(self, package: str, reason: str, /) -> None: ...
    def guard(self, package: str, /) -> AbstractContextManager[None]: ...


class Granting(Protocol):
    """The permissions, which belong to an app that is installed, and go with it."""

    def grant_all(self, package: str, /) -> None: ...
    def reset(self, package: str, /) -> None: ...


class Typing(Protocol):
    """The content resolver, which knows the MIME type of what is behind a URI."""

    def type_of(self, uri: str, /) -> str: ...


class Posting(Protocol):
    """The notifications, which go with the app that has posted them."""

    def cancel_all(self, package: str, /) -> None: ...


class Disabling(Protocol):
    """What keeps services of apps, which end when an app is stopped by force."""

    def force_stopped(self, package: str, /) -> None: ...


class Drawer(Protocol):
    """The shade, in which notifications are, and which covers activities."""

    open: bool

    def push(self) -> None: ...
    def close(self) -> None: ...


class Lock(Protocol):
    """The keyguard; once it is dismissed, the pending notification opens."""

    locked: bool

    def dismiss(self, pending: str = "") -> None: ...


class Telling(Protocol):
    """Who tells the listeners to accessibility events."""

    def settle(self, *, by_keys: bool = False) -> None: ...
    def toast(self, package: str, text: str, /) -> None: ...
    def notification(self, package: str, tag: str, texts: tuple[str, ...], /) -> None: ...


class Building(Protocol):
    """Who makes the windows that are seen while an activity is on top, the lowest first."""

    def build(self, record: Record, /) -> list[Window]: ...
    def app(self, record: Record, /) -> list[Window]: ...


class Focus(Protocol):
    """The windows, in one of which a field has the focus."""

    @property
    def active(self) -> Window: ...
    def find(self, kind: Kind, /) -> Window | None: ...
    def focused_field(self) -> Input | None: ...
    def focus_next(self, *, fields_only: bool) -> bool: ...
    def reveal(self) -> None: ...
