"""The adbutils package, which talks to the adb server without the adb program: every method."""

from __future__ import annotations

import io
import re
import struct
from typing import TYPE_CHECKING

import adbutils
import pytest

from tests.virtual.apks import build

if TYPE_CHECKING:
    from pathlib import Path

    from tests.virtual.phones import Running

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # adbutils leaves sockets open
NAME = "com.example.app"
TMP = "/data/local/tmp"


@pytest.fixture
def device(shared_phone: Running) -> adbutils.AdbDevice:
    """The phone with the demo app, in its initial state."""
    shared_phone.loop.call(lambda: shared_phone.phone.snapshots.load("default_boot"))
    return shared_phone.device


@pytest.fixture
def client(shared_phone: Running) -> adbutils.AdbClient:
    return adbutils.AdbClient(port=shared_phone.adb.port)


def test_the_client_finds_the_device(
    client: adbutils.AdbClient, device: adbutils.AdbDevice
) -> None:
    assert client.server_version() == 41
    assert [each.serial for each in client.list()] == [device.serial]
    assert client.list(extended=True)[0].tags["model"] == "sdk_gphone64_x86_64"
    assert [each.serial for each in client.device_list()] == [device.serial]
    assert next(client.track_devices()).status == "device"
    client.wait_for(device.serial, timeout=5)
    assert device.info == {"serialno": device.serial, "devpath": "unknown", "state": "device"}
    assert device.get_features() == "shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir"
    assert (device.prop.name, device.prop.device) == ("sdk_gphone64_x86_64", "emu64xa")
    assert device.getprop("ro.build.version.sdk") == "34"


def test_the_screen(device: adbutils.AdbDevice) -> None:
    assert device.window_size() == (1080, 2400)
    assert device.rotation() == 0
    assert device.screenshot().size == (1080, 2400)
    assert device.screenshot(display_id=0).size == (1080, 2400)
    device.switch_screen(False)
    assert device.is_screen_on() is False
    device.switch_screen(True)
    assert device.is_screen_on() is True
    device.brightness_value = 100
    assert device.brightness_value == 100
    assert device.brightness_mode is adbutils.BrightnessMode.MANUAL
    device.brightness_mode = adbutils.BrightnessMode.AUTO
    assert device.brightness_mode is adbutils.BrightnessMode.AUTO
    device.shell("settings put system user_rotation 1")
    assert device.rotation() == 1
    assert device.window_size() == (2400, 1080)
    assert device.window_size(landscape=False) == (1080, 2400)


def test_touches_and_keys(device: adbutils.AdbDevice) -> None:
    device.app_start("org.demo", ".EditorActivity")
    field = re.search(r'id/title".*?bounds="\[(\d+),(\d+)\]', device.dump_hierarchy())
    assert field
    device.click(int(field[1]) + 20, int(field[2]) + 20)
    device.send_keys("hello world")
    assert 'text="hello world"' in device.dump_hierarchy()
    device.keyevent(4)
    before = device.dump_hierarchy()
    device.swipe(500, 1800, 500, 900, 0.1)
    assert device.dump_hierarchy() != before
    device.drag(0.5, 0.4, 0.5, 0.8, 0.1)
    device.keyevent("HOME")
    assert device.app_current().package != "org.demo"


def test_apps(device: adbutils.AdbDevice) -> None:
    device.app_start("org.demo")
    current = device.app_current()
    assert (current.package, current.activity) == ("org.demo", ".NotesActivity")
    assert current.pid > 0
    info = device.app_info("org.demo")
    assert info is not None
    assert (info.version_name, info.version_code) == ("1.2", 42)
    assert info.path.startswith("/data/app/")
    assert device.app_info("org.nobody") is None
    assert "org.demo" in device.list_packages(["-3"])
    assert "org.demo" not in device.list_packages(["-s"])
    device.shell("echo mine > /sdcard/mine")
    device.app_stop("org.demo")
    assert device.shell("pidof org.demo") == ""
    device.app_clear("org.demo")
    device.open_browser("https://example.org/")


def test_installing(device: adbutils.AdbDevice, tmp_path: Path, capsys: object) -> None:
    apk = tmp_path / "example.apk"
    apk.write_bytes(build(version=5))
    device.install(str(apk), nolaunch=True, silent=True)
    assert device.app_info(NAME).version_code == 5
    device.install(str(apk), nolaunch=True, uninstall=True, silent=True)
    assert device.uninstall(NAME).strip() == "Success"
    device.sync.push(apk, f"{TMP}/x.apk")
    device.install_remote(f"{TMP}/x.apk", clean=True)
    assert NAME in device.list_packages()
    assert not device.sync.exists(f"{TMP}/x.apk")
    device.sync.push(b"no apk", f"{TMP}/y.apk")
    with pytest.raises(adbutils.AdbInstallError):
        device.install_remote(f"{TMP}/y.apk")


def test_files(device: adbutils.AdbDevice, tmp_path: Path) -> None:
    sync = device.sync
    assert sync.push(io.BytesIO(b"hello"), f"{TMP}/deep/a") == 5
    assert sync.read_text(f"{TMP}/deep/a") == "hello"
    assert sync.stat(f"{TMP}/deep/a").size == 5
    assert sync.pull(f"{TMP}/deep/a", tmp_path / "a") == 5
    assert b"".join(sync.iter_content(f"{TMP}/deep/a")) == b"hello"
    assert [each.path for each in sync.iter_directory(f"{TMP}/deep")] == [".", "..", "a"]
    assert sync.pull_dir(f"{TMP}/deep", tmp_path / "deep") == 5
    assert (tmp_path / "deep" / "a").read_text() == "hello"
    device.remove(f"{TMP}/deep/a")
    device.rmtree(f"{TMP}/deep")
    assert not sync.exists(f"{TMP}/deep")


def test_switches_and_services(device: adbutils.AdbDevice) -> None:
    assert device.wlan_ip() == "10.0.2.16"
    device.switch_wifi(False)
    assert device.shell("settings get global wifi_on") == "0"
    assert device.wlan_ip() == "10.0.2.15"  # of the mobile network
    device.switch_wifi(True)
    device.switch_airplane(True)
    assert device.shell("settings get global airplane_mode_on") == "1"
    battery = device.battery()
    assert (battery.level, battery.present, battery.temperature) == (100, True, 25.0)
    device.volume_mute()


def test_ports(client: adbutils.AdbClient, device: adbutils.AdbDevice) -> None:
    port = device.forward_port(9008)
    assert [(each.local, each.remote) for each in device.forward_list()] == [
        (f"tcp:{port}", "tcp:9008")
    ]
    assert client.forward_list()[0].serial == device.serial
    device.forward_remove(f"tcp:{port}")
    device.forward_remove_all()
    assert device.forward_list() == []
    device.reverse("tcp:5000", "tcp:6000")
    assert [(each.remote, each.local) for each in device.reverse_list()] == [
        ("tcp:5000", "tcp:6000")
    ]
    device.reverse_remove("tcp:5000")
    device.reverse_remove_all()
    assert device.reverse_list() == []
    with pytest.raises(adbutils.AdbError):
        device.create_connection(adbutils.Network.TCP, 9009)


def test_the_log_goes_to_a_file(device: adbutils.AdbDevice, tmp_path: Path) -> None:
    event = device.logcat(tmp_path / "log", clear=True, re_filter="Wanted")
    device.shell("log -t Wanted one; log -t Other two; log -t Wanted three")
    while "three" not in (tmp_path / "log").read_text():
        pass
    event.stop_nowait()
    device.shell("log -t Wanted last")  # the reader of the log checks for its end at the next line
    event.stop()
    assert "two" not in (tmp_path / "log").read_text()


def test_shell(device: adbutils.AdbDevice) -> None:
    assert device.shell("echo out; echo err >&2") == "out\nerr"
    assert device.shell(["echo", "a  b", "$HOME"]) == "a  b $HOME"
    done = device.shell2("echo out; echo err >&2; exit 3", v2=True)
    assert (done.returncode, done.stdout, done.stderr) == (3, "out\n", "err\n")
    assert device.shell2("(exit 3)").returncode == 3


def test_missing_features_are_refused(device: adbutils.AdbDevice) -> None:
    with pytest.raises(adbutils.AdbError, match="closed"):
        device.tcpip(5555)
    done = device.shell2(["ls", "/nope"], v2=True)
    assert (done.returncode, done.stderr) == (1, "ls: /nope: No such file or directory\n")


def test_a_stream_that_is_kept_open_answers_each_line(device: adbutils.AdbDevice) -> None:
    with device.open_transport() as stream:
        stream.send_command("shell,v2,raw:")
        stream.check_okay()
        for number in range(3):
            line = f"echo {number}\n".encode()
            stream.conn.sendall(struct.pack("<BI", 0, len(line)) + line)
            assert stream.conn.recv(100) == b"\x01\x02\0\0\0" + f"{number}\n".encode()


def test_the_framebuffer_is_the_screen(shared_phone: Running, device: adbutils.AdbDevice) -> None:
    before = shared_phone.phone.raw_screenshot()
    picture = device.framebuffer()
    after = shared_phone.phone.raw_screenshot()  # the clock may have begun a minute
    assert (*picture.size, picture.tobytes()) in (before, after)
