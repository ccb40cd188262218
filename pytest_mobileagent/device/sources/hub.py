"""Devices of an Appium server that runs already, such as a hub."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pytest_mobileagent.device.device import AppiumAddress
from pytest_mobileagent.device.fleet.slots import Slots
from pytest_mobileagent.device.sources import Source
from pytest_mobileagent.urls import redact_urls

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.device.device import DeviceOptions
    from pytest_mobileagent.device.fleet.shared import SharedRun


class HubSource(Source):
    """Sessions on an Appium server, one for each worker; the server chooses their devices."""

    form = "appium:URL"
    help = "devices of an Appium server that runs already"
    how_to_install = "install it, or name it by the capability appium:app"
    reached_by = AppiumAddress

    def __init__(self, text: str) -> None:
        if not _is_url(text):
            msg = (
                "has to be `appium:URL`, as in appium:https://USER:KEY@hub.example/wd/hub; in a "
                "name or key write / as %2F, @ as %40, ? as %3F and # as %23"
            )
            raise ValueError(msg)
        self._url = text.rstrip("/")

    @property
    def shown(self) -> str:
        """The URL without name and key."""
        return f"appium:{redact_urls(self._url)}"

    def open(self, options: DeviceOptions, shared: Callable[[], SharedRun]) -> HubSlots:
        """Return a slot for each worker."""
        return HubSlots(shared(), options.workers, AppiumAddress(self._url))


class HubSlots(Slots):
    """Slots for sessions on one server."""

    renews = True  # a new session is a new device

    def __init__(self, run: SharedRun, count: int, server: AppiumAddress) -> None:
        self._run = run
        self._count = count
        self._server = server

    @property
    def locks(self) -> Sequence[str]:
        """Locks in the run's folder."""
        return [str(self._run.folder / f"slot-{number}.lock") for number in range(self._count)]

    def address(self, slot: int, *, fresh: bool = False) -> AppiumAddress:
        """Return the server's address."""
        return self._server


def _is_url(text: str) -> bool:
    if not text.isprintable() or " " in text:
        return False
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False
