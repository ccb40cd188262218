"""Tests of programs that are kept warm, and of the processes that they fork."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.device.device import DeviceOptions
from pytest_mobileagent.device.drivers.adb.shell import Shell
from pytest_mobileagent.device.fleet.programs import fork, warm_program
from pytest_mobileagent.device.fleet.shared import SharedRun
from pytest_mobileagent.device.sources import ProgramSlots
from pytest_mobileagent.device.sources.virtual import virtual_slots
from pytest_mobileagent.errors import InfrastructureError
from tests.plugin.leftovers import wait_until
from tests.project import APPS

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAM = """
import json, os, random, signal, sys

def prepare(words):
    global prepared
    never, _ = os.pipe()
    signal.signal(signal.SIGUSR2, lambda *_: os.read(never, 1))
    prepared = [*words, os.getpid()]

def main(words):
    if words[0] == "break":
        raise LookupError("no such thing")
    signal.signal(signal.SIGUSR1, lambda *_: sys.exit("it smokes"))
    about = {"warm": prepared, "words": words, "pid": os.getpid(), "group": os.getpgid(0)}
    about |= {"chance": random.random(), "home": os.environ["HOME"], "files": os.listdir("/dev/fd")}
    print(json.dumps({"serial": "x", **about}), flush=True)
    return len(os.read(0, 1))
"""


@pytest.fixture
def run() -> Iterator[SharedRun]:
    with contextlib.closing(SharedRun()) as run:
        yield run


@pytest.fixture
def slots(run: SharedRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ProgramSlots:
    (tmp_path / "forking.py").write_text(PROGRAM)
    monkeypatch.syspath_prepend(tmp_path)
    return ProgramSlots(run, 2, ["one", "{adb}"], warm=warm_program("forking", "bread"))


def alive(pid):
    with contextlib.suppress(OSError):
        return b") Z" not in Path(f"/proc/{pid}/stat").read_bytes()
    return False


def test_warm_program_prepares_shared_state_and_is_restarted_once_it_is_dead(run, slots):
    one, two = (slots.start(slot, slots.command).record for slot in range(2))
    assert one["warm"] == two["warm"]
    assert one["warm"][0] == "bread"
    assert one["words"] == ["one", str(run.ask({"do": "adb"})["port"])]
    assert one["home"] == str(run.folder / "home")
    for each in ("pid", "chance"):
        assert one[each] != two[each]
    assert one["group"] == one["pid"]
    assert len(one["files"]) <= 4  # the standard streams, and the listing itself
    assert slots.start(0, slots.command, fresh=True).record["warm"] == one["warm"]
    os.kill(one["warm"][1], signal.SIGKILL)
    wait_until(lambda: not alive(two["pid"]))
    assert "ended with status -9" in slots.ended(1)
    assert slots.start(1, slots.command).record["warm"] != one["warm"]


def test_the_exit_status_of_a_process_is_reported(slots):
    pid = slots.start(0, slots.command).record["pid"]
    assert slots.ended(0) == ""
    os.kill(pid, signal.SIGUSR1)
    assert slots.ended(0) == "ended with status 1: it smokes"
    os.kill(slots.start(0, slots.command).record["pid"], signal.SIGKILL)
    assert slots.ended(0).startswith("ended with status -9: ")
    with pytest.raises(InfrastructureError, match=r"did not start: (?s:.*)LookupError: no such"):
        slots.start(1, ["break"])


def test_a_warm_program_that_was_stopped_continues(run, slots):
    first = slots.start(0, slots.command).record
    warm = first["warm"][1]
    os.kill(warm, signal.SIGSTOP)
    assert slots.start(1, slots.command).record["warm"] == first["warm"]
    os.kill(warm, signal.SIGSTOP)
    os.kill(first["pid"], signal.SIGSTOP)
    again = slots.start(0, slots.command, fresh=True).record
    assert again["warm"] == first["warm"]
    os.kill(warm, signal.SIGSTOP)
    run.close()
    wait_until(lambda: not any(alive(pid) for pid in (warm, first["pid"], again["pid"])))


def test_process_may_end_before_its_client_has_read_anything(tmp_path, monkeypatch):
    path, send = tmp_path / "socket", socket.send_fds

    def send_and_wait(client, *request):
        sent = send(client, *request)
        with server.accept()[0] as connection:
            for stream in socket.recv_fds(connection, 1 << 16, 3)[1]:
                os.close(stream)
            connection.sendall(b'{"pid": 7}\n{"status": 3}\n')
        return sent

    async def forked():
        process = await fork(path, ["early"], {}, tmp_path / "log")
        process.stdin.close()
        return await process.wait()

    monkeypatch.setattr(socket, "send_fds", send_and_wait)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        assert asyncio.run(forked()) == 3


@pytest.mark.slow
def test_hanging_warm_program_is_replaced(slots):
    first = slots.start(0, slots.command).record
    os.kill(first["warm"][1], signal.SIGUSR2)
    assert slots.start(1, slots.command).record["warm"] != first["warm"]
    wait_until(lambda: not alive(first["pid"]))


@pytest.mark.parametrize("who", ["run", "supervisor"])
def test_nothing_outlives_the_run(slots, run, who):
    record = slots.start(0, slots.command).record
    warm = record["warm"][1]
    if who == "run":
        run.close()
    else:
        stat = Path(f"/proc/{warm}/stat").read_text().rpartition(")")[2]
        os.kill(int(stat.split()[1]), signal.SIGKILL)
    wait_until(lambda: not alive(warm) and not alive(record["pid"]))


def test_broken_app_is_named(run, tmp_path):
    (tmp_path / "app.py").write_text("import nothing_like_it\n")
    with pytest.raises(InfrastructureError, match=r"did not start: error: .*app\.py:1: Modul"):
        virtual_slots(run, DeviceOptions(apps=(tmp_path,))).address(0)


def test_each_phone_boots_when_it_is_forked(run):
    slots = virtual_slots(run, DeviceOptions(workers=2, apps=(APPS,)))
    seconds = []
    for slot in range(2):
        with contextlib.closing(Shell(slots.address(slot))) as shell:
            shell.run("sleep 0.2")
            told = shell.run_all(["date +%s.%N", "cat /proc/uptime"])
            seconds.append(float(told[0].text) - float(told[1].text.split()[0]))
    assert seconds[1] > seconds[0] + 0.1
