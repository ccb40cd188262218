"""Devices are leased: one process uses one device, and a lease ends with its holder."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from pytest_mobileagent.errors import InfrastructureError

if TYPE_CHECKING:
    from pytest_mobileagent.device.address import Address, AppiumAddress
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
        """Let others use the device."""
        self.lock.release()


def lease(slots: Slots, seconds: float = _LEASE_SECONDS, avoid: int | None = None) -> Lease:
    """Lease a device that nobody uses, waiting for one up to `seconds`.

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
