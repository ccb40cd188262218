"""How fast a virtual phone is: ready, restored, looked at, driven."""

from __future__ import annotations

import contextlib
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent import Key, Open, Tap
from pytest_mobileagent.device.drivers.adb.device import AdbDevice
from pytest_mobileagent.device.fleet.shared import SharedRun
from pytest_mobileagent.device.sources.virtual import virtual_slots

if TYPE_CHECKING:
    from collections.abc import Callable

APPS = Path(__file__).parent.parent / "fixtures" / "apps"
REPEATS = 20


def milliseconds(function: Callable[[], object]) -> float:
    """How long a call takes."""
    before = time.perf_counter()
    function()
    return 1000 * (time.perf_counter() - before)


def show(what: str, values: list[float], unit: str = "ms") -> None:
    """Print the median and the extremes."""
    middle = statistics.median(values)
    sys.stdout.write(f"{what:45} {middle:8.1f} {unit}  ({min(values):.1f} to {max(values):.1f})\n")


def main() -> None:
    """Measure one phone of a run."""
    with contextlib.closing(SharedRun()) as run:
        slots = virtual_slots(run, 1, [APPS])
        run.ask({"do": "adb"})
        ready = [milliseconds(lambda: slots.address(0, fresh=True)) for _ in range(5)]
        show("phone ready (process start to JSON line)", ready)
        device = AdbDevice(slots.address(0))
        device.system.reset("default_boot", ())
        device.observe()
        resets, firsts = [], []
        for _ in range(REPEATS):
            resets.append(milliseconds(lambda: device.system.reset("default_boot", ())))
            firsts.append(resets[-1] + milliseconds(device.observe))
        show("snapshot restore (until the shell answers)", resets)
        show("reset and first look", firsts)
        show(
            "observe, unchanged screen (two looks)",
            [milliseconds(device.observe) for _ in range(REPEATS)],
        )
        looks, steps, trips = [], [], []
        for number in range(REPEATS):
            action = Open("com.android.settings") if number % 2 else Key("home")
            before = device.system.round_trips
            start = time.perf_counter()
            device.perform(action)
            looks.append(milliseconds(device.observe))
            steps.append(1000 * (time.perf_counter() - start))
            trips.append(float(device.system.round_trips - before))
        show("observe after a change", looks)
        show("whole step: action, settled, observed", steps)
        show("adb round trips per step", trips, "  ")
        fresh = []
        for number in range(REPEATS):
            device.system.shell(f"settings put system font_scale {1 + (number % 7) / 20}")
            fresh.append(milliseconds(device.observe))
        show("observe, screen never drawn before", fresh)
        device.perform(Tap(540, 1200))
        device.close()


if __name__ == "__main__":
    main()
