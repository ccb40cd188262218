"""The driver that needs only adb."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.device import drivers
from pytest_mobileagent.device.device import Address

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.device.device import DeviceOptions
    from pytest_mobileagent.device.drivers.adb.adb_device import AdbDevice
    from pytest_mobileagent.device.fleet.shared import SharedRun
    from pytest_mobileagent.device.sources import Restart


class Driver(drivers.Driver):
    """Drives devices that an adb server knows (see `drivers.Driver`)."""

    takes = (Address,)

    def connect(
        self,
        address: Address,
        options: DeviceOptions,
        shared: Callable[[], SharedRun],
        restart: Restart | None,
    ) -> AdbDevice:
        from pytest_mobileagent.device.drivers.adb.adb_device import AdbDevice

        return AdbDevice(address, options.settle, restart, options.log)
