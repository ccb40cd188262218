"""Fixtures for doctor: a phone with the Settings app of fixtures/apps, which the checks open."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.device.drivers.adb.adb_device import AdbDevice
from pytest_mobileagent.device.fleet.shared import SharedRun
from pytest_mobileagent.device.sources.virtual import virtual_slots

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.device.device import Address

APPS = Path(__file__).parents[3] / "fixtures" / "apps"


@pytest.fixture(scope="session")
def whole_phone() -> Iterator[Address]:
    with contextlib.closing(SharedRun()) as run:
        yield virtual_slots(run, 1, [APPS]).address(0)


@pytest.fixture
def device(whole_phone: Address) -> Iterator[AdbDevice]:
    with contextlib.closing(AdbDevice(whole_phone)) as device:
        device.system.reset("default_boot", ())
        yield device
