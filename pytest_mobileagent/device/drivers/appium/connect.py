"""Connecting to a device through an Appium server: one that adb reaches as well, or a hub's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.device.drivers.adb.system import AdbSystem
from pytest_mobileagent.device.drivers.appium.appium_device import AppiumDevice, RemoteSystem
from pytest_mobileagent.device.drivers.appium.session import AppiumSession

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.device.device import Address, LogLevel, Settle
    from pytest_mobileagent.device.fleet.slots import Restart


_CAPABILITIES: dict[str, Any] = {
    "platformName": "Android",
    "appium:automationName": "UiAutomator2",
    "appium:noReset": True,  # tasks start where a reset has brought them
    "appium:disableSuppressAccessibilityService": True,  # the event listener is one
    "appium:newCommandTimeout": 3600,  # an agent may think for long
    "appium:settings[waitForIdleTimeout]": 0,  # equal observations show that it has settled
}


def connect_local(  # noqa: PLR0917 - those of `connect`
    address: Address,
    url: str,
    settle: Settle,
    capabilities: Mapping[str, Any],
    restart: Restart | None = None,
    log: LogLevel = "off",
) -> AppiumDevice:
    """Drive a device of an adb server through the Appium server at `url`."""
    where = {"appium:udid": address.serial, "appium:adbPort": address.adb_port}
    if address.adb_host not in {"127.0.0.1", "localhost"}:
        where["appium:remoteAdbHost"] = address.adb_host
    wanted = {**_CAPABILITIES, **where, **capabilities}

    def follow(old: Address, snapshot: str) -> tuple[Address, bool]:
        """Open the next session on the device that replaces the old one."""
        assert restart is not None
        new, loaded = restart(old, snapshot)
        wanted["appium:udid"] = new.serial
        return new, loaded

    system = AdbSystem(address, follow if restart else None, log=log)
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
    """Drive the device that the Appium server at `url` chooses."""
    session = AppiumSession(url, {**_CAPABILITIES, **capabilities})
    try:
        return AppiumDevice(session, RemoteSystem(session, log), settle)
    except BaseException:
        session.close()
        raise
