"""Fixtures for doctor: a phone with the Settings app of fixtures/apps, which the checks open."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.device.drivers.adb.adb_device import AdbDevice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.device.device import Address


@pytest.fixture
def device(whole_phone: Address) -> Iterator[AdbDevice]:
    with contextlib.closing(AdbDevice(whole_phone)) as device:
        device.system.reset("default_boot", ())
        yield device
