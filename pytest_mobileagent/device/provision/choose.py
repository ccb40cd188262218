"""From options to a device: where it comes from, and what drives it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.device.adb.device import AdbDevice
from pytest_mobileagent.device.provision.attached import AttachedProvision
from pytest_mobileagent.device.provision.leased import LeasedDevice
from pytest_mobileagent.device.provision.virtual import VirtualProvision

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pytest_mobileagent.device.provision.lease import Provision
    from pytest_mobileagent.device.provision.run import SharedRun
    from pytest_mobileagent.device.provision.spec import DeviceSpec


def leased_device(
    option: Callable[[str], Any],
    shared: Callable[[], SharedRun],
    workers: int,
    apps: Sequence[Path],
) -> LeasedDevice:
    """Return the means to lease a device that the run's options name.

    `option` gives an option's value by its flag without the dashes, `shared` what the processes of
    the run share; `apps` are the folders of apps for virtual devices.
    """
    provision = _provision(option("mobile-device"), shared, workers, apps)
    connect = partial(AdbDevice, settle=option("mobile-settle"))
    return LeasedDevice(provision, connect, option("mobile-recycle"))


def _provision(
    spec: DeviceSpec, shared: Callable[[], SharedRun], workers: int, apps: Sequence[Path]
) -> Provision:
    match spec.kind:
        case "virtual":
            return VirtualProvision(shared(), workers, apps)
        case "serial":
            return AttachedProvision(spec.places)
        case _:
            raise NotImplementedError(spec.kind)
