"""Devices are leased: one process uses one device, and a lease ends with its holder."""

from __future__ import annotations

import getpass
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from filelock import FileLock, Timeout

from pytest_mobileagent.device.adb.shell import Address
from pytest_mobileagent.errors import InfrastructureError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_mobileagent.device.provision.run import SharedRun

_LEASE_SECONDS = 120.0


class Provision(Protocol):
    """Where devices come from: numbered slots, each holding one device at a time."""

    @property
    def slots(self) -> Sequence[str]:
        """The paths of the slots' locks."""

    def address(self, slot: int, *, anew: bool = False) -> Address:
        """Return how to reach the device of a slot; `anew` asks for one to replace a broken one.

        Raises:
            InfrastructureError: there is no device to be had.
        """


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to use the device of one slot; the system ends it when this process dies."""

    provision: Provision
    slot: int
    lock: FileLock

    def address(self, *, anew: bool = False) -> Address:
        """Return how to reach the device (see `Provision.address`)."""
        return self.provision.address(self.slot, anew=anew)

    def release(self) -> None:
        """Let others use the device."""
        self.lock.release()


def lease(provision: Provision, seconds: float = _LEASE_SECONDS) -> Lease:
    """Lease a device that nobody uses, waiting for one up to `seconds`.

    Raises:
        InfrastructureError: none became free.
    """
    deadline = time.monotonic() + seconds
    while True:
        for slot, path in enumerate(provision.slots):
            lock = FileLock(path)
            try:
                lock.acquire(timeout=0)
            except Timeout:
                continue
            return Lease(provision, slot, lock)
        if time.monotonic() > deadline:
            count = len(provision.slots)
            msg = f"all {count} devices are in use; none was free in {seconds:g} s"
            raise InfrastructureError(msg)
        time.sleep(0.05)


class VirtualProvision:
    """Virtual devices of the run's own, as many as there are workers, started when needed."""

    def __init__(self, run: SharedRun, count: int, apps: Iterable[Path]) -> None:
        self._run = run
        self._count = count
        folders = [word for folder in apps for word in ("--apps", str(folder))]
        program = [sys.executable, "-m", "pytest_mobileagent", "device"]
        self._command = [*program, "--port", "0", "--adb-server-port", "{adb}", *folders]

    @property
    def slots(self) -> Sequence[str]:
        """Locks in the run's folder."""
        return [str(self._run.folder / f"slot-{number}.lock") for number in range(self._count)]

    def address(self, slot: int, *, anew: bool = False) -> Address:
        """Ask the run's keeper for the device."""
        adb = self._run.ask({"do": "adb"})
        what = "replace" if anew else "start"
        phone = self._run.ask({"do": what, "slot": slot, "command": self._command})
        return Address(phone["serial"], "127.0.0.1", adb["port"], adb["home"])


class AttachedProvision:
    """Devices that an adb server already knows, by their serials."""

    def __init__(self, serials: Sequence[str], host: str = "127.0.0.1", port: int = 0) -> None:
        self._serials = serials
        self._host = host
        self._port = port or int(os.environ.get("ANDROID_ADB_SERVER_PORT", "5037"))

    @property
    def slots(self) -> Sequence[str]:
        """Locks that all runs of this user share, since the devices are not a run's own."""
        folder = Path(tempfile.gettempdir(), f"mobileagent-leases-{getpass.getuser()}")
        folder.mkdir(mode=0o700, exist_ok=True)
        names = [f"{self._host}-{self._port}-{serial}" for serial in self._serials]
        return [str(folder / f"{name.replace('/', '_').replace(':', '_')}.lock") for name in names]

    def address(self, slot: int, *, anew: bool = False) -> Address:  # noqa: ARG002 - there is no other
        """Return the address of the device; there is no other to replace it with."""
        return Address(self._serials[slot], self._host, self._port, str(Path.home()))
