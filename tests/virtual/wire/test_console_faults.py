"""A phone's faults as adb sees them, set through the console."""

from __future__ import annotations

import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.main import main
from tests.virtual.phones import PATIENCE
from tests.virtual.test_main import device

if TYPE_CHECKING:
    from pathlib import Path

    from tests.virtual.phones import Adb, Running, StartServer

TREE = "uiautomator dump /data/local/tmp/x.xml; cat /data/local/tmp/x.xml"


def fault(adb: Adb, text: str) -> None:
    assert adb.text("emu", "fault", *text.split()) == "OK"


def test_the_console_answers(adb: Adb) -> None:
    replies = [
        ("fault", "KO: missing fault, try 'fault help'"),
        ("fault fire", "KO: unknown fault 'fire'; there are: drop-connection, hang, die, slow,"),
        ("fault hang long", "KO: hang: argument seconds: invalid float value: 'long'"),
        ("fault clear fire", "KO: unknown fault 'fire'"),
        ("fault list", "no faults\nOK"),
        ("fault help", "fault NAME [SECONDS] [--times N] [--after N] [--rate P] [--seed S]"),
        ("fault clear", "OK"),
    ]
    for command, reply in replies:
        assert adb.text("emu", *command.split()).startswith(reply), command


def test_faults_are_listed_and_cleared(adb: Adb) -> None:
    fault(adb, "missed-tap --rate 0.1 --seed 7")
    fault(adb, "null-root")
    adb.text("shell", TREE)
    assert adb.text("emu", "fault", "list").splitlines() == [
        "missed-tap --rate 0.1 --seed 7 (struck never so far)",
        "null-root (struck once so far)",
        "OK",
    ]
    fault(adb, "clear null-root")
    assert "<?xml" in adb.text("shell", TREE)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no-idle", "ERROR: could not get idle state."),
        ("null-root", "ERROR: null root node returned by UiTestAutomationBridge."),
    ],
)
def test_uiautomator_fails_that_number_of_times(adb: Adb, name: str, said: str) -> None:
    fault(adb, f"{name} --times 2")
    for _ in range(2):
        assert adb.text("shell", "uiautomator dump") == said
    assert adb.text("shell", "uiautomator dump").startswith("UI hierchary dumped to:")


def test_a_dump_is_empty_and_says_that_all_is_well(adb: Adb) -> None:
    fault(adb, "empty-dump --times 1")
    assert adb.text("shell", TREE) == "UI hierchary dumped to: /data/local/tmp/x.xml"
    assert "</hierarchy>" in adb.text("shell", TREE)


def test_a_tree_is_that_of_the_screen_before(adb: Adb) -> None:
    home = adb.text("shell", TREE)
    fault(adb, "stale-tree --times 2")
    adb.text("shell", "cmd statusbar expand-notifications; input swipe 540 5 540 1800")
    assert adb.text("shell", TREE) == adb.text("shell", TREE) == home
    assert adb.text("shell", TREE) != home


def test_screenshots_are_black(running_phone: Running) -> None:
    fault(running_phone.adb, "black-screenshot")
    black = running_phone.device.screenshot().convert("RGB")
    assert black.getextrema() == ((0, 0), (0, 0), (0, 0))
    assert black.size == (1080, 2400)
    fault(running_phone.adb, "clear")
    assert running_phone.device.screenshot().convert("RGB").getextrema() != black.getextrema()


def test_screenshots_are_refused(adb: Adb) -> None:
    fault(adb, "no-screenshot --times 1")
    assert "Status: -1\nCapturing failed." in adb.text("shell", "screencap -p 2>&1")
    assert adb.text("shell", "screencap -p | head -c 4 | tail -c 3") == "PNG"


def test_nothing_can_be_written_when_storage_is_full(adb: Adb, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 100)
    (tmp_path / "app.apk").write_bytes(b"x" * 100)
    fault(adb, "storage-full")
    said = adb.text("push", str(tmp_path / "file"), "/data/local/tmp/file")
    assert "No space left on device" in said
    assert "No space left on device" in adb.text("shell", "echo hello > /data/local/tmp/a")
    assert adb.text("shell", "df -k /data | tail -1").split()[3] == "0"
    assert "Success" not in adb.text("install", "--no-streaming", str(tmp_path / "app.apk"))
    fault(adb, "clear")
    assert adb.text("shell", "echo hello > /data/local/tmp/a; cat /data/local/tmp/a") == "hello"


def test_taps_are_missed(adb: Adb) -> None:
    fault(adb, "missed-tap --times 1")
    before = adb.text("shell", TREE)
    dock = "input tap 540 2200; input swipe 540 1200 540 1200 50"
    adb.text("shell", dock.partition(";")[0])
    assert adb.text("shell", TREE) == before


def test_commands_are_slow(adb: Adb) -> None:
    fault(adb, "slow 0.2 --times 2")
    started = time.monotonic()
    adb.text("shell", "id; id; id")
    assert time.monotonic() - started >= 0.4


def test_a_phone_that_hangs_answers_nothing_until_it_is_over(adb: Adb) -> None:
    fault(adb, "hang 0.3 --after 1")
    assert adb.text("shell", "getprop sys.boot_completed") == "1"
    started = time.monotonic()
    with subprocess.Popen(adb.command("shell", "id"), env=adb.env, stdout=-1) as first:
        assert adb.text("shell", "getprop sys.boot_completed") == "1"
        first.communicate(timeout=PATIENCE)
    assert time.monotonic() - started >= 0.3


def test_a_phone_that_hangs_forever_is_recovered_through_its_console(adb: Adb) -> None:
    fault(adb, "hang")
    with subprocess.Popen(
        adb.command("shell", "echo hello; id -u"), env=adb.env, stdout=-1
    ) as held:
        with pytest.raises(subprocess.TimeoutExpired):
            held.wait(0.2)
        fault(adb, "clear")
        assert held.communicate(timeout=PATIENCE)[0].split() == [b"hello", b"2000"]


def test_adb_loses_the_phone_once(own_phone: Running) -> None:
    adb = own_phone.adb
    fault(adb, "drop-connection --after 1")
    assert adb.text("shell", "id -u") == "2000"
    assert adb.text("shell", "id -u") != "2000"
    assert adb.text_after_restart("shell", "id -u") == "2000"


def test_a_phone_dies(start_server: StartServer, tmp_path: Path) -> None:
    with start_server() as adb:
        options = (f"--adb-server-port={adb.port}", "--fault=die --after 1")
        with device(adb.home, *options) as (process, about):
            dying = adb.on(about["serial"])
            assert dying.run("shell", "id").returncode == 0
            dying.run("shell", "id")
            assert process.wait(PATIENCE) == 1


def test_a_phone_does_not_start_with_what_is_not_a_fault(tmp_path: Path) -> None:
    assert main(["--port=0", "--adb-server-port=1", "--fault=fire"]) == 1
