"""Tests of attached devices, as listed by adb servers before a run starts."""

from __future__ import annotations

import contextlib
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.device.device import Address, DeviceOptions
from pytest_mobileagent.device.sources.attached import AttachedSource
from tests.device.drivers.adb.stub_phone import serving

if TYPE_CHECKING:
    import socketserver
    from collections.abc import Callable, Iterator


@pytest.fixture
def adb_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], int]]:
    """Yield a function that starts an adb server with the given list of devices as the default."""
    with contextlib.ExitStack() as stack:

        def start(listing: str) -> int:
            def answer(client: socketserver.StreamRequestHandler) -> None:
                assert client.rfile.read(16) == b"000chost:devices"
                client.wfile.write(b"OKAY%04x" % len(listing) + listing.encode())

            port = stack.enter_context(serving(answer))
            monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(port))
            return port

        yield start


def test_a_device_that_is_not_listed_or_in_an_unusable_state_is_explained(adb_server):
    port = adb_server("R5CT\tunauthorized\nother\tdevice\n")
    remedy = "as unauthorized; accept the key on the phone's screen"
    AttachedSource("other").check(DeviceOptions())
    with pytest.raises(ValueError, match=f"the adb server at 127.0.0.1:{port} lists it {remedy}"):
        AttachedSource("R5CT").check(DeviceOptions())
    with pytest.raises(ValueError, match=f"lists R5CT {remedy}"):
        AttachedSource("other,R5CT").check(DeviceOptions())
    with pytest.raises(ValueError, match=r"does not list it \(it lists: R5CT, other\)"):
        AttachedSource("three").check(DeviceOptions())


def test_lock_files_are_in_a_private_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("ANDROID_ADB_SERVER_PORT", raising=False)
    (lock,) = AttachedSource("farm.example:5037/R5CT").open(DeviceOptions(), pytest.fail).locks
    assert Path(lock).name == "farm.example-5037-R5CT.lock"
    assert Path(lock).is_relative_to(tmp_path)
    assert stat.S_IMODE(Path(lock).parent.stat().st_mode) == 0o700
    assert str(Address("R5CT10")) == "R5CT10 at 127.0.0.1:5037"
    assert Address("R5CT10").home == str(Path.home())
