"""Looking at a device on which another program holds Android's UiAutomation."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import adbutils
import pytest
import uiautomator2

from pytest_mobileagent.device.drivers.adb.adb_device import AdbDevice, hierarchy_of_servers

if TYPE_CHECKING:
    from pytest_mobileagent.device.device import Address


def test_no_server_no_hierarchy(phone: Address) -> None:
    assert hierarchy_of_servers(phone) is None


@pytest.mark.slow  # the server's archive of 3.7 MB is pushed, and it is started
def test_the_server_of_uiautomator2_is_asked_while_it_keeps_the_dump_from_working(
    phone: Address,
) -> None:
    with contextlib.closing(AdbDevice(phone)) as device:
        client = adbutils.AdbClient(phone.adb_host, phone.adb_port)
        server = uiautomator2.connect(client.device(phone.serial))
        try:
            server.dump_hierarchy()
            assert "Killed" in device.system.shell("uiautomator dump")
            screen = device.observe().screen
            assert screen.size == device.info.size
            assert "drawing-order" in (screen.xml or "")  # which only such servers tell
        finally:
            server.stop_uiautomator()
