"""The devices on which tasks run: their protocol, and how to add a new kind of device.

A kind of device is a `Source`, added by the hook `pytest_mobileagent_sources`. A source opens
`Slots`: `ProgramSlots` start a program for each device, `AttachedSlots` use running devices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.lazy_names import lazy_names

if TYPE_CHECKING:
    from pytest_mobileagent.device.device import (
        Address,
        AppiumAddress,
        Capture,
        Device,
        DeviceOptions,
        DeviceState,
        System,
    )
    from pytest_mobileagent.device.drivers import Driver
    from pytest_mobileagent.device.fleet.shared import SharedRun
    from pytest_mobileagent.device.sources import ProgramSlots, Slots, Source
    from pytest_mobileagent.device.sources.attached import AttachedSlots
    from pytest_mobileagent.device.sources.virtual import DeclaredApps

__getattr__ = lazy_names(__name__)

__all__ = [
    "Address", "AppiumAddress", "AttachedSlots", "Capture", "DeclaredApps", "Device",
    "DeviceOptions", "DeviceState", "Driver", "ProgramSlots", "SharedRun", "Slots", "Source",
    "System",
]  # fmt: skip
