"""Where tasks run: what a device can do, and how devices of another kind are added.

A kind of devices is a `Source`, which the hook `pytest_mobileagent_sources` adds. It opens `Slots`:
`ProgramSlots` start a program for each device, `AttachedSlots` take devices that are there already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.faces import LazyNames

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
    from pytest_mobileagent.device.fleet.slots import ProgramSlots, Slots
    from pytest_mobileagent.device.sources import Source
    from pytest_mobileagent.device.sources.attached import AttachedSlots
    from pytest_mobileagent.device.sources.virtual import DeclaredApps

__getattr__ = LazyNames(
    __name__,
    {
        "device.device": (
            "Address",
            "AppiumAddress",
            "Capture",
            "Device",
            "DeviceOptions",
            "DeviceState",
            "System",
        ),
        "device.drivers": ("Driver",),
        "device.fleet.shared": ("SharedRun",),
        "device.fleet.slots": ("ProgramSlots", "Slots"),
        "device.sources.attached": ("AttachedSlots",),
        "device.sources": ("Source",),
        "device.sources.virtual": ("DeclaredApps",),
    },
)

# Spelled out for type checkers; a test compares it with the table above.
__all__ = [
    "Address", "AppiumAddress", "AttachedSlots", "Capture", "DeclaredApps", "Device",
    "DeviceOptions", "DeviceState", "Driver", "ProgramSlots", "SharedRun", "Slots", "Source",
    "System",
]  # fmt: skip
