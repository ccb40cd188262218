"""How adb servers discover phones, lose them and find them again."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import adbutils

from pytest_mobileagent.virtual.wire import server as wire_server
from tests.virtual.phones import BOTH_ADBS

if TYPE_CHECKING:
    import pytest

    from tests.virtual.phones import Adb, Running, StartPhone, StartServer

pytestmark = BOTH_ADBS


def test_a_phone_is_listed_as_an_emulator(running_phone: Running, adb: Adb) -> None:
    row = next(line for line in adb.text("devices", "-l").splitlines() if adb.serial in line)
    assert adb.serial == f"emulator-{running_phone.server.console_port}"
    assert row.split()[1:-1] == [
        "device",
        "product:sdk_gphone64_x86_64",
        "model:sdk_gphone64_x86_64",
        "device:emu64xa",
    ]
    assert adb.text("get-state") == "device"
    assert adb.text("features").split() == [
        "shell_v2",
        "cmd",
        "stat_v2",
        "ls_v2",
        "fixed_push_mkdir",
    ]


def test_phones_on_one_server_answer_for_themselves(start_phone: StartPhone, server: Adb) -> None:
    with ExitStack() as stack:
        phones = [stack.enter_context(start_phone(server)) for _ in range(5)]
        for number, phone in enumerate(phones):
            phone.adb.run("shell", f"echo {number} > /data/local/tmp/number")
        said = [phone.adb.text("shell", "cat /data/local/tmp/number") for phone in phones]
    assert said == [str(number) for number in range(5)]


def test_a_phone_that_ends_is_not_listed_any_more(start_phone: StartPhone, server: Adb) -> None:
    with start_phone(server) as phone:
        serial = phone.adb.serial
    with adbutils.AdbClient(port=server.port).make_connection() as devices:
        devices.send_command("host:track-devices")
        devices.check_okay()
        while serial in devices.read_string_block():
            pass
    assert "not found" in phone.adb.text("get-state")


def test_a_phone_registers_with_a_server_that_starts_later_and_again_when_it_restarts(
    start_phone: StartPhone, start_server: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire_server, "_RETRY", 0.05)
    with ExitStack() as stack:
        with start_server() as first:
            phone = stack.enter_context(start_phone(first))
        with start_server(first.port) as second:
            assert second.on(phone.adb.serial).text("wait-for-device", "shell", "echo hi") == "hi"


def test_two_servers_use_one_phone_at_once(
    running_phone: Running, start_server: StartServer
) -> None:
    here = running_phone.adb
    with start_server() as other:
        there = other.on(f"127.0.0.1:{running_phone.server.adb_port}")
        there.run("connect", there.serial)
        assert here.text("shell", "echo here") == "here"
        assert there.text("shell", "echo there") == "there"
    assert here.text("shell", "echo still here") == "still here"
