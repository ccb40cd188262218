"""Recordings from start to end, whatever happens in between, and how streams are parsed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from pytest_mobileagent.device.device import Address
from pytest_mobileagent.device.drivers.adb.shell import Shell
from pytest_mobileagent.errors import DeviceError, HostError
from pytest_mobileagent.program import adb
from tests.program.adb.conftest import PATIENCE

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into Linux's /proc")


def wait_for_end(pid: int) -> None:
    """Wait until a process that is not our child has ended."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([descriptor], [], [], PATIENCE)[0], "it still runs"
    finally:
        os.close(descriptor)


def listens(port: int) -> bool:
    with socket.socket() as stream:
        return stream.connect_ex(("127.0.0.1", port)) == 0


@linux
def test_killing_programs_by_name_does_not_hit_the_server(own):
    process = Path("/proc", str(own.server_pid))
    assert (process / "comm").read_text() == "phone-server\n"
    assert b"adb" not in (process / "cmdline").read_bytes()


@linux
def test_killed_server_is_restarted_on_its_port(own):
    port, pid = own.recorded.port, own.server_pid
    os.kill(pid, signal.SIGKILL)
    wait_for_end(pid)
    assert own.out("wait-for-device", "shell", "echo back") == "back\n"
    assert own.recorded.port == port
    assert own.server_pid != pid


@pytest.mark.parametrize(
    "words", [["reconnect"], ["disconnect"], ["reconnect", "device"]], ids=" ".join
)
def test_program_cannot_disconnect_the_phone(own, words):
    own.adb(*words)
    assert own.out("wait-for-device", "shell", "echo back") == "back\n"


def test_existing_folder_is_refused(phone, start, tmp_path):
    (tmp_path / "own").mkdir()
    with pytest.raises(HostError, match="File exists"):
        start(phone, tmp_path)
    assert (tmp_path / "own").is_dir()


def test_vanished_phone_reappears_for_the_program(own, phone):
    with own.popen("adb", "shell", "cat", stdin=-1, stdout=-1) as shell:
        shell.stdin.write(b"hello\n")
        shell.stdin.flush()
        assert shell.stdout.readline() == b"hello\n"
        with socket.create_connection((phone.adb_host, phone.adb_port)) as server:
            request = f"host-serial:{phone.serial}:reconnect"
            server.sendall(f"{len(request):04x}{request}".encode())
            assert server.recv(4) == b"OKAY"
        shell.wait(PATIENCE)  # the exit status depends on the version of adb
    assert own.out("wait-for-device", "shell", "echo back") == "back\n"
    (cat, *_) = own.watching.of("cat")
    assert cat.ended.wait(PATIENCE)


@linux
def test_closing_leaves_nothing_behind(own, phone):
    inside = own.out("reverse", "tcp:0", "tcp:9").strip()
    outside = int(own.out("forward", "tcp:0", "tcp:4"))
    device = int(own.recorded.serial.rpartition("-")[2]) + 1
    pid = own.server_pid
    with own.popen("adb", "shell", "sleep 600") as program:
        while not own.watching.of("sleep"):
            pass
        own.call(own.recorded.close())
        program.wait(PATIENCE)
    assert own.watching.of("sleep")[0].ended.is_set()
    wait_for_end(pid)
    assert not [port for port in (own.recorded.port, device, outside) if listens(port)]
    assert not own.recorded._folder.exists()
    with socket.create_connection((phone.adb_host, phone.adb_port)) as server:
        for request in (f"host:transport:{phone.serial}", "reverse:list-forward"):
            server.sendall(f"{len(request):04x}{request}".encode())
            assert server.recv(4) == b"OKAY"
        while data := server.recv(1000):
            assert inside.encode() not in data


def test_reverses_of_others_are_kept(own, start, phone, tmp_path):
    other = start(phone, tmp_path / "other")
    mine = own.out("reverse", "tcp:0", "tcp:9").strip()
    theirs = other.out("reverse", "tcp:0", "tcp:9").strip()
    own.out("reverse", "--remove-all")
    listed = other.out("reverse", "--list")
    other.call(other.recorded.close())
    assert f"tcp:{theirs} " in listed
    assert f"tcp:{mine} " not in listed


def test_console_of_the_phone_is_unreachable(own):
    done = own.adb("emu", "kill")
    assert done.returncode == 1
    assert b"could not connect" in done.stderr
    assert own.out("get-state") == "device\n"


def test_a_missing_phone_is_an_error(phone, start, tmp_path):
    with pytest.raises(DeviceError, match=r"emulator-1 at .* not found"):
        start(replace(phone, serial="emulator-1"), tmp_path)
    with pytest.raises(DeviceError, match=r"no adb server at 127\.0\.0\.1:1:"):
        start(replace(phone, adb_port=1), tmp_path)
    assert list(tmp_path.iterdir()) == []


PARENT = """
import asyncio, sys
from pathlib import Path
from pytest_mobileagent.program.track import RawLog
from pytest_mobileagent.program.adb import RecordedAdb
from pytest_mobileagent.device.device import Address

async def main(serial, port, folder):
    address = Address(serial, "127.0.0.1", int(port), "/")
    log, own = RawLog(Path(folder, "log")), Path(folder, "own")
    recorded = RecordedAdb(address, None, log, own)
    await recorded.start()
    print(recorded._server.pid, recorded.port, flush=True)
    await asyncio.sleep(600)

asyncio.run(main(*sys.argv[1:]))
"""


@linux
def test_killing_the_recorder_leaves_nothing_running(phone, tmp_path):
    words = [sys.executable, "-c", PARENT, phone.serial, str(phone.adb_port), str(tmp_path)]
    with subprocess.Popen(words, stdout=-1) as parent:
        assert parent.stdout is not None
        pid, port = map(int, parent.stdout.readline().split())
        assert listens(port)
        parent.kill()
    wait_for_end(pid)
    assert not listens(port)
    with contextlib.closing(Shell(phone)) as shell:
        assert shell.run("echo fine").text == "fine\n"


ADDRESS = Address("emulator-5554", "127.0.0.1", 1, "")


@pytest.mark.parametrize(("user", "refused"), [(b"0\n", False), (b"2000\n", True), (None, True)])
def test_root_is_allowed_if_it_restarts_nothing(user, refused, monkeypatch):
    async def ask_service(_: Address, service: str) -> bytes:
        assert service == "exec:id -u"
        if user is None:
            msg = "gone"
            raise DeviceError(msg)
        return user

    monkeypatch.setattr(adb, "ask_service", ask_service)
    nobody = cast("Any", None)
    reader = adb.RecordedAdb(ADDRESS, nobody, nobody, Path("unused"))
    assert bool(asyncio.run(reader._read("root:")).refused) is refused
    assert asyncio.run(reader._read("unroot:")).refused
