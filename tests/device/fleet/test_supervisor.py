"""The supervisor of a run, and what it does when something of its own breaks."""

import contextlib
import os
import signal
import subprocess
from pathlib import Path

from pytest_mobileagent.device.drivers.adb.shell import Shell
from pytest_mobileagent.device.fleet.shared import SharedRun
from pytest_mobileagent.device.sources.virtual import virtual_slots
from tests.virtual.phones import WHEEL, adb_server

APPS = Path(__file__).parents[2] / "apps"


def process_of(port):
    """The adb server that listens at a port."""
    words = f"\0-P\0{port}\0nodaemon\0server\0".encode()
    commands = Path("/proc").glob("[0-9]*/cmdline")
    (found,) = (int(path.parent.name) for path in commands if words in _content(path))
    return found


def _content(path):
    try:
        return path.read_bytes()
    except OSError:  # it has ended meanwhile
        return b""


def test_an_adb_server_that_hangs_is_replaced():
    with contextlib.closing(SharedRun()) as run:
        port = run.ask({"do": "adb"})["port"]
        assert run.ask({"do": "adb"})["port"] == port
        os.kill(process_of(port), signal.SIGSTOP)
        other = run.ask({"do": "adb"})["port"]
        assert other != port
        assert process_of(other)


def test_only_the_run_itself_gets_into_its_phones(tmp_path, monkeypatch):
    shared = tmp_path / ".android" / "adbkey"  # with other users, on devices that all of them use
    shared.parent.mkdir()
    subprocess.run([WHEEL, "keygen", str(shared)], check=True)
    monkeypatch.setenv("ADB_VENDOR_KEYS", str(shared))
    with contextlib.closing(SharedRun()) as run, adb_server(WHEEL, tmp_path) as other:
        phone = virtual_slots(run, 1, [APPS]).address(0)
        with contextlib.closing(Shell(phone)) as shell:
            assert shell.run("echo in").text == "in\n"
        port = int(phone.serial.removeprefix("emulator-")) + 1
        stranger = f"127.0.0.1:{port}"
        other.run("connect", stranger)
        assert f"{stranger}\tunauthorized" in other.text("devices")
        home = Path(phone.home)
        assert {path.stat().st_mode & 0o777 for path in (run.folder, home)} == {0o700}
        assert (home / ".android" / "adbkey").stat().st_mode & 0o777 == 0o600
