"""Devices that are there already, of this machine's adb server or another's."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.device.address import Address
from pytest_mobileagent.errors import HostError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.device.sources.spec import Place

_PORT = "ANDROID_ADB_SERVER_PORT"  # adb's own


class AttachedProvision:
    """Devices that adb servers already know, by their serials.

    Raises:
        HostError: the environment names an adb server's port that is none.
    """

    renews = False

    def __init__(self, places: Sequence[Place]) -> None:
        self._addresses = [_address(place) for place in places]

    @property
    def slots(self) -> Sequence[str]:
        """Locks that all runs of this user share, since the devices are not a run's own."""
        folder = Path(tempfile.gettempdir(), f"mobileagent-leases-{os.getuid()}")
        folder.mkdir(mode=0o700, exist_ok=True)
        names = [f"{one.adb_host}-{one.adb_port}-{one.serial}" for one in self._addresses]
        return [str(folder / f"{name.replace('/', '_').replace(':', '_')}.lock") for name in names]

    def address(self, slot: int, *, anew: bool = False) -> Address:  # noqa: ARG002 - there is no other
        """Return the address of the device; there is no other to replace it with."""
        return self._addresses[slot]


def _address(place: Place) -> Address:
    host = place.host or os.environ.get("ANDROID_ADB_SERVER_ADDRESS") or "127.0.0.1"
    return Address(place.serial, host, place.port or _usual_port(), str(Path.home()))


def _usual_port() -> int:
    text = os.environ.get(_PORT) or "5037"
    if not (text.isdecimal() and 0 < int(text) < 1 << 16):
        msg = f"environment variable {_PORT}={text} has to be the port of an adb server"
        raise HostError(msg)
    return int(text)
