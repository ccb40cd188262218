"""The driver that goes through an Appium server: the run's own, or one that is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.device.address import Address, AppiumAddress
from pytest_mobileagent.extras import MissingExtraError, check_extra

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.device.drivers.appium.device import AppiumDevice
    from pytest_mobileagent.device.fleet.shared import SharedRun
    from pytest_mobileagent.device.fleet.slots import Restart
    from pytest_mobileagent.device.options import DeviceOptions

_SLOT = -1  # the supervisor's: one server for all devices of the run


class Driver:
    """Drives what an adb server knows, or an Appium server (see `drivers.driver.Driver`)."""

    takes = (Address, AppiumAddress)

    def check(self, reached_by: type, options: DeviceOptions) -> None:
        """Check that its client is installed, and Appium where the run starts a server itself."""
        from pytest_mobileagent.device.drivers.appium.server import find_appium

        try:
            check_extra("appium", "driving devices by Appium")
            if reached_by is Address:
                find_appium(options.appium_home)
        except (MissingExtraError, FileNotFoundError) as error:
            raise ValueError(str(error)) from None

    def connect(
        self,
        address: Address | AppiumAddress,
        options: DeviceOptions,
        shared: Callable[[], SharedRun],
        restart: Restart | None,
    ) -> AppiumDevice:
        """Start a session on the device; for one of an adb server, with the run's own server."""
        from pytest_mobileagent.device.drivers.appium.connect import (
            connect_local,
            connect_remote,
        )

        if isinstance(address, AppiumAddress):
            return connect_remote(address.url, options.settle, options.capabilities)
        from pytest_mobileagent.device.drivers.appium import server
        from pytest_mobileagent.device.fleet.program import python_program

        words = ["--home", str(options.appium_home)] if options.appium_home else []
        command = python_program(server.__name__, *words)
        started = shared().ask({"do": "start", "slot": _SLOT, "command": command})
        url = started["url"]
        return connect_local(address, url, options.settle, options.capabilities, restart)
