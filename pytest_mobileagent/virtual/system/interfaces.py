"""Protocols of services that earlier services need; `link` passes the services to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from pytest_mobileagent.virtual.system.records import Kind, Record, Window
    from pytest_mobileagent.virtual.ui.controls import Input


class Running(Protocol):
    """The activity service: a failure of an app's code ends that app, and nothing else."""

    def force_stop(self, package: str, /) -> None: ...
    def kill(self, package: str, reason: str, /) -> None: ...
    def guard(self, package: str, /) -> AbstractContextManager[None]: ...


class Granting(Protocol):
    """The permission service: granted permissions belong to an installed app."""

    def grant_all(self, package: str, /) -> None: ...
    def reset(self, package: str, /) -> None: ...


class Typing(Protocol):
    """The content resolver, which knows the MIME type of a URI's content."""

    def type_of(self, uri: str, /) -> str: ...


class Posting(Protocol):
    """The notification service: an app's notifications are removed with the app."""

    def cancel_all(self, package: str, /) -> None: ...


class Disabling(Protocol):
    """The accessibility services, which end when their app is force-stopped."""

    def force_stopped(self, package: str, /) -> None: ...


class Drawer(Protocol):
    """The shade, which contains notifications and covers activities."""

    open: bool

    def push(self) -> None: ...
    def close(self) -> None: ...


class Lock(Protocol):
    """The keyguard; once it is dismissed, the pending notification opens."""

    locked: bool

    def dismiss(self, pending: str = "") -> None: ...


class Telling(Protocol):
    """Sends accessibility events to listeners."""

    def settle(self, *, by_keys: bool = False) -> None: ...
    def toast(self, package: str, text: str, /) -> None: ...
    def notification(self, package: str, tag: str, texts: tuple[str, ...], /) -> None: ...


class Building(Protocol):
    """Builds the windows that are visible while an activity is on top, the lowest first."""

    def build(self, record: Record, /) -> list[Window]: ...
    def app(self, record: Record, /) -> list[Window]: ...


class Focus(Protocol):
    """The window service, for the focused window and field."""

    @property
    def active(self) -> Window: ...
    def find(self, kind: Kind, /) -> Window | None: ...
    def focused_field(self) -> Input | None: ...
    def focus_next(self, *, fields_only: bool) -> bool: ...
    def reveal(self) -> None: ...
