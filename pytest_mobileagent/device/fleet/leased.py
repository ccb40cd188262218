"""The device that this process has leased: connected when it is needed, replaced when it breaks."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from pytest_mobileagent.device.fleet.lease import Lease, lease
from pytest_mobileagent.errors import InfrastructureError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.device.address import Address, AppiumAddress
    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.device.fleet.slots import Slots


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
        """Declare the device broken: the next `get` gives another in its place.

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
        """Whether the server is gone that the device, and others, were reached through."""
        return self._address is not None and not self._slots.serves(self._address)

    def close(self) -> None:
        """Let go of the device, and of the lease."""
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
