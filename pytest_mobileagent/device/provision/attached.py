"""Devices that are there already, of this machine's adb server or another's."""

from __future__ import annotations

import getpass
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.device.adb.shell import Address

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.device.provision.spec import Place


class AttachedProvision:
    """Devices that adb servers already know, by their serials."""

    renews = False

    def __init__(self, places: Sequence[Place]) -> None:
        self._addresses = [_address(place) for place in places]

    @property
    def slots(self) -> Sequence[str]:
        """Locks that all runs of this user share, since the devices are not a run's own."""
        folder = Path(tempfile.gettempdir(), f"mobileagent-leases-{getpass.getuser()}")
        folder.mkdir(mode=0o700, exist_ok=True)
        names = [f"{one.adb_host}-{one.adb_port}-{one.serial}" for one in self._addresses]
        return [str(folder / f"{name.replace('/', '_').replace(':', '_')}.lock") for name in names]

    def address(self, slot: int, *, anew: bool = False) -> Address:  # noqa: ARG002 - there is no other
        """Return the address of the device; there is no other to replace it with."""
        return self._addresses[slot]


def _address(place: Place) -> Address:
    host = place.host or os.environ.get("ANDROID_ADB_SERVER_ADDRESS") or "127.0.0.1"
    port = place.port or int(os.environ.get("ANDROID_ADB_SERVER_PORT", "5037"))
    return Address(place.serial, host, port, str(Path.home()))
