"""Slots, in each of which a run has one device at a time, and the lease of a device to a process.

A leased device is connected when it is first needed, and replaced when it breaks. One process uses
one device; a lease ends with the process that holds it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pytest_mobileagent.device.device import Address, AnyAddress
from pytest_mobileagent.device.fleet.shared import open_lock
from pytest_mobileagent.errors import InfrastructureError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.device.fleet.shared import SharedRun


# Replaces a device by one that starts from a snapshot; also returns whether it could load that.
Restart = Callable[[Address, str], "tuple[Address, bool]"]
_START_SECONDS, _GRACE_SECONDS = 60.0, 3.0


class Slots(Protocol):
    """Where devices come from: numbered slots, each holding one device at a time.

    `renews` says whether a device that broke, or is worn, can be replaced by a new one in its
    slot. `restart` replaces one that loads no snapshot while it runs; None where none has to.
    """

    renews: bool
    restart: Restart | None = None

    @property
    def locks(self) -> Sequence[str]:
        """The paths of the slots' locks, in order: whoever holds one uses the device."""

    def address(self, slot: int, *, fresh: bool = False) -> AnyAddress:
        """Return how to reach the device of a slot; a `fresh` one replaces a device that broke.

        Raises:
            InfrastructureError: no device is available.
        """

    def prestart(self) -> None:
        """Start all devices without waiting for them, if the run starts any."""
        return

    def ended(self, slot: int) -> str:
        """Return why a device's program ended by itself; empty if it did not, or there is none."""
        return ""

    def serves(self, address: AnyAddress) -> bool:
        """Whether the server that an address names still runs; True if unknown."""
        return True


@dataclass(frozen=True, slots=True)
class Started:
    """A device whose program runs; `record` is what that printed, and whether it is `fresh`."""

    address: Address
    record: dict[str, Any]


class ProgramSlots(Slots):
    """Devices that are programs, which the run starts when they are needed and ends with itself.

    `command` starts one. It prints a line of JSON with its "serial" when it is ready, registers
    with the adb server whose port takes the place of "{adb}", and ends when its standard input
    does. With `warm`, the command of a program that is kept and forks (see `warm`), it is only what
    that is to fork with. It has `seconds` until it is ready and `grace` seconds to end. `home` is
    the home folder that it gets, by default one of the run's.

    Raises:
        HostError: the run's folder cannot be made.
    """

    renews = True

    def __init__(
        self,
        run: SharedRun,
        count: int,
        command: Sequence[str],
        *,
        warm: Sequence[str] = (),
        home: str | None = None,
        seconds: float = _START_SECONDS,
        grace: float = _GRACE_SECONDS,
    ) -> None:
        self.run = run
        self.count = count
        self.command = list(command)
        self._where = {"home": home} if home else {}
        self._how = {"warm": [*warm], "seconds": seconds, "grace": grace}
        self._answer_seconds = 120 + seconds + grace

    @property
    def locks(self) -> Sequence[str]:
        """Locks in the run's folder."""
        return [str(self.run.folder / f"slot-{number}.lock") for number in range(self.count)]

    def address(self, slot: int, *, fresh: bool = False) -> Address:
        """Start the device if it does not run yet, or replace it by a fresh one."""
        return self.start(slot, self.command, fresh=fresh).address

    def start(self, slot: int, command: Sequence[str], *, fresh: bool = False) -> Started:
        """Start a device by a command, unless one runs in the slot that need not be `fresh`.

        Raises:
            InfrastructureError: it does not start.
        """
        adb = self.run.ask({"do": "adb", **self._where})
        what = "replace" if fresh else "start"
        record = self.run.ask(self._request(what, slot, command), self._answer_seconds)
        return Started(Address(record["serial"], "127.0.0.1", adb["port"], adb["home"]), record)

    def prestart(self) -> None:
        """Have the supervisor start them in the background, some at a time."""
        for slot in range(self.count):
            self.run.ask(self._request("prestart", slot, self.command))

    def ended(self, slot: int) -> str:
        """Return its exit status and the end of its output."""
        return str(self.run.ask({"do": "ended", "slot": slot})["ended"])

    def serves(self, address: AnyAddress) -> bool:
        """Whether an address names the run's current adb server; a new one replaces a dead one.

        The supervisor that had started it may be gone as well.
        """
        with contextlib.suppress(InfrastructureError):
            port = self.run.ask({"do": "adb", **self._where})["port"]
            return isinstance(address, Address) and address.adb_port == port
        return False

    def _request(self, what: str, slot: int, command: Sequence[str]) -> dict[str, Any]:
        return {"do": what, "slot": slot, "command": [*command], **self._where, **self._how}


_LEASE_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to use the device of one slot; the system ends it when this process dies."""

    slots: Slots
    slot: int
    lock: int  # a descriptor of the lock's file

    def address(self, *, fresh: bool = False) -> AnyAddress:
        """Return how to reach the device (see `Slots.address`)."""
        return self.slots.address(self.slot, fresh=fresh)

    def release(self) -> None:
        """Release the device for others."""
        os.close(self.lock)


def lease(slots: Slots, seconds: float = _LEASE_SECONDS, avoid: int | None = None) -> Lease:
    """Lease a free device, waiting up to `seconds` for one.

    The slot to `avoid`, whose device broke, is taken only if there is no other that is free.

    Raises:
        InfrastructureError: none became free.
    """
    deadline = time.monotonic() + seconds
    while True:
        paths = slots.locks
        for slot in sorted(range(len(paths)), key=lambda slot: slot == avoid):
            lock = open_lock(Path(paths[slot]))
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(lock)
                continue
            return Lease(slots, slot, lock)
        if time.monotonic() > deadline:
            msg = f"all {len(paths)} devices are in use; none was free in {seconds:g} s"
            raise InfrastructureError(msg)
        time.sleep(0.05)


class LeasedDevice:
    """Leases a device of some slots on first use, and keeps it until closed.

    `connect` makes the driver of a device. A device that broke is replaced: by a new one where the
    slots renew their devices, else by another that is free. One that was given out
    `recycle` times is replaced too: emulators wear out after some dozens of restores.
    """

    def __init__(self, slots: Slots, connect: Callable[[AnyAddress], Device], recycle: int) -> None:
        self._slots = slots
        self._connect = connect
        self._recycle = recycle
        self._lease: Lease | None = None
        self._device: Device | None = None
        self._uses = 0
        self._broken: int | None = None  # the slot of the device that was given up
        self._address: AnyAddress | None = None  # where it was last

    def get(self) -> Device:
        """Return the device, connected.

        Raises:
            InfrastructureError: there is none, or it does not answer.
        """
        if self._slots.renews and self._uses >= self._recycle and self._lease is not None:
            self._disconnect()
            self._broken = self._lease.slot
        if self._lease is None:
            self._lease = lease(self._slots, avoid=self._broken)
        if self._device is None:
            self._address = self._lease.address(fresh=self._broken == self._lease.slot)
            self._device = self._connect(self._address)
            self._broken, self._uses = None, 0
        self._uses += 1
        return self._device

    def give_up(self) -> str:
        """Declare the device broken: the next `get` returns another one.

        Returns why its program ended by itself, to follow an error's text; empty if it did not.
        """
        self._disconnect()
        if self._lease is None:
            return ""
        self._broken = self._lease.slot
        ended = ""
        with contextlib.suppress(InfrastructureError):
            ended = self._slots.ended(self._lease.slot)
        if not self._slots.renews:
            self._release()
        return ended and f"; its program {ended}"

    def has_lost_server(self) -> bool:
        """Whether the server through which the device was reached is gone."""
        return self._address is not None and not self._slots.serves(self._address)

    def close(self) -> None:
        """Disconnect from the device and release the lease."""
        self._disconnect()
        self._release()

    def _disconnect(self) -> None:
        if self._device is not None:
            self._device.close()
            self._device = None

    def _release(self) -> None:
        if self._lease is not None:
            self._lease.release()
            self._lease = None
