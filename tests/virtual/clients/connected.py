"""A phone with the demo app, to which the uiautomator2 package is connected."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import adbutils
import pytest

from tests.virtual.phones import WHEEL, Loop, Running, adb_server, running

if TYPE_CHECKING:
    from collections.abc import Iterator

    import uiautomator2

APPS = Path(__file__).parents[1] / "apps"


@pytest.fixture(scope="module")
def shared_phone(loop: Loop, home: Path) -> Iterator[Running]:
    """A phone with the demo app, shared by all tests of a module, with any version of adb."""
    with adb_server(WHEEL, home) as server, running(loop, server, apps=[APPS]) as phone:
        yield phone


@pytest.fixture(scope="module")
def connected(shared_phone: Running) -> Iterator[uiautomator2.Device]:
    """The uiautomator2 package's device for that phone."""
    package = pytest.importorskip("uiautomator2")
    client = adbutils.AdbClient(port=shared_phone.adb.port)
    device = package.connect(client.device(shared_phone.server.serial))
    device.settings["wait_timeout"] = 2
    yield device
    device.stop_uiautomator(wait=False)


@pytest.fixture
def demo(shared_phone: Running, connected: uiautomator2.Device) -> uiautomator2.Device:
    """The same, at the first screen of the demo app."""
    shared_phone.loop.call(lambda: shared_phone.phone.snapshots.load("default_boot"))
    connected.clear_toast()
    connected.app_start("org.demo")
    return connected
