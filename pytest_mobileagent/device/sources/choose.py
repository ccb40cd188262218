"""From options to a device: where it comes from, and what drives it."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any, assert_never

from pytest_mobileagent.device.drivers.adb.device import AdbDevice
from pytest_mobileagent.device.fleet.leased import LeasedDevice
from pytest_mobileagent.device.sdk.find import find_sdk
from pytest_mobileagent.device.sources.attached import AttachedProvision
from pytest_mobileagent.device.sources.avd import Avd, AvdProvision
from pytest_mobileagent.device.sources.hub import HubProvision
from pytest_mobileagent.device.sources.virtual import VirtualProvision

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pytest_mobileagent.device.address import Address
    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.device.drivers.adb.system import Restart
    from pytest_mobileagent.device.fleet.lease import Provision
    from pytest_mobileagent.device.fleet.shared import SharedRun
    from pytest_mobileagent.device.sources.spec import DeviceSpec

_APPIUM_SLOT = -1  # the supervisor's: one server for all devices of the run


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
    provision = _provision(option, shared, workers, apps)
    # Emulators of an AVD load a snapshot only when they start.
    restart = provision.restart if isinstance(provision, AvdProvision) else None
    connect: Callable[[Address], Device]
    if spec.kind == "appium":
        connect = partial(_connect_remote, spec.name, option)
    elif option("mobile-driver") == "appium":
        connect = partial(_connect_appium, shared, option, restart)
    else:
        connect = partial(AdbDevice, settle=option("mobile-settle"), restart=restart)
    return LeasedDevice(provision, connect, option("mobile-recycle"))


def _connect_appium(
    shared: Callable[[], SharedRun],
    option: Callable[[str], Any],
    restart: Restart | None,
    address: Address,
) -> Device:
    from pytest_mobileagent.device.drivers.appium import connect, server  # noqa: PLC0415

    home = option("mobile-appium-home")
    command = [sys.executable, "-m", server.__name__, *(["--home", home] if home else [])]
    started = shared().ask({"do": "start", "slot": _APPIUM_SLOT, "command": command})
    capabilities = option("mobile-capabilities") or {}
    settle = option("mobile-settle")
    return connect.connect_local(address, started["url"], settle, capabilities, restart)


def _connect_remote(url: str, option: Callable[[str], Any], address: Address) -> Device:  # noqa: ARG001 - the hub chooses
    from pytest_mobileagent.device.drivers.appium.connect import connect_remote  # noqa: PLC0415

    return connect_remote(url, option("mobile-settle"), option("mobile-capabilities") or {})


def _provision(
    option: Callable[[str], Any],
    shared: Callable[[], SharedRun],
    workers: int,
    apps: Sequence[Path],
) -> Provision:
    spec: DeviceSpec = option("mobile-device")
    match spec.kind:
        case "virtual":
            return VirtualProvision(shared(), workers, apps)
        case "avd":
            return AvdProvision(shared(), workers, chosen_avd(option))
        case "serial":
            return AttachedProvision(spec.places)
        case "appium":
            return HubProvision(shared(), workers)
        case _:
            assert_never(spec.kind)


def chosen_avd(option: Callable[[str], Any]) -> Avd:
    """Return the AVD that the run's options name.

    Raises:
        SdkError: there is no SDK.
    """
    return Avd(
        program=find_sdk().emulator,
        name=option("mobile-device").name,
        gpu=option("mobile-gpu"),
        flags=option("mobile-emulator-flags") or (),
        boot_limit=option("mobile-boot-limit"),
    )
