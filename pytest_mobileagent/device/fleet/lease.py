"""Devices are leased: one process uses one device, and a lease ends with its holder."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from filelock import FileLock, Timeout

from pytest_mobileagent.errors import InfrastructureError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.device.address import Address

_LEASE_SECONDS = 120.0


class Provision(Protocol):
    """Where devices come from: numbered slots, each holding one device at a time.

    `renews` tells whether a device that broke, or is worn, can be had anew in its slot.
    """

    @property
    def renews(self) -> bool:
        """Whether the provision makes its devices itself."""

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


def lease(provision: Provision, seconds: float = _LEASE_SECONDS, avoid: int | None = None) -> Lease:
    """Lease a device that nobody uses, waiting for one up to `seconds`.

    The slot to `avoid`, whose device broke, is taken only if there is no other that is free.

    Raises:
        InfrastructureError: none became free.
    """
    deadline = time.monotonic() + seconds
    while True:
        paths = provision.slots
        for slot in sorted(range(len(paths)), key=lambda slot: slot == avoid):
            path = paths[slot]
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
