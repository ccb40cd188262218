"""From options to a device: where it comes from, and what drives it."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.device.adb.device import AdbDevice
from pytest_mobileagent.device.provision.attached import AttachedProvision
from pytest_mobileagent.device.provision.hub import HubProvision
from pytest_mobileagent.device.provision.leased import LeasedDevice
from pytest_mobileagent.device.provision.virtual import VirtualProvision

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pytest_mobileagent.device.adb.shell import Address
    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.device.provision.lease import Provision
    from pytest_mobileagent.device.provision.run import SharedRun
    from pytest_mobileagent.device.provision.spec import DeviceSpec

_APPIUM_SLOT = -1  # the keeper's: one server for all devices of the run


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
    spec = option("mobile-device")
    provision = _provision(spec, shared, workers, apps)
    connect: Callable[[Address], Device]
    if spec.kind == "appium":
        connect = partial(_connect_remote, spec.name, option)
    elif option("mobile-driver") == "appium":
        connect = partial(_connect_appium, shared, option)
    else:
        connect = partial(AdbDevice, settle=option("mobile-settle"))
    return LeasedDevice(provision, connect, option("mobile-recycle"))


def _connect_appium(
    shared: Callable[[], SharedRun], option: Callable[[str], Any], address: Address
) -> Device:
    from pytest_mobileagent.device.appium import connect, server  # noqa: PLC0415

    home = option("mobile-appium-home")
    command = [sys.executable, "-m", server.__name__, *(["--home", home] if home else [])]
    started = shared().ask({"do": "start", "slot": _APPIUM_SLOT, "command": command})
    capabilities = option("mobile-capabilities") or {}
    return connect.connect_local(address, started["url"], option("mobile-settle"), capabilities)


def _connect_remote(url: str, option: Callable[[str], Any], address: Address) -> Device:  # noqa: ARG001 - the hub chooses
    from pytest_mobileagent.device.appium.connect import connect_remote  # noqa: PLC0415

    return connect_remote(url, option("mobile-settle"), option("mobile-capabilities") or {})


def _provision(
    spec: DeviceSpec, shared: Callable[[], SharedRun], workers: int, apps: Sequence[Path]
) -> Provision:
    match spec.kind:
        case "virtual":
            return VirtualProvision(shared(), workers, apps)
        case "serial":
            return AttachedProvision(spec.places)
        case "appium":
            return HubProvision(shared(), workers)
        case _:
            raise NotImplementedError(spec.kind)
