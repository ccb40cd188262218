"""Measures the time that recording adds to a program's calls of adb, including screenshots.

python benchmarks/recording.py [REPEATS]
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.device.device import DeviceOptions
from pytest_mobileagent.device.fleet.shared import SharedRun
from pytest_mobileagent.device.sources.virtual import virtual_slots
from pytest_mobileagent.program.adb import RecordedAdb
from pytest_mobileagent.program.track import RawLog

if TYPE_CHECKING:
    from pytest_mobileagent.program.commands import Command

APPS = Path(__file__).parent.parent / "fixtures" / "apps"
SERVICES = {
    "call (shell:true)": "shell:true",
    "call (shell v2)": "shell,v2,raw:true",
    "tap": "shell,v2,raw:input tap 500 100",
    "screenshot (exec:screencap -p)": "exec:screencap -p",
}


class Free:
    """A watcher that allows all commands at once."""

    refused = ""

    async def command(self, command: Command) -> Free:
        return self

    def done(self, error: str = "") -> None:
        pass

    async def call_begins(self) -> str:
        return ""

    def call_ended(self, said: str) -> None:
        pass

    async def step(self, phase: str) -> str:
        return ""


def milliseconds(port: int, serial: str, service: str) -> float:
    """Return the duration of an adb service, from connecting to its end, over a socket."""
    before = time.perf_counter()
    with socket.create_connection(("127.0.0.1", port)) as stream:
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for request in (f"host:transport:{serial}", service):
            stream.sendall(f"{len(request):04x}{request}".encode())
            assert stream.recv(4, socket.MSG_WAITALL) == b"OKAY"
        while stream.recv(1 << 16):
            pass
    return 1000 * (time.perf_counter() - before)


def measure(direct: tuple[int, str], recorded: tuple[int, str], repeats: int) -> None:
    """Print the times of each service, measured directly and recorded in turn."""
    print(f"{'milliseconds: median, minimum':32} {'direct':>14} {'recorded':>14} {'added':>14}")
    for name, service in SERVICES.items():
        ways: tuple[list[float], list[float]] = [], []
        for _ in range(repeats):
            for values, way in zip(ways, (direct, recorded), strict=True):
                values.append(milliseconds(*way, service))
        (a, b), (c, d) = ((statistics.median(values), min(values)) for values in ways)
        print(f"{name:32} {a:8.2f} {b:5.2f} {c:8.2f} {d:5.2f} {c - a:8.2f} {d - b:5.2f}")


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    with contextlib.closing(SharedRun()) as run, tempfile.TemporaryDirectory() as folder:
        phone = virtual_slots(run, DeviceOptions(apps=(APPS,))).address(0)
        log, own = Path(folder) / "adb.jsonl", Path(folder) / "own"
        adb = RecordedAdb(phone, Free(), RawLog(log), own)
        before = time.perf_counter()
        asyncio.run_coroutine_threadsafe(adb.start(), loop).result()
        print(f"started in {1000 * (time.perf_counter() - before):.0f} ms")
        measure((phone.adb_port, phone.serial), (adb.port, adb.serial), repeats)
        before = time.perf_counter()
        asyncio.run_coroutine_threadsafe(adb.close(), loop).result()
        print(f"ended in {1000 * (time.perf_counter() - before):.0f} ms")
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


if __name__ == "__main__":
    main()
