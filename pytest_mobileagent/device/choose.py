"""From a source and a driver to the device that a process leases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.device.drivers.driver import choose_driver
from pytest_mobileagent.device.fleet.leased import LeasedDevice

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.device.address import Address, AppiumAddress
    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.device.fleet.shared import SharedRun
    from pytest_mobileagent.device.options import DeviceOptions
    from pytest_mobileagent.device.sources.source import Source


def lease_device(
    source: Source, options: DeviceOptions, shared: Callable[[], SharedRun]
) -> LeasedDevice:
    """Return the means to lease one of the devices of a source; `shared` is as in `Source.open`.

    Raises:
        HostError: this machine cannot have them.
        ValueError: the driver cannot drive them.
    """
    driver = choose_driver(options.driver, source.reached_by)
    slots = source.open(options, shared)

    def connect(address: Address | AppiumAddress) -> Device:
        shared().watch()  # also where no device needs it: what agents start ends with the run
        return driver.connect(address, options, shared, slots.restart)

    return LeasedDevice(slots, connect, options.recycle)
