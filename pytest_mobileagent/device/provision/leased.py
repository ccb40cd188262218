"""The device that this process has leased: connected when it is needed, replaced when it breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.device.adb.device import AdbDevice
from pytest_mobileagent.device.provision.pool import Lease, lease

if TYPE_CHECKING:
    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.device.provision.pool import Provision


class LeasedDevice:
    """Leases one device of a provision on first use, and keeps it until closed."""

    def __init__(self, provision: Provision, settle: float) -> None:
        self._provision = provision
        self._settle = settle
        self._lease: Lease | None = None
        self._device: Device | None = None
        self._broken = False

    def get(self) -> Device:
        """Return the device, connected.

        Raises:
            InfrastructureError: there is none, or it does not answer.
        """
        if self._lease is None:
            self._lease = lease(self._provision)
        if self._device is None:
            address = self._lease.address(anew=self._broken)
            self._device = AdbDevice(address, self._settle)
            self._broken = False
        return self._device

    def give_up(self) -> None:
        """Declare the device broken: the next `get` asks for another in its place."""
        self._disconnect()
        self._broken = True

    def close(self) -> None:
        """Let go of the device, and of the lease."""
        self._disconnect()
        if self._lease is not None:
            self._lease.release()
            self._lease = None

    def _disconnect(self) -> None:
        if self._device is not None:
            self._device.close()
            self._device = None
