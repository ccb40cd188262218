"""Tests of a run's supervisor: its failures, and the folder that the run's processes share."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from pytest_mobileagent.device.device import DeviceOptions
from pytest_mobileagent.device.drivers.adb.shell import Shell
from pytest_mobileagent.device.fleet.leases import LeasedDevice, lease
from pytest_mobileagent.device.fleet.programs import python_program
from pytest_mobileagent.device.fleet.shared import SharedRun, opened
from pytest_mobileagent.device.fleet.supervisor import remove
from pytest_mobileagent.device.sources import ProgramSlots
from pytest_mobileagent.device.sources.attached import AttachedDevice, AttachedSlots
from pytest_mobileagent.device.sources.virtual import virtual_slots
from pytest_mobileagent.errors import InfrastructureError
from tests.plugin.leftovers import processes_with, wait_until
from tests.virtual.phones import WHEEL, adb_server

# A program that is ready at once; it exits when its stdin closes, and with an error on SIGUSR1.
PHONE = (
    "import json, os, signal, sys; "
    "signal.signal(signal.SIGUSR1, lambda *_: sys.exit('it smokes')); "
    "print(json.dumps({'serial': 'x', 'pid': os.getpid()}), flush=True); os.read(0, 1)"
)
APPS = Path(__file__).parents[2] / "apps"


def process_of(port):
    """Return the process id of the adb server that listens on a port."""
    words = f"\0-P\0{port}\0nodaemon\0server\0".encode()
    commands = Path("/proc").glob("[0-9]*/cmdline")
    (found,) = (int(path.parent.name) for path in commands if words in _content(path))
    return found


def _content(path):
    try:
        return path.read_bytes()
    except OSError:  # The process has ended in the meantime.
        return b""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into Linux's /proc")
def test_device_processes_have_no_keys(monkeypatch):
    key = "sk-real-0123456789"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    monkeypatch.setenv("THEIR_LLM", f"Bearer {key}")  # the same key under another name
    monkeypatch.setenv("MOBILEAGENT_TEST_MARK", "kept")
    with contextlib.closing(SharedRun()) as run:
        virtual_slots(run, DeviceOptions(apps=(APPS,))).address(0)
        mark = b"\0MOBILEAGENT_TEST_MARK=kept\0"
        environments = [b"\0" + _content(path) for path in Path("/proc").glob("[0-9]*/environ")]
        started = [each for each in environments if mark in each]
        assert len(started) >= 3  # at least the supervisor, the adb server and the phone
        assert not [each for each in started if key.encode() in each]
        pid = process_of(run.ask({"do": "adb"})["port"])
        assert Path(f"/proc/{pid}/comm").read_text() == "phones-server\n"  # `pkill adb` spares it


@pytest.mark.slow
def test_hanging_adb_server_is_replaced():
    with contextlib.closing(SharedRun()) as run:
        port = run.ask({"do": "adb"})["port"]
        assert run.ask({"do": "adb"})["port"] == port
        os.kill(process_of(port), signal.SIGSTOP)
        other = run.ask({"do": "adb"})["port"]
        assert other != port
        assert process_of(other)


OWNER = """
import subprocess, sys, time
from pytest_mobileagent.device.fleet.shared import SharedRun, opened
run = SharedRun(mark="a-run-of-tests")
run.watch()
print("watched", flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("how", ["close", "kill"])
def test_agent_processes_end_with_the_run(tmp_path, monkeypatch, how):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    sleep = [sys.executable, "-S", "-c", "import time; time.sleep(600)"]
    environment = os.environ | {"MOBILEAGENT_AGENT": "a-run-of-tests-12"}
    with subprocess.Popen(sleep, env=environment, start_new_session=True) as left:
        if how == "close":
            run = SharedRun(mark="a-run-of-tests")
            run.watch()
            run.close()
        else:
            command = [sys.executable, "-c", OWNER]
            with subprocess.Popen(command, stdout=subprocess.PIPE) as owner:
                assert owner.stdout is not None
                owner.stdout.readline()
                assert left.poll() is None
                owner.kill()
        assert left.wait(30) == -signal.SIGKILL


def test_other_users_and_programs_cannot_access_the_phones(tmp_path, monkeypatch):
    # This key is shared by all users of an attached device.
    shared = tmp_path / ".android" / "adbkey"
    shared.parent.mkdir()
    subprocess.run([WHEEL, "keygen", str(shared)], check=True)
    monkeypatch.setenv("ADB_VENDOR_KEYS", str(shared))
    with contextlib.closing(SharedRun()) as run, adb_server(WHEEL, tmp_path) as other:
        phone = virtual_slots(run, DeviceOptions(apps=(APPS,))).address(0)
        with contextlib.closing(Shell(phone)) as shell:
            assert shell.run("echo in").text == "in\n"
        port = int(phone.serial.removeprefix("emulator-")) + 1
        stranger = f"127.0.0.1:{port}"
        other.run("connect", stranger)
        assert f"{stranger}\tunauthorized" in other.text("devices")
        home = Path(phone.home)
        assert {path.stat().st_mode & 0o777 for path in (run.folder, home)} == {0o700}
        assert (home / ".android" / "adbkey").stat().st_mode & 0o777 == 0o600


def test_programs_can_import_the_package(tmp_path, monkeypatch):
    (tmp_path / "only_here.py").write_text("import json; print(json.dumps({'a': 1}))")
    (tmp_path / "calendar.py").write_text("raise SystemExit")
    monkeypatch.syspath_prepend(tmp_path)
    command = python_program("only_here")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == {"a": 1}


def test_phones_started_ahead_are_used_and_ended_with_the_run():
    with contextlib.closing(SharedRun()) as run:
        slots = ProgramSlots(run, 3, [sys.executable, "-c", PHONE])
        slots.prestart()
        first = slots.start(0, slots.command)
        assert first.record["fresh"]  # The phone has not been used before.
        again = slots.start(0, slots.command)
        assert not again.record["fresh"]
        assert again.record["pid"] == first.record["pid"]
        others = [slots.start(slot, slots.command).record["pid"] for slot in (1, 2)]
        assert len({first.record["pid"], *others}) == 3
        slots.prestart()  # This has no effect because the phones are running.
        assert slots.start(1, slots.command).record["pid"] == others[0]
    for pid in (first.record["pid"], *others):
        assert not Path(f"/proc/{pid}").exists()


def test_program_that_did_not_start_or_ended_by_itself_is_explained():
    with contextlib.closing(SharedRun()) as run:
        slots = ProgramSlots(run, 1, [sys.executable, "-c", "raise SystemExit('no room')"])
        slots.prestart()
        with pytest.raises(InfrastructureError, match="its program did not start: no room"):
            slots.address(0)
        slots = ProgramSlots(run, 1, [sys.executable, "-c", PHONE])
        slots.address(0)
        assert slots.ended(0) == ""
        leased = LeasedDevice(slots, lambda _: SimpleNamespace(close=lambda: None), 50)
        leased.get()
        assert leased.give_up() == ""
        os.kill(slots.start(0, slots.command).record["pid"], signal.SIGUSR1)
        assert leased.give_up() == "; its program ended with status 1: it smokes"


def test_worker_that_outlives_its_run_leaves_no_folder(tmp_path):
    run = SharedRun(tmp_path / "run")
    with pytest.raises(InfrastructureError, match="is over"):
        run.watch()
    with pytest.raises(InfrastructureError, match="is over"):
        lease(ProgramSlots(run, 1, ["true"]))
    assert not run.folder.exists()


def test_ending_workers_cannot_write_into_a_folder_being_removed(tmp_path):
    for number in range(3):
        folder = tmp_path / str(number)
        folder.mkdir()
        with ThreadPoolExecutor(2) as workers:
            opening = [workers.submit(_open_until_gone, folder, each) for each in range(2)]
            wait_until(lambda here=folder: len(list(here.iterdir())) > 50)
            remove(folder)
        for one in opening:
            with pytest.raises(InfrastructureError, match="is over"):
                one.result()
    assert not list(tmp_path.iterdir())


def _open_until_gone(folder, worker):
    for number in range(1_000_000):
        with opened(folder / f"{worker}-{number}.lock"):
            pass


def test_supervisor_failure_is_explained(tmp_path):
    with contextlib.closing(SharedRun()) as run:
        slots = ProgramSlots(run, 1, [sys.executable, "-c", "import time; time.sleep(60)"])
        run.ask({"do": "adb"})
        (run.folder / "supervisor.log").write_text("MemoryError: no more of it\n")
        with ThreadPoolExecutor() as threads:
            asked = threads.submit(slots.address, 0)
            wait_until((run.folder / "phone-0.log").exists)
            for pid in processes_with(str(run.folder)):
                with contextlib.suppress(FileNotFoundError):  # Some processes are just ending.
                    if b"fleet.supervisor" in Path(f"/proc/{pid}/cmdline").read_bytes():
                        os.kill(pid, signal.SIGKILL)
            with pytest.raises(InfrastructureError, match="MemoryError: no more of it"):
                asked.result()


def test_temporary_folder_may_have_any_name_and_one_in_memory_goes_with_the_run(
    tmp_path, monkeypatch
):
    deep = tmp_path / ("ü" * 80) / ("x" * 80)
    deep.mkdir(parents=True)
    for folder in (deep, tmp_path / "missing"):
        monkeypatch.setenv("TMPDIR", str(folder))
        monkeypatch.setattr("tempfile.tempdir", None)
        with contextlib.closing(SharedRun()) as run:
            assert run.ask({"do": "adb"})["port"]
            memory = run.memory()
            (memory / "episode").mkdir()
        assert not memory.exists()
        slots = AttachedSlots([AttachedDevice("x").address()])
        leased = lease(slots, seconds=0)
        assert leased.slot == 0
        leased.release()


def test_leftovers_of_killed_runs_are_removed_without_following_links(tmp_path, monkeypatch):
    temporary, project = tmp_path / "tmp", tmp_path / "project"
    for folder in (temporary, project, temporary / "mobileagent-run-killed"):
        folder.mkdir()
        os.utime(folder, (0, 0))
    (temporary / "mobileagent-run-link").symlink_to(project)
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    SharedRun().close()
    assert [path.name for path in temporary.iterdir()] == ["mobileagent-run-link"]
    assert list(project.iterdir()) == []
