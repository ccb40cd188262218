"""The adb driver, on a phone: what it sees, what it does, and how it gets back to the start."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_mobileagent import (
    DoubleTap,
    Finish,
    Key,
    LongPress,
    Open,
    Scroll,
    Swipe,
    Tap,
    Type,
    setting,
    sqlite,
)
from pytest_mobileagent.device.adb.device import AdbDevice
from pytest_mobileagent.errors import DeviceError, TaskError

COUNTER = "com.example.counter"
DATABASE = "/data/data/com.example.counter/databases/counter.db"

TEXTS = [
    "plain",
    "two words",
    "100%sure %s %",
    'it\'s "quoted" `twice` $HOME $(id) \\ ; | & < > * ? ! # ~',
    "-n --longpress",
    "",
    "Grüße, 世界 🙂",
]


@pytest.fixture(scope="module")
def connected(phone):
    device = AdbDevice(phone)
    yield device
    device.close()


@pytest.fixture
def device(connected):
    connected.reset("default_boot", ())
    return connected


def open_counter(device):
    device.perform(Open(COUNTER))
    return device.observe().screen


def center(screen, **criteria):
    return screen.find(**criteria).bounds.center


def test_it_says_what_it_is(device):
    info = device.info
    assert (info.size, info.density, info.sdk) == ((1080, 2400), 420, 34)
    assert info.serial == device.address.serial


def test_a_look_agrees_with_itself(device):
    screen = open_counter(device)
    assert (screen.package, screen.activity) == (COUNTER, f"{COUNTER}.MainActivity")
    assert screen.size == device.info.size == screen.image.size
    assert screen.time is not None
    assert screen.find(resource_id="count").text == "Count: 0"


def test_a_step_takes_two_round_trips(device):
    device.observe()
    before = device.system.round_trips
    device.perform(Key("home"))
    device.observe()
    assert device.system.round_trips - before == 2


def test_taps_reach_what_they_point_at(device):
    screen = open_counter(device)
    device.perform(Tap(*center(screen, resource_id="add")))
    device.perform(DoubleTap(*center(screen, resource_id="add")))
    assert device.observe().screen.find(text="Count: 3")


@pytest.mark.parametrize("text", TEXTS)
def test_text_arrives_as_it_is(device, text):
    screen = open_counter(device)
    device.perform(Type(text, at=center(screen, resource_id="note")))
    assert device.observe().screen.find(resource_id="note").text == (text or "Note")


def test_clearing_replaces_what_was_there(device):
    at = center(open_counter(device), resource_id="note")
    device.perform(Type("first", at=at))
    device.perform(
        Type("second", at=center(device.observe().screen, resource_id="note"), clear=True)
    )
    assert device.observe().screen.find(resource_id="note").text == "second"


def test_the_keyboard_that_was_there_is_back_after_typing_beyond_ascii(device):
    probe = {"keyboard": setting("secure", "default_input_method")}
    before = device.observe(probe).probes
    device.perform(Type("é", at=center(open_counter(device), resource_id="note")))
    assert device.observe(probe).probes == before


def test_keys_and_gestures_are_done(device):
    open_counter(device)
    device.perform(Key("home"))
    home = device.observe().screen
    assert home.package != COUNTER
    device.perform(Swipe(540, 1900, 540, 600))
    assert device.observe().screen.texts != home.texts
    device.perform(Scroll("down"))
    device.perform(LongPress(540, 1200, 0.6))
    device.perform(Finish("nothing to do on the phone"))
    assert device.observe().screen.elements


def test_opening_what_is_not_there_changes_nothing(device):
    before = device.observe().screen
    device.perform(Open("com.example.absent; reboot"))
    assert device.observe().screen.xml == before.xml


def test_probes_read_settings_and_databases(device):
    probes = {
        "count": sqlite(DATABASE, "select n from counter"),
        "nothing": sqlite("/data/data/com.example.counter/databases/absent.db", "select 1"),
        "plane": setting("global", "airplane_mode_on"),
        "unset": setting("global", "it's unset; id"),
    }
    screen = open_counter(device)
    device.perform(Tap(*center(screen, resource_id="add")))
    device.shell("settings put global airplane_mode_on 1")
    assert device.observe(probes).probes == {
        "count": [{"n": 1}],
        "nothing": [],
        "plane": "1",
        "unset": None,
    }


def test_a_query_that_cannot_be_is_the_tasks_fault(device):
    open_counter(device)
    with pytest.raises(TaskError, match="no such table: absent"):
        device.observe({"rows": sqlite(DATABASE, "select * from absent")})


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
    monkeypatch.setattr("pytest_mobileagent.device.adb.system.console_port", lambda serial: None)
    assert device.reset("default_boot", [COUNTER]) == f"no snapshots: cleared {COUNTER}"
    assert device.observe().screen.package != COUNTER
    assert open_counter(device).find(text="Count: 0")


def test_a_device_that_is_not_there_is_named(phone):
    with pytest.raises(DeviceError, match=r"emulator-1 at .* cannot be reached"):
        AdbDevice(replace(phone, serial="emulator-1"))
