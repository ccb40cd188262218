"""Installs the event listener on a device, if the user asks for it.

Its APK is built from fixtures/listener/ in the repository, by `make listener`.
"""

from __future__ import annotations

from importlib.resources import files as resources
from typing import TYPE_CHECKING

from pytest_mobileagent.device.certify.bench import Bench
from pytest_mobileagent.device.device import system_of
from pytest_mobileagent.device.doctor.checks import Unwell
from pytest_mobileagent.device.drivers.adb.listener import PACKAGE

if TYPE_CHECKING:
    from pytest_mobileagent.device.device import Device

_OTHER_KEY = "INSTALL_FAILED_UPDATE_INCOMPATIBLE"


def install_listener(device: Device) -> str:
    """Install the event listener, or replace it, and enable it: it answers."""
    bench = Bench(device)
    try:
        printed = bench.install(resources(__package__).joinpath("listener.apk").read_bytes())
    finally:
        bench.restore()
    if "Success" not in printed:
        remedy = "allow apps to be installed by adb"
        if _OTHER_KEY in printed:
            remedy = f"remove the one that another key signed: `adb uninstall {PACKAGE}`"
        raise Unwell(f"pm install prints {printed!r}", remedy)
    system_of(device).refresh()
    if not device.info.listener:
        remedy = "try again, then see `adb logcat`; through an Appium hub, there are no events"
        raise Unwell("the event listener was installed, but does not answer", remedy)
    return "the event listener was installed, and answers"
