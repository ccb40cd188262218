"""What an app requires of the phone it runs on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.virtual.content.locale import Locale
    from pytest_mobileagent.virtual.content.settings import Settings
    from pytest_mobileagent.virtual.kernel.clock import Clock
    from pytest_mobileagent.virtual.kernel.files import FileSystem


class AccessibilityService(Protocol):
    """An app's service that receives accessibility events; created when the service is bound."""

    def start(self) -> None:
        """Start the service, which has just been enabled."""

    def stop(self) -> None:
        """Stop immediately: the service has been disabled, or its app is gone."""


class Locales(Protocol):
    """The languages of apps, and the translations of their texts."""

    def of(self, package: str, /) -> Locale: ...
    def text(self, package: str, folder: Path, english: str, /) -> str: ...


class Context(Protocol):
    """The services available to apps and their providers."""

    clock: Clock
    files: FileSystem
    settings: Settings

    @property
    def locales(self) -> Locales: ...
