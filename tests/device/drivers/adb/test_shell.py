"""Tests of adb servers that hang or answer incompletely: the error must be raised in time."""

from __future__ import annotations

import contextlib
import socket
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.device.device import Address
from pytest_mobileagent.device.drivers.adb import shell
from pytest_mobileagent.device.drivers.adb.shell import Shell, listed, restart_as_root
from pytest_mobileagent.errors import DeviceError
from tests.device.drivers.adb.stub_phone import stub_phone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Yield a function that starts an adb server, which sends each client the given bytes only."""
    monkeypatch.setattr(shell, "_OPEN_SECONDS", 0.2)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        streams = []

        def start(says=b""):
            def serve():
                while True:
                    try:
                        stream, _ = listening.accept()
                    except OSError:
                        return
                    streams.append(stream)
                    stream.sendall(says)

            threading.Thread(target=serve, daemon=True).start()
            return Address("emulator-5554", "127.0.0.1", listening.getsockname()[1], "")

        yield start
        listening.shutdown(socket.SHUT_RDWR)
        for stream in streams:
            stream.close()


@pytest.mark.parametrize("says", [b"", b"OKAY"], ids=["server", "device"])
def test_a_server_or_device_that_hangs_before_its_shell_opens_times_out(server, says):
    with pytest.raises(DeviceError, match=r"emulator-5554 at .* cannot be reached: .*timeout"):
        Shell(server(says)).run("true")


def test_device_not_answering_about_root_times_out(server):
    with pytest.raises(DeviceError, match="does not say whether adbd may run as root"):
        restart_as_root(server(b"OKAYOKAYrestart"))


def test_adb_server_not_listing_devices_times_out(server):
    with pytest.raises(DeviceError, match=r"does not list its devices: .*timeout"):
        listed("127.0.0.1", server().adb_port, seconds=0.2)


def test_phone_without_a_serial_number_is_the_one_on_usb(tmp_path):
    with stub_phone(tmp_path, {}) as (phone, address):
        nameless = replace(address, serial="(no serial number)")
        with contextlib.closing(Shell(nameless)) as one:
            assert one.run("id -u").text == "2000\n"
        assert "host:transport-usb" in phone.asked
