"""The adb driver's own ways: round trips, keyboards, snapshots."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import pytest

from pytest_mobileagent import Key, Open, Tap, Type, setting, sqlite
from pytest_mobileagent.device.adb.device import AdbDevice
from pytest_mobileagent.errors import DeviceError, TaskError

COUNTER = "com.example.counter"
DATABASE = "/data/data/com.example.counter/databases/counter.db"


@pytest.fixture(scope="module")
def connected(phone):
    with contextlib.closing(AdbDevice(phone)) as device:
        yield device


def open_counter(device):
    device.perform(Open(COUNTER))
    return device.observe().screen


def center(screen, **criteria):
    return screen.find(**criteria).bounds.center


def test_a_step_takes_two_round_trips(device):
    device.observe()
    before = device.system.round_trips
    device.perform(Key("home"))
    device.observe()
    assert device.system.round_trips - before == 2


def test_the_keyboard_that_was_there_is_back_after_typing_beyond_ascii(device):
    probe = {"keyboard": setting("secure", "default_input_method")}
    before = device.observe(probe).probes
    device.perform(Type("é", at=center(open_counter(device), resource_id="note")))
    assert device.observe(probe).probes == before


def test_reset_brings_everything_back(device):
    screen = open_counter(device)
    device.perform(Tap(*center(screen, resource_id="add")))
    device.shell("settings put global airplane_mode_on 1; touch /data/local/tmp/left")
    assert device.reset("default_boot", ()) == "snapshot default_boot"
    probes = {
        "count": sqlite(DATABASE, "select n from counter"),
        "plane": setting("global", "airplane_mode_on"),
    }
    observation = device.observe(probes)
    assert observation.screen.package != COUNTER
    assert observation.probes == {"count": [{"n": 0}], "plane": "0"}
    assert "No such file" in device.shell("ls /data/local/tmp/left")


def test_a_snapshot_that_is_not_there_is_named_with_those_that_are(device):
    with pytest.raises(TaskError, match=r"no snapshot 'before' \(it has: default_boot\)"):
        device.reset("before", ())


def test_without_snapshots_the_apps_are_cleared(device, monkeypatch):
    screen = open_counter(device)
    device.perform(Tap(*center(screen, resource_id="add")))
    monkeypatch.setattr("pytest_mobileagent.device.adb.console.console_port", lambda serial: None)
    assert device.reset("default_boot", [COUNTER]) == f"no snapshots: cleared {COUNTER}"
    assert device.observe().screen.package != COUNTER
    assert open_counter(device).find(text="Count: 0")


def test_a_device_that_is_not_there_is_named(phone):
    with pytest.raises(DeviceError, match=r"emulator-1 at .* cannot be reached"):
        AdbDevice(replace(phone, serial="emulator-1"))


def test_a_phone_that_sleeps_is_woken_before_a_task(device, monkeypatch):
    monkeypatch.setattr("pytest_mobileagent.device.adb.console.console_port", lambda serial: None)
    device.shell("input keyevent SLEEP")
    device.reset("default_boot", ())
    assert "mWakefulness=Awake" in device.shell("dumpsys power")


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"POWER": "mWakefulness=Asleep"}, "does not wake up"),
        ({"LOCK": "  mShowingLockscreen=true"}, "is locked"),
        ({"ROOM": "Filesystem 1K-blocks\n/dev/x 900000 899000 1000 100% /data"}, "has only 0 MB"),
    ],
)
def test_a_phone_on_which_nothing_works_is_no_device(device, monkeypatch, said, problem):
    for name, text in said.items():
        monkeypatch.setattr(f"pytest_mobileagent.device.adb.system.{name}", f"echo '{text}'")
    with pytest.raises(DeviceError, match=problem):
        device.reset("default_boot", ())


def test_a_look_after_a_restore_survives_that_the_connection_drops(device):
    device.reset("default_boot", ())
    device.system._shell._connection.conn.shutdown(2)
    assert device.observe().screen.elements
    device.system._restored_at -= 60
    device.system._shell._connection.conn.shutdown(2)
    with pytest.raises(DeviceError, match="broke off"):
        device.observe()
    device.reset("default_boot", ())
