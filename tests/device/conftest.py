"""Every driver, on the same phone: what one can, all can."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_mobileagent.device.adb.device import AdbDevice
from pytest_mobileagent.device.appium import server
from pytest_mobileagent.device.appium.connect import connect_local, connect_remote
from pytest_mobileagent.device.settle import Settle

ROOT = Path(__file__).parents[2]


def appium_home() -> Path:
    """The folder in which `make appium` has installed Appium; skips where it has not."""
    home = Path(os.environ.get("MOBILE_APPIUM_HOME", ROOT / ".appium"))
    try:
        server.find_appium(home)
    except FileNotFoundError:
        pytest.skip("Appium is not installed: `make appium` does that, and needs node")
    return home


@pytest.fixture(scope="session")
def appium_url(phone):
    """An Appium server of the tests' own."""
    command = [sys.executable, "-m", server.__name__, "--home", str(appium_home())]
    environment = {**os.environ, "HOME": phone.home}
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    with process:
        yield json.loads(process.stdout.readline())["url"]
        process.stdin.close()


DRIVERS = {
    "adb": lambda phone, request: AdbDevice(phone),
    "appium": lambda phone, request: connect_local(
        phone, request.getfixturevalue("appium_url"), Settle(), {}
    ),
    # As on a hub: nothing but the session reaches the device.
    "hub": lambda phone, request: connect_remote(
        request.getfixturevalue("appium_url"),
        Settle(),
        {"appium:udid": phone.serial, "appium:adbPort": phone.adb_port},
    ),
}


@pytest.fixture(scope="module", params=DRIVERS)
def connected(phone, request):
    with contextlib.closing(DRIVERS[request.param](phone, request)) as device:
        yield device


@pytest.fixture
def device(connected):
    """A device at its starting point, with the tests' own app."""
    connected.reset("default_boot", ("com.example.counter",))
    connected.shell("settings put global airplane_mode_on 0; rm -f /data/local/tmp/left")
    return connected
