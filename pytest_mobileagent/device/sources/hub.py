"""Devices of an existing Appium server, such as a hub."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pytest_mobileagent.device.device import AppiumAddress
from pytest_mobileagent.device.sources import RunSlots, Source
from pytest_mobileagent.urls import redact_urls

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.device.device import DeviceOptions
    from pytest_mobileagent.device.fleet.shared import SharedRun


class HubSource(Source):
    """Sessions on an Appium server, one for each worker; the server chooses their devices."""

    form = "appium:URL"
    help = "devices of an existing Appium server"
    how_to_install = "install it, or set the capability appium:app"
    reached_by = AppiumAddress

    def __init__(self, text: str) -> None:
        if not _is_url(text):
            example = "as in appium:https://USER:KEY@hub.example/wd/hub"
            escapes = "in the user name and key, write / as %2F, @ as %40, ? as %3F and # as %23"
            raise ValueError(f"must be `appium:URL`, {example}; {escapes}")
        self._url = text.rstrip("/")

    @property
    def shown(self) -> str:
        """The URL without user name and key."""
        return f"appium:{redact_urls(self._url)}"

    def open(self, options: DeviceOptions, shared: Callable[[], SharedRun]) -> RunSlots:
        """Return a slot for each worker, in which a new session is a new device."""
        return RunSlots(shared(), options.workers, AppiumAddress(self._url))


def _is_url(text: str) -> bool:
    if not text.isprintable() or " " in text:
        return False
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False
