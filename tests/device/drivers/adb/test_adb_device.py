"""Tests of what is specific to the adb driver: round trips, keyboards and snapshots."""

from __future__ import annotations

import contextlib
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import adbutils
import pytest
import uiautomator2

from pytest_mobileagent import Key, Open, Reset, Tap, Type, setting, sqlite
from pytest_mobileagent.device.device import Address
from pytest_mobileagent.device.drivers.adb import console, system
from pytest_mobileagent.device.drivers.adb.adb_device import (
    AdbDevice,
    dump_script,
    hierarchy,
    hierarchy_of_servers,
    reason,
)
from pytest_mobileagent.device.drivers.adb.shell import ScriptOutput, Shell
from pytest_mobileagent.device.fleet.shared import SharedRun
from pytest_mobileagent.device.screen import turned
from pytest_mobileagent.errors import DeviceError, TaskError
from tests.device.conftest import COUNTER, center, open_counter
from tests.device.drivers.adb.stub_phone import stub_phone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


APPS = Path(__file__).parents[3] / "apps"
DATABASE = "/data/data/com.example.counter/databases/counter.db"


@pytest.fixture(scope="module")
def connected(phone: Address) -> Iterator[AdbDevice]:
    with contextlib.closing(AdbDevice(phone)) as device:
        yield device


def test_step_takes_two_round_trips(device):
    device.observe()
    before = device.system.round_trips
    device.perform(Key("home"))
    device.observe()
    assert device.system.round_trips - before == 2


def test_equal_hierarchies_show_that_the_screen_settled_without_screenshots(device):
    with device.without_screenshots():
        device.observe()
        before = device.system.round_trips
        device.perform(Open(COUNTER))
        screen = device.observe().screen
        assert device.system.round_trips - before >= 2
        assert (screen.png, screen.size) == (b"", device.info.size)
        device.perform(Tap(*center(screen, resource_id="add")))
        assert device.observe().screen.find(text="Count: 1")
    assert device.observe().screen.image.size == device.info.size


@pytest.mark.parametrize(
    ("attributes", "size"),
    [('rotation="0"', (10, 20)), ('index="0" rotation="3" width="20"', (20, 10)), ("", (10, 20))],
)
def test_a_hierarchy_shows_the_rotation_of_the_screen(attributes, size):
    assert turned((10, 20), f"<?xml version='1.0'?><hierarchy {attributes}></hierarchy>") == size


def test_a_page_that_forbids_screenshots_is_seen_by_its_hierarchy(emulator):
    with contextlib.closing(emulator("--fault", "no-screenshot")) as device:
        screen = open_counter(device)
        assert screen.image.size == device.info.size
        assert screen.image.getextrema() == ((0, 0),) * 3
        assert "'Failed to take screenshot. Status: -1 Capturing failed.'" in screen.notice
        device.perform(Tap(*center(screen, resource_id="add")))
        assert device.observe().screen.find(text="Count: 1")


def test_a_dump_leaves_the_locked_rotation_as_it_was(tmp_path):
    settings = f"case $1 in get) cat {tmp_path}/user;; *) echo $4 >{tmp_path}/user; esac"
    dump = f"echo 1 >{tmp_path}/user; echo dumped >$2"
    for user in ("0", "1", "null"):
        with stub_phone(tmp_path, {"settings": settings, "uiautomator": dump}) as (_, address):
            (tmp_path / "user").write_text(f"{user}\n")
            with contextlib.closing(Shell(address)) as shell:
                assert shell.run(dump_script(str(tmp_path / "dump.xml"))).text == "dumped\n"
        assert (tmp_path / "user").read_text().strip() == user.replace("null", "1")


KEYBOARDS = "default_input_method", "enabled_input_methods", "selected_input_method_subtype"


@pytest.mark.parametrize("breaks", [False, True])
def test_keyboards_are_put_back_after_non_ascii_typing(device, breaks, monkeypatch):
    probe = {name: setting("secure", name) for name in KEYBOARDS}
    device.system.shell("settings put secure selected_input_method_subtype -921088104")
    before = device.observe(probe).probes
    assert "adbkeyboard" not in before["enabled_input_methods"]
    at = center(open_counter(device), resource_id="note")
    run = device.system.run

    def cut_off(*scripts):
        if "ADB_INPUT_B64" not in scripts[0]:
            return run(*scripts)
        run(scripts[0].partition("am broadcast")[0])
        raise DeviceError("lost the connection")

    if breaks:
        monkeypatch.setattr(device.system, "run", cut_off)
        with pytest.raises(DeviceError, match="lost"):
            device.perform(Type("é", at=at))
    else:
        device.perform(Type("é", at=at))
    assert device.observe(probe).probes == before


@pytest.mark.parametrize(
    ("listed", "error"),
    [
        ("com.example/.Ime", "install ADBKeyboard on it"),
        ("java.lang.SecurityException: uid 2000 has no permission", "uid 2000 .*turn"),
    ],
)
def test_why_no_other_script_can_be_typed(device, listed, error, monkeypatch):
    run = device.system.run

    def listing(*scripts):
        outputs = run(*scripts)
        return [replace(outputs[0], raw=listed.encode()), *outputs[1:]]

    monkeypatch.setattr(device.system, "run", listing)
    with pytest.raises(DeviceError, match=error):
        device.perform(Type("é"))


def test_reset_restores_the_initial_state(device):
    screen = open_counter(device)
    device.perform(Tap(*center(screen, resource_id="add")))
    device.system.shell("settings put global airplane_mode_on 1; touch /data/local/tmp/left")
    assert device.system.reset("default_boot", ()) == Reset("snapshot", "default_boot")
    probes = {
        "count": sqlite(DATABASE, "select n from counter"),
        "plane": setting("global", "airplane_mode_on"),
    }
    observation = device.observe(probes)
    assert observation.screen.package != COUNTER
    assert observation.probes == {"count": [{"n": 0}], "plane": "0"}
    assert "No such file" in device.system.shell("ls /data/local/tmp/left")
    with pytest.raises(TaskError, match=r"no snapshot 'before' \(it has: default_boot\)"):
        device.system.reset("before", ())


def test_without_snapshots_apps_are_cleared_and_a_sleeping_phone_is_woken(device, monkeypatch):
    screen = open_counter(device)
    device.perform(Tap(*center(screen, resource_id="add")))
    monkeypatch.setattr(console, "console_port", lambda serial: None)
    device.system.shell("input keyevent SLEEP")
    cleared = Reset("cleared", cleared=(COUNTER,), reason="no snapshots")
    assert device.system.reset("default_boot", [COUNTER]) == cleared
    assert "mWakefulness=Awake" in device.system.shell("dumpsys power")
    assert device.observe().screen.package != COUNTER
    assert open_counter(device).find(text="Count: 0")


@pytest.fixture
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., AdbDevice]]:
    """Yield a function that starts a phone with the given options and connects to it."""
    with contextlib.closing(SharedRun()) as run:

        def start(*options: str) -> AdbDevice:
            adb = run.ask({"do": "adb"})
            program = [sys.executable, "-m", "pytest_mobileagent", "device", "--port=0"]
            words = [*program, "--adb-server-port", "{adb}", f"--apps={APPS}", *options]
            phone = run.ask({"do": "start", "slot": 0, "command": words})
            address = Address(phone["serial"], "127.0.0.1", adb["port"], adb["home"])
            return AdbDevice(address)

        yield start


@pytest.mark.parametrize(
    "seconds", ["0", *(pytest.param(each, marks=pytest.mark.slow) for each in ("0.05", "0.3"))]
)
def test_reset_waits_for_an_emulator_that_drops_its_connection(emulator, seconds):
    device = emulator(f"--drop-on-load={seconds}")
    for _ in range(2):
        assert device.system.reset("default_boot", ()) == Reset("snapshot", "default_boot")
        assert COUNTER in device.system.packages()
        time.sleep(float(seconds))  # The connection may drop at the worst of times.
        assert device.observe().screen.elements
    device.close()


@pytest.mark.slow  # Another phone is started; the console's refusal has fast tests.
def test_apps_on_a_read_only_emulator_are_cleared(emulator):
    device = emulator("--read-only")
    open_counter(device)
    why = "no snapshots, as the emulator runs with -read-only"
    reset = device.system.reset("default_boot", [COUNTER])
    assert (reset.kind, reset.cleared, reset.reason) == ("cleared", (COUNTER,), why)
    assert str(reset) == f"{why}: cleared {COUNTER}"
    device.close()


def test_a_device_that_does_not_exist_is_named(phone):
    assert hierarchy_of_servers(phone) is None, "no server runs on it"
    with pytest.raises(DeviceError, match=r"emulator-1 at .* cannot be reached"):
        AdbDevice(replace(phone, serial="emulator-1"))


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"POWER": "mWakefulness=Asleep"}, "does not wake up"),
        ({"LOCK": "  mShowingLockscreen=true"}, "is locked"),
        ({"ROOM": "Filesystem 1K-blocks\n/dev/x 900000 899000 1000 100% /data"}, "has only 0 MB"),
    ],
)
def test_a_phone_on_which_nothing_works_is_not_a_device(device, monkeypatch, said, problem):
    for name, text in said.items():
        monkeypatch.setattr(system, name, f"echo '{text}'")
    with pytest.raises(DeviceError, match=problem):
        device.system.reset("default_boot", ())


def test_observation_after_a_restore_survives_a_dropped_connection(device):
    device.system.reset("default_boot", ())
    device.system._shell._stream.shutdown(2)
    assert device.observe().screen.elements
    device.system._restored_at -= 60
    device.system._shell._stream.shutdown(2)
    with pytest.raises(DeviceError, match="lost the connection"):
        device.observe()
    device.system.reset("default_boot", ())


@pytest.mark.parametrize(
    ("said", "versions"),
    [
        ("package:a.b versionCode:41\r\npackage:c versionCode:1\r\n", {"a.b": "41", "c": "1"}),
        ("package:a.b\npackage:c\n", {"a.b": "", "c": ""}),  # before Android 9
    ],
)
def test_apps_and_versions_are_listed_in_one_round_trip(device, monkeypatch, said, versions):
    monkeypatch.setattr(device.system, "_packages", None)
    before = device.system.round_trips
    assert device.system.versions()[COUNTER] == "1"
    assert device.system.packages() == device.system.versions().keys()
    assert device.system.round_trips == before + 1
    monkeypatch.setattr(device.system, "look", lambda *_: [ScriptOutput(said.encode(), 0)])
    monkeypatch.setattr(device.system, "_packages", None)
    assert device.system.versions() == versions
    broken = ScriptOutput(b"cmd: Can't find service: package\n", 20)
    monkeypatch.setattr(device.system, "look", lambda *_: [broken])
    monkeypatch.setattr(device.system, "_packages", None)
    with pytest.raises(DeviceError, match=r"lists no apps; it printed .*find service"):
        device.system.packages()


XML = "<?xml version='1.0'?><hierarchy rotation=\"0\"><node/></hierarchy>"
SAID = "UI hierchary dumped to: /data/local/tmp/x.xml"


@pytest.mark.parametrize(
    "output", [XML, f"{SAID}\n{XML}", f"{XML}{SAID}\n", f"WARNING: linker: x\n{SAID}\r\n{XML}\n"]
)
def test_hierarchy_is_found_anywhere_in_the_output(output):
    assert hierarchy(output) == XML


@pytest.mark.parametrize(
    ("output", "why"),
    [
        ("ERROR: could not get idle state.\ncat: x: No such file", "the screen keeps changing"),
        ("Killed", "uiautomator printed 'Killed' (it has died"),
        (f"{SAID}\ncat: x: No such file or directory", "uiautomator wrote no file"),
        (f"{SAID}\n<?xml version='1.0'?><hierarchy", "UI hierchary dumped"),
        (f"{SAID}\n{XML.replace('<node/>', '<node>')}", "UI hierchary dumped"),
        ("", "printed nothing"),
    ],
)
def test_a_missing_hierarchy_is_explained(output, why):
    assert hierarchy(output) is None
    assert why in reason(output)


@pytest.mark.slow  # The server's archive of 3.7 MB is pushed and started.
def test_hierarchy_comes_from_the_uiautomator2_server_if_it_blocks_dumps(device, phone):
    client = adbutils.AdbClient(phone.adb_host, phone.adb_port)
    server = uiautomator2.connect(client.device(phone.serial))
    try:
        server.dump_hierarchy()
        assert "Killed" in device.system.shell("uiautomator dump")
        screen = device.observe().screen
        assert screen.size == device.info.size
        # Only the server of uiautomator2 reports it.
        assert "drawing-order" in (screen.xml or "")
    finally:
        server.stop_uiautomator()


def test_text_that_another_keyboard_loses_is_told(device, monkeypatch):
    screen = open_counter(device)
    at = center(screen, resource_id="note")
    device.perform(Type("é", at=at))
    assert device.observe().lost == ""
    monkeypatch.setattr(device, "_with_unicode_keyboard", lambda command: (command, ""))
    device.perform(Type("ü", at=at))
    told = device.observe().lost
    assert "the typed text 'ü' is not on the screen: <EditText text='é'" in told
