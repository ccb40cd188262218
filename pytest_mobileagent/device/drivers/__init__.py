"""Drivers, each a module or package here: how they are chosen, and constants that they share."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any, Protocol

from pytest_mobileagent.errors import DeviceError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.device.device import Device, DeviceOptions
    from pytest_mobileagent.device.fleet.shared import SharedRun
    from pytest_mobileagent.device.sources import Restart
    from pytest_mobileagent.episode.observation import DeviceInfo

LEAST_SDK, LEAST_ANDROID = 26, 8  # the oldest version whose commands and outputs are supported


class Driver(Protocol):
    """A way to drive devices: the class `Driver` of a module in this folder.

    `takes` contains the types of address that it can connect to.
    """

    takes: tuple[type, ...]

    def check(self, reached_by: type, options: DeviceOptions) -> None:
        """Check what can be checked before a device starts; this default checks nothing.

        Raises:
            ValueError: if the driver cannot drive the devices; the message says what to do.
        """
        return

    def connect(
        self,
        address: Any,
        options: DeviceOptions,
        shared: Callable[[], SharedRun],
        restart: Restart | None,
    ) -> Device:
        """Connect to the device at an address, whose type is in `takes`.

        Raises:
            InfrastructureError: if the device does not answer.
        """


def driver_names() -> list[str]:
    """Return the names of all drivers."""
    return [module.name for module in pkgutil.iter_modules(__path__)]


def choose_driver(name: str | None, reached_by: type) -> Driver:
    """Return the driver of a name, or the first one that can drive the devices if it is None.

    `reached_by` is the type of the devices' addresses.

    Raises:
        ValueError: if the driver cannot drive these devices.
    """
    for each in [name] if name else driver_names():
        driver: Driver = importlib.import_module(f"{__name__}.{each}").Driver()
        if reached_by in driver.takes:
            return driver
    raise ValueError("cannot drive these devices: omit the option, or choose other devices")


class TooOldError(DeviceError):
    """The device runs a version of Android that is not supported."""


def check_version(info: DeviceInfo) -> DeviceInfo:
    """Return the facts about a device whose version of Android is supported, or unknown.

    Raises:
        TooOldError: if it is older than that.
    """
    if 0 < info.sdk < LEAST_SDK:
        has = f"runs Android {info.android} (API level {info.sdk})"
        needs = f"Android {LEAST_ANDROID} (API level {LEAST_SDK}) or later is needed"
        raise TooOldError(f"device {info.serial} {has}: {needs}")
    return info


KEYCODES = {
    "home": 3, "back": 4, "volume_up": 24, "volume_down": 25, "tab": 61, "enter": 66,
    "delete": 67, "menu": 82, "escape": 111, "overview": 187,
}  # fmt: skip
# Milliseconds of a swipe that never becomes a fling: slower than Android's minimum fling velocity.
NEVER_A_FLING = 1000
