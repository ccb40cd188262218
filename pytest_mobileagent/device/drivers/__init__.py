"""What a driver of devices is, and which drivers there are: one package each in this folder.

All of them share the key codes.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.device.device import Device, DeviceOptions
    from pytest_mobileagent.device.fleet.shared import SharedRun
    from pytest_mobileagent.device.fleet.slots import Restart


class Driver(Protocol):
    """A way to drive devices: the class `Driver` of a package in this folder.

    `takes` holds the types of the addresses that it can use.
    """

    takes: tuple[type, ...]

    def check(self, reached_by: type, options: DeviceOptions) -> None:
        """Check what can be known before a device starts.

        Raises:
            ValueError: it will not drive them; the text says why, and what to do.
        """

    def connect(
        self,
        address: Any,
        options: DeviceOptions,
        shared: Callable[[], SharedRun],
        restart: Restart | None,
    ) -> Device:
        """Return the device at an address, of one of the types that it takes.

        Raises:
            InfrastructureError: it does not answer.
        """


def driver_names() -> list[str]:
    """Return the names of all drivers."""
    return [module.name for module in pkgutil.iter_modules(__path__) if module.ispkg]


def choose_driver(name: str | None, reached_by: type) -> Driver:
    """Return the driver with a name; without a name, the first that can drive such devices.

    Raises:
        ValueError: it cannot drive those devices.
    """
    for each in [name] if name else driver_names():
        module = importlib.import_module(f"{__name__}.{each}")
        driver: Driver = module.Driver()
        if reached_by in driver.takes:
            return driver
    msg = "cannot drive these devices: leave it out, or name others"
    raise ValueError(msg)


KEYCODES = {
    "home": 3,
    "back": 4,
    "volume_up": 24,
    "volume_down": 25,
    "tab": 61,
    "enter": 66,
    "delete": 67,
    "menu": 82,
    "escape": 111,
    "overview": 187,
}
NEVER_A_FLING = 1000  # milliseconds; slower than Android's least fling velocity on any screen
