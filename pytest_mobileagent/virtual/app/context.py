"""What an app needs of the phone that it runs on, whatever phone that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.virtual.content.locale import Locale
    from pytest_mobileagent.virtual.content.settings import Settings
    from pytest_mobileagent.virtual.kernel.clock import Clock
    from pytest_mobileagent.virtual.kernel.files import FileSystem


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


class Context(Protocol):
    """The services behind apps and their providers."""

    clock: Clock
    files: FileSystem
    settings: Settings

    @property
    def locales(self) -> Locales: ...
