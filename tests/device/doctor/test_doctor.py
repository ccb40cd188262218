"""Tests of the command `doctor`, with a phone and without one."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.__main__ import main
from pytest_mobileagent.device.drivers.adb.adb_device import AdbDevice
from pytest_mobileagent.device.drivers.adb.streams import PACKAGE as LISTENER
from pytest_mobileagent.device.drivers.adb.system import AdbSystem
from pytest_mobileagent.errors import DeviceError

if TYPE_CHECKING:
    from pytest_mobileagent.device.device import Address


@pytest.fixture(autouse=True)
def home(device: AdbDevice, whole_phone: Address, monkeypatch: pytest.MonkeyPatch) -> None:
    """Restore the phone; its console's token is in the user's home."""
    monkeypatch.setenv("HOME", whole_phone.home)


def doctor(phone, *arguments, serial=None):
    where = f"{phone.adb_host}:{phone.adb_port}/{serial or phone.serial}"
    return main(["doctor", "--device", where, *arguments])


def set_scale(phone, scale):
    with contextlib.closing(AdbDevice(phone)) as device:
        device.system.shell(f"settings put global window_animation_scale {scale}")


def test_report_is_suitable_for_a_bug_report(whole_phone, capsys):
    set_scale(whole_phone, 1)
    assert doctor(whole_phone) == 0
    set_scale(whole_phone, 0)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("pytest-mobileagent 0.")
    assert whole_phone.serial in lines[1]
    assert "Android 14 (API 34), 1080x2400 at 420 dpi" in lines[1]
    assert "/" in lines[2]
    assert [line for line in lines if line.startswith("ok       tap: ")]
    assert any(line.startswith("         → `adb shell") for line in lines)
    assert lines[-1].endswith("0 problems, 1 warning")
    assert max(map(len, lines)) <= 120


def test_a_device_that_does_not_exist_is_explained(whole_phone, capsys):
    assert doctor(whole_phone, serial="nowhere") == 1
    shown = capsys.readouterr().err
    for words in ("serial:127", "does not list it", "adb devices"):
        assert words in shown
    for device in ("", "farm/x", "serial:farm:0/x"):
        with pytest.raises(SystemExit) as ended:
            main(["doctor", "--device", device])
        assert ended.value.code == 2
        assert "SERIAL" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("how", ["driver", "server"])
def test_device_can_be_checked_through_appium(whole_phone, how, request, capsys, tmp_path):
    home = request.getfixturevalue("appium_home")
    if how == "driver":
        status = doctor(whole_phone, "--driver=appium", f"--appium-home={home}")
    else:
        where = {"appium:udid": whole_phone.serial, "appium:adbPort": whole_phone.adb_port}
        capabilities = tmp_path / "capabilities.json"
        capabilities.write_text(json.dumps(where))
        url = request.getfixturevalue("appium_url")
        status = main(["doctor", f"--device=appium:{url}", f"--capabilities={capabilities}"])
    shown = capsys.readouterr().out
    assert status == 0, shown
    assert "ok       type Chinese" in shown


def test_an_invalid_adb_port_is_explained(monkeypatch, capsys):
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "many")
    assert main(["doctor", "--device", "emulator-5554"]) == 1
    assert "ANDROID_ADB_SERVER_PORT=many must be" in capsys.readouterr().err


def test_device_lost_at_the_start_is_explained(whole_phone, capsys, monkeypatch):
    def lost(*_):
        raise DeviceError("it went away")

    monkeypatch.setattr(AdbSystem, "shell", lost)
    monkeypatch.setattr(AdbDevice, "observe", lost)
    assert doctor(whole_phone) == 1
    assert ": it went away" in capsys.readouterr().err


@pytest.mark.slow
def test_virtual_phone_is_started_by_default(capsys, monkeypatch):
    monkeypatch.chdir(Path(__file__).parents[3])
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert "ok       tap: " in shown
    assert shown.endswith("checks: 0 problems, 0 warnings\n")


@pytest.fixture
def refuse(monkeypatch):
    """Make phones refuse to install apps, for a reason."""
    shell, pattern = AdbSystem.shell, re.compile("pm install.*")

    def refuse(why):
        failure = f"echo 'Failure [{why}]'"
        monkeypatch.setattr(AdbSystem, "shell", lambda s, do: shell(s, pattern.sub(failure, do)))

    return refuse


def test_phone_on_which_nothing_can_be_installed_is_warned_of(whole_phone, capsys, refuse):
    refuse(refusal := "INSTALL_FAILED_USER_RESTRICTED: Install canceled by user")
    assert doctor(whole_phone) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "WARNING actions: taps, typing and other actions were not tried: pm install" in shown
    assert refusal in shown


def test_event_listener_is_installed_if_the_user_asks(whole_phone, capsys):
    with contextlib.closing(AdbDevice(whole_phone)) as device:
        system = device.system
        system.shell(f"pm uninstall {LISTENER}")
        assert doctor(whole_phone, "--look-only") == 0
        shown = " ".join(capsys.readouterr().out.split())
        assert f"the app {LISTENER} is not installed: no events are received" in shown
        assert "→ --install-listener installs it" in shown
        assert " tap: " not in shown
        assert LISTENER not in system.shell("pm list packages")
        before = system.shell("settings list global")
        assert doctor(whole_phone, "--look-only", "--install-listener") == 0
        shown = capsys.readouterr().out
        assert "ok       events: the event listener was installed, and answers\n" in shown
        assert LISTENER in system.shell("pm list packages")
        assert system.shell("settings list global") == before
        assert system.shell("ls /data/local/tmp") == ""


def test_event_listener_of_another_key_is_not_replaced(whole_phone, capsys, refuse):
    refuse("INSTALL_FAILED_UPDATE_INCOMPATIBLE: Existing package")
    assert doctor(whole_phone, "--look-only", "--install-listener") == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert "PROBLEM events: pm install prints 'Failure [INSTALL_FAILED_UPDATE" in shown
    assert f"`adb uninstall {LISTENER}`" in shown


def test_an_avd_that_does_not_exist_is_explained(sdk, capsys, monkeypatch):
    sdk.add_avd("tablet")
    monkeypatch.setenv("MOBILE_DEVICE", "avd:pixel")  # the default device of the project
    assert main(["doctor"]) == 1
    told = "PROBLEM  avd:pixel: there is no AVD 'pixel' (existing AVDs: tablet)"
    assert told in capsys.readouterr().err
