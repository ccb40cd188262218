"""The device that this process has leased: connected when needed, and replaced when it breaks.

One process uses one device; a lease ends with the process that holds it.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from pytest_mobileagent.errors import InfrastructureError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.device.device import Address, AppiumAddress, Device
    from pytest_mobileagent.device.fleet.slots import Slots


_LEASE_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to use the device of one slot; the system ends it when this process dies."""

    slots: Slots
    slot: int
    lock: FileLock

    def address(self, *, fresh: bool = False) -> Address | AppiumAddress:
        """Return how to reach the device (see `Slots.address`)."""
        return self.slots.address(self.slot, fresh=fresh)

    def release(self) -> None:
        """Release the device for others."""
        self.lock.release()


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
            lock = FileLock(paths[slot])
            try:
                lock.acquire(timeout=0)
            except Timeout:
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

    def __init__(
        self, slots: Slots, connect: Callable[[Address | AppiumAddress], Device], recycle: int
    ) -> None:
        self._slots = slots
        self._connect = connect
        self._recycle = recycle
        self._lease: Lease | None = None
        self._device: Device | None = None
        self._uses = 0
        self._broken: int | None = None  # the slot of the device that was given up
        self._address: Address | AppiumAddress | None = None  # where it was last

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
