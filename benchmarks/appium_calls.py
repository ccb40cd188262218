"""Counts the calls to an Appium server per step, by this project's driver and by a simple client.

The calls are those that the client library sends to the server, for the same taps on the same
phone. A simple client acts, takes a screenshot, and reads the page source; it does not check
whether the screen is stable. On a hub, only the server can reach the phone.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pytest_mobileagent import Open, Tap
from pytest_mobileagent.device.device import DeviceOptions, Settle
from pytest_mobileagent.device.drivers.appium import Driver, connect_remote
from pytest_mobileagent.device.fleet.shared import SharedRun
from pytest_mobileagent.device.sources.virtual import virtual_slots

if TYPE_CHECKING:
    from appium.webdriver import Remote

    from pytest_mobileagent.device.drivers.appium.appium_device import AppiumDevice

ROOT = Path(__file__).parent.parent
APPS = ROOT / "fixtures" / "apps"
HOME = ROOT / ".appium"  # where `make appium` installs Appium
APP = "org.coursera.android"
TAPS = ((540, 600), (540, 1200), (160, 2250), (540, 2250), (900, 2250))


class Calls(NamedTuple):
    """The mean calls per step: of a simple client, of this project's driver, and on a hub."""

    plain: float
    local: float
    hub: float


class Counter:
    """Counts the calls that a client's session sends to its server."""

    def __init__(self, driver: Remote) -> None:
        self.count = 0
        self._execute = driver.command_executor.execute
        driver.command_executor.execute = self._counted  # type: ignore[method-assign]

    def _counted(self, command: str, params: dict[str, object]) -> dict[str, object]:
        self.count += 1
        return self._execute(command, params)


def plain_steps(driver: Remote) -> None:
    """Tap, take a screenshot, and read the page source, as a simple client does."""
    for x, y in TAPS:
        driver.execute_script("mobile: clickGesture", {"x": x, "y": y})
        driver.get_screenshot_as_base64()
        _ = driver.page_source


def calls_of(device: AppiumDevice) -> float:
    """Return the calls of this project's driver per step."""
    device.perform(Open(APP))
    device.observe()
    counter = Counter(device.session.driver)
    for at in TAPS:
        device.perform(Tap(*at))
        device.observe()
    return counter.count / len(TAPS)


def measure() -> Calls:
    """Return the calls per step on a virtual phone."""
    with contextlib.closing(SharedRun()) as run:
        slots = virtual_slots(run, DeviceOptions(apps=(APPS,)))
        run.ask({"do": "adb"})
        where = slots.address(0)
        options = DeviceOptions(appium_home=HOME)
        with contextlib.closing(Driver().connect(where, options, lambda: run, None)) as device:
            device.system.reset("default_boot", ())
            local = calls_of(device)
            device.system.reset("default_boot", ())
            counter = Counter(device.session.driver)
            plain_steps(device.session.driver)
            plain = counter.count / len(TAPS)
            url = device.session.url
        wanted = {"appium:udid": where.serial, "appium:adbPort": where.adb_port}
        with contextlib.closing(connect_remote(url, Settle(), wanted)) as device:
            device.system.reset("default_boot", ())
            return Calls(plain, local, calls_of(device))


def main() -> None:
    """Print the calls per step."""
    calls = measure()
    sys.stdout.write(f"calls of an Appium server in a step, mean of {len(TAPS)} taps:\n")
    sys.stdout.write(f"  plain client    {calls.plain:.1f}\n")
    sys.stdout.write(
        f"  our driver      {calls.local:.1f}  ({calls.local / calls.plain:.2f} of it)\n"
    )
    sys.stdout.write(f"  ours at a hub   {calls.hub:.1f}  ({calls.hub / calls.plain:.2f} of it)\n")


if __name__ == "__main__":
    main()
