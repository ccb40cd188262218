"""The driver that goes through an Appium server: the run's own, or an existing one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.device.device import Address, AppiumAddress
from pytest_mobileagent.extras import MissingExtraError, check_extra

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.device.device import DeviceOptions
    from pytest_mobileagent.device.drivers.appium.appium_device import AppiumDevice
    from pytest_mobileagent.device.fleet.shared import SharedRun
    from pytest_mobileagent.device.fleet.slots import Restart

_SLOT = -1  # the supervisor's: one server for all devices of the run


class Driver:
    """Drives what an adb server knows, or an Appium server (see `drivers.Driver`)."""

    takes = (Address, AppiumAddress)

    def check(self, reached_by: type, options: DeviceOptions) -> None:
        """Check that its client is installed, and Appium where the run starts a server itself."""
        from pytest_mobileagent.device.drivers.appium.appium_server import find_appium

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
        from pytest_mobileagent.device.drivers.appium import appium_server
        from pytest_mobileagent.device.drivers.appium.connect import connect_local, connect_remote
        from pytest_mobileagent.device.fleet.process import python_program

        if isinstance(address, AppiumAddress):
            return connect_remote(address.url, options.settle, options.capabilities, options.log)
        words = ["--home", str(options.appium_home)] if options.appium_home else []
        command = python_program(appium_server.__name__, *words)
        started = shared().ask({"do": "start", "slot": _SLOT, "command": command})
        url = started["url"]
        settle, wanted = options.settle, options.capabilities
        return connect_local(address, url, settle, wanted, restart, options.log)
