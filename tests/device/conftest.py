"""Fixtures for drivers: the same phone as a device of each driver, for the tests common to all."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Open
from pytest_mobileagent.device.device import DeviceOptions, Settle
from pytest_mobileagent.device.drivers.adb.adb_device import AdbDevice
from pytest_mobileagent.device.drivers.appium import connect_local, connect_remote
from pytest_mobileagent.device.fleet.shared import SharedRun
from pytest_mobileagent.device.sources.virtual import virtual_slots

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_mobileagent import Screen
    from pytest_mobileagent.device.device import Address
    from pytest_mobileagent.device.drivers.appium.appium_device import AppiumDevice

DRIVERS: dict[str, Callable[[Any, pytest.FixtureRequest], AdbDevice | AppiumDevice]] = {
    "adb": lambda phone, request: AdbDevice(phone),
    "appium": lambda phone, request: connect_local(
        phone, request.getfixturevalue("appium_url"), Settle(), {}
    ),
    # The device can only be reached through the session, as on a hub.
    "hub": lambda phone, request: connect_remote(
        request.getfixturevalue("appium_url"),
        Settle(),
        {"appium:udid": phone.serial, "appium:adbPort": phone.adb_port},
    ),
}


COUNTER = "com.example.counter"


def open_counter(device: Any) -> Screen:
    """Open the tests' app, and return its screen."""
    device.perform(Open(COUNTER))
    return device.observe().screen  # type: ignore[no-any-return]


def center(screen: Screen, **criteria: Any) -> tuple[int, int]:
    return screen.get(**criteria).bounds.center


@pytest.fixture(
    scope="module",
    params=["adb", *(pytest.param(name, marks=pytest.mark.slow) for name in ("appium", "hub"))],
)
def connected(phone: Address, request: pytest.FixtureRequest) -> Iterator[AdbDevice | AppiumDevice]:
    with contextlib.closing(DRIVERS[request.param](phone, request)) as device:
        yield device


@pytest.fixture
def device(connected: AdbDevice | AppiumDevice) -> AdbDevice | AppiumDevice:
    """Return a freshly restored device with the tests' app."""
    connected.system.reset("default_boot", (COUNTER,))
    connected.system.shell("settings put global airplane_mode_on 0; rm -f /data/local/tmp/left")
    return connected


@pytest.fixture(scope="session")
def whole_phone() -> Iterator[Address]:
    """Start a phone with all apps of fixtures/apps, such as Settings."""
    with contextlib.closing(SharedRun()) as run:
        apps = Path(__file__).parents[2] / "fixtures" / "apps"
        yield virtual_slots(run, DeviceOptions(apps=(apps,))).address(0)
