"""adb and a whole phone: found, lost, forwarded, rebooted, root, and what is refused."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import adbutils
import pytest

from pytest_mobileagent.virtual.wire import server as wire_server
from tests.virtual.apks import build
from tests.virtual.phones import BOTH_ADBS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.virtual.phones import Adb, Running, StartPhone, StartServer

pytestmark = BOTH_ADBS


def test_states(adb: Adb) -> None:
    assert adb.text("get-state") == "device"
    assert adb.text("get-serialno") == adb.serial
    assert adb.text("get-devpath") == "unknown"
    for words in (["wait-for-device"], ["wait-for-any-device"], ["wait-for-local-device"]):
        assert adb.run(*words, "shell", "exit 3").returncode == 3


def test_a_device_that_was_cut_off_is_back_at_once(own_phone: Running) -> None:
    adb = own_phone.adb
    assert adb.run("reconnect", "device").returncode == 0
    assert adb.text_after_restart("shell", "echo back") == "back"


def test_forwards_are_listed_and_removed(adb: Adb) -> None:
    port = adb.text("forward", "tcp:0", "tcp:6790")
    assert adb.text("forward", "--list").splitlines() == [f"{adb.serial} tcp:{port} tcp:6790"]
    assert "cannot rebind" in adb.text("forward", "--no-rebind", f"tcp:{port}", "tcp:1")
    assert adb.run("forward", f"tcp:{port}", "localabstract:name").returncode == 0
    assert adb.text("forward", "--list").endswith("localabstract:name")
    assert adb.run("forward", "--remove", f"tcp:{port}").returncode == 0
    assert "not found" in adb.text("forward", "--remove", f"tcp:{port}")
    adb.run("forward", "tcp:0", "tcp:6790")
    adb.run("forward", "--remove-all")
    assert adb.text("forward", "--list") == ""


@pytest.mark.parametrize(
    "words",
    [
        ["tcpip", "5555"],
        ["usb"],
        ["backup", "-all"],
        ["restore", "/dev/null"],
    ],
    ids=lambda words: words[0],
)
def test_unsupported_services_are_refused(
    adb: Adb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)  # where a backup would be written
    done = adb.run(*words)
    assert done.returncode != 0
    assert b"closed" in done.stderr + done.stdout
    assert adb.text("shell", "echo fine") == "fine"


@pytest.mark.parametrize(
    "words", [["reboot"], ["shell", "reboot"], ["shell", "svc power reboot"]], ids=" ".join
)
def test_a_reboot_keeps_what_is_stored_and_nothing_else(
    own_phone: Running, tmp_path: Path, words: list[str]
) -> None:
    adb, phone = own_phone.adb, own_phone.phone
    apk = tmp_path / "example.apk"
    apk.write_bytes(build())
    adb.run("install", str(apk))
    adb.run("shell", "am start com.example.app; settings put system screen_brightness 77")
    adb.run("shell", "echo kept > /data/local/tmp/kept; setprop debug.mine 1; log -t Before x")
    adb.run("shell", "setprop persist.mine 1; cmd notification post -t T tag text")
    pid = phone.proc.pid("com.example.app")
    adb.run(*words)
    script = "pm list packages example; cat /data/local/tmp/kept; settings get system"
    said = adb.text_after_restart("shell", f"{script} screen_brightness")
    assert said.splitlines() == ["package:com.example.app", "kept", "77"]
    assert adb.text("shell", "getprop sys.boot_completed") == "1"
    assert adb.text("shell", "getprop debug.mine; getprop persist.mine").split() == ["1"]
    assert "Before" not in adb.text("logcat", "-d")
    assert adb.text("shell", "cmd notification list") == ""
    assert str(pid) not in adb.text("shell", "ps -A -o PID")
    assert phone.activities.top.package == phone.launcher
    assert phone.clock.uptime() < 10


def test_a_reboot_takes_root_away(own_phone: Running) -> None:
    adb = own_phone.adb
    adb.run("root")
    assert adb.text_after_restart("shell", "id -u") == "0"
    adb.run("reboot")
    assert adb.text_after_restart("shell", "id -u") == "2000"


def test_a_shell_ends_with_the_system_that_it_runs_on(own_phone: Running) -> None:
    assert own_phone.adb.run("shell", "reboot; echo never").stdout == b""


@pytest.mark.parametrize("script", ["reboot -p", "svc power shutdown"])
def test_a_phone_can_be_switched_off(own_phone: Running, script: str) -> None:
    own_phone.adb.run("shell", script)
    own_phone.loop.run(own_phone.server.stopped.wait())


def test_the_network_follows_the_radios(adb: Adb) -> None:
    assert "inet addr:10.0.2.16  Bcast:10.0.2.255  Mask:255.255.255.0" in adb.text(
        "shell", "ifconfig wlan0"
    )
    assert "inet 10.0.2.16/24 brd" in adb.text("shell", "ip addr show dev wlan0")
    assert "10.0.2.15" not in adb.text("shell", "ip -f inet addr show wlan0; ip a s wlan0 up")
    assert "10.0.2.0/24 dev wlan0 proto kernel" in adb.text("shell", "ip route")
    adb.run("shell", "svc wifi disable")
    assert adb.text("shell", "ifconfig wlan0") == "ifconfig: wlan0: No such device"
    assert adb.run("shell", "ip addr show dev wlan0").returncode == 1
    assert "wlan0" not in adb.text("shell", "ip -4 addr; ifconfig; ip route; ip link")
    assert "127.0.0.1/8" in adb.text("shell", "ip addr")


def test_commands_run_as_the_shell_until_adbd_is_root(own_phone: Running) -> None:
    adb = own_phone.adb
    assert adb.text("shell", "id -u") == "2000"
    assert adb.text("root") == "restarting adbd as root"
    assert adb.text_after_restart("shell", "id -u") == "0"
    assert adb.text("root") == "adbd is already running as root"
    assert adb.text("unroot") == "restarting adbd as non root"
    assert adb.text_after_restart("shell", "id -u") == "2000"
    assert adb.text("unroot") == "adbd not running as root"


def test_a_snapshot_takes_adbd_back_to_the_user_that_it_had(own_phone: Running) -> None:
    adb = own_phone.adb
    own_phone.server.adbd.become(root=True)
    adb.run("emu", "avd", "snapshot", "load", "default_boot")
    assert adb.text("shell", "id -u") == "2000"


def test_adbutils_becomes_root_too(own_phone: Running) -> None:
    device = own_phone.device
    assert device.root().strip() == "restarting adbd as root"
    own_phone.adb.run("wait-for-device")
    assert device.shell("id -u") == "0"


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
