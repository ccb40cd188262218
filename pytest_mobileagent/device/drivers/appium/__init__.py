"""The driver that uses an Appium server: one that the run starts, or an existing one.

A session is opened on a device that adb reaches as well, or on one that a hub chooses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.device.device import Address, AppiumAddress
from pytest_mobileagent.extras import MissingExtraError, check_extra

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_mobileagent.device.device import DeviceOptions, LogLevel, Settle
    from pytest_mobileagent.device.drivers.appium.appium_device import AppiumDevice
    from pytest_mobileagent.device.fleet.shared import SharedRun
    from pytest_mobileagent.device.sources import Restart

_SLOT = -1  # the supervisor's slot for the one server that all devices of the run share


class Driver:
    """Drives devices of an adb server or of an Appium server (see `drivers.Driver`)."""

    takes = (Address, AppiumAddress)

    def check(self, reached_by: type, options: DeviceOptions) -> None:
        """Check that the client is installed, and Appium too if the run starts the server."""
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
        """Open a session on the device, for an adb server's device on the run's Appium server."""
        from pytest_mobileagent.device.drivers.appium import server
        from pytest_mobileagent.device.fleet.programs import python_program

        if isinstance(address, AppiumAddress):
            return connect_remote(address.url, options.settle, options.capabilities, options.log)
        words = ["--home", str(options.appium_home)] if options.appium_home else []
        command = python_program(server.__name__, *words)
        url = shared().ask({"do": "start", "slot": _SLOT, "command": command})["url"]
        wanted = options.capabilities
        return connect_local(address, url, options.settle, wanted, restart, options.log)


_CAPABILITIES: dict[str, Any] = {
    "platformName": "Android",
    "appium:automationName": "UiAutomator2",
    "appium:noReset": True,  # devices are reset by this package
    "appium:disableSuppressAccessibilityService": True,  # the event listener is such a service
    "appium:newCommandTimeout": 3600,  # an agent may think for a long time
    "appium:settings[waitForIdleTimeout]": 0,  # this package compares observations instead
}


def connect_local(  # noqa: PLR0917 - the arguments of `connect`
    address: Address,
    url: str,
    settle: Settle,
    capabilities: Mapping[str, Any],
    restart: Restart | None = None,
    log: LogLevel = "off",
) -> AppiumDevice:
    """Open a session on a device of an adb server through the Appium server at `url`."""
    from pytest_mobileagent.device.drivers.adb.system import AdbSystem
    from pytest_mobileagent.device.drivers.appium.appium_device import AppiumDevice
    from pytest_mobileagent.device.drivers.appium.server import AppiumSession

    where = {"appium:udid": address.serial, "appium:adbPort": address.adb_port}
    if address.adb_host not in {"127.0.0.1", "localhost"}:
        where["appium:remoteAdbHost"] = address.adb_host
    wanted = {**_CAPABILITIES, **where, **capabilities}

    def restart_and_follow(old: Address, snapshot: str) -> tuple[Address, bool]:
        """Replace the device, and make the next session open on its replacement."""
        assert restart is not None
        new, loaded = restart(old, snapshot)
        wanted["appium:udid"] = new.serial
        return new, loaded

    system = AdbSystem(address, restart_and_follow if restart else None, log=log)
    session = AppiumSession(url, wanted)
    try:
        return AppiumDevice(session, system, settle)
    except BaseException:
        session.close()
        system.close()
        raise


def connect_remote(
    url: str, settle: Settle, capabilities: Mapping[str, Any], log: LogLevel = "off"
) -> AppiumDevice:
    """Open a session on a device that the Appium server at `url` chooses."""
    from pytest_mobileagent.device.drivers.appium.appium_device import AppiumDevice
    from pytest_mobileagent.device.drivers.appium.remote_system import RemoteSystem
    from pytest_mobileagent.device.drivers.appium.server import AppiumSession

    session = AppiumSession(url, {**_CAPABILITIES, **capabilities})
    try:
        return AppiumDevice(session, RemoteSystem(session, log), settle)
    except BaseException:
        session.close()
        raise
