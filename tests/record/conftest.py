"""Fixtures for recording: the shared phone as a device on which tasks are recorded."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.device.drivers.adb.adb_device import AdbDevice
from pytest_mobileagent.record.recording import Recording

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_mobileagent.device.device import Address, Device

COUNTER = "com.example.counter"


@pytest.fixture
def device(phone: Address) -> Iterator[Device]:
    """Yield the shared phone, which has the tests' app."""
    with closing(AdbDevice(phone)) as found:
        yield found


@pytest.fixture
def recording(device: Device, tmp_path: Path) -> Recording:
    """Return a new recording of a task about the counter."""
    return Recording(device, (COUNTER,), draft=tmp_path / "draft.json")
