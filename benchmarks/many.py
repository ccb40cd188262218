"""Drives many phones on one machine at once: `python benchmarks/many.py [PHONES]` (32)."""

from __future__ import annotations

import contextlib
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent import Open, Tap
from pytest_mobileagent.device.device import DeviceOptions
from pytest_mobileagent.device.drivers.adb.adb_device import AdbDevice
from pytest_mobileagent.device.fleet.shared import SharedRun
from pytest_mobileagent.device.sources.virtual import virtual_slots

if TYPE_CHECKING:
    from pytest_mobileagent.device.sources import ProgramSlots

APPS = Path(__file__).parents[1] / "tests" / "apps"
COUNTER = "com.example.counter"
EPISODES, TAPS = 3, 4


def drive(slots: ProgramSlots, slot: int) -> int:
    """Count on one phone, in several episodes, and return the number of steps."""
    steps = 0
    with contextlib.closing(AdbDevice(slots.address(slot))) as device:
        for _ in range(EPISODES):
            device.system.reset("default_boot", ())
            device.perform(Open(COUNTER))
            screen = device.observe().screen
            for _ in range(TAPS):
                device.perform(Tap(*screen.get(resource_id="add").bounds.center))
                screen = device.observe().screen
            assert screen.get(resource_id="count").text == f"Count: {TAPS}", (
                f"phone {slot} lost taps"
            )
            steps += TAPS + 1
    return steps


def main() -> None:
    """Drive the phones, and print the time."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 32
    started = time.perf_counter()
    with contextlib.closing(SharedRun()) as run, ThreadPoolExecutor(count) as threads:
        slots = virtual_slots(run, DeviceOptions(workers=count, apps=(APPS,)))
        done = [threads.submit(drive, slots, slot) for slot in range(count)]
        steps = sum(future.result() for future in done)
    seconds = time.perf_counter() - started
    print(f"{count} phones: {count * EPISODES} episodes, {steps} steps, none lost, {seconds:.1f} s")


if __name__ == "__main__":
    main()
