"""Measures the speed of a virtual phone: start, restore, observations, and steps."""

from __future__ import annotations

import contextlib
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pytest_mobileagent import Key, Open, Tap
from pytest_mobileagent.device.device import DeviceOptions
from pytest_mobileagent.device.drivers.adb.adb_device import AdbDevice
from pytest_mobileagent.device.fleet.shared import SharedRun
from pytest_mobileagent.device.sources.virtual import virtual_slots

if TYPE_CHECKING:
    from collections.abc import Callable

APPS = Path(__file__).parent.parent / "fixtures" / "apps"
REPEATS = 20


def milliseconds(function: Callable[[], object]) -> float:
    """Return the duration of a call."""
    before = time.perf_counter()
    function()
    return 1000 * (time.perf_counter() - before)


def show(what: str, values: list[float], unit: str = "ms") -> None:
    """Print the median and the extremes."""
    middle = statistics.median(values)
    sys.stdout.write(f"{what:45} {middle:8.1f} {unit}  ({min(values):.1f} to {max(values):.1f})\n")


# AppAgent's calls per step: a screenshot and a hierarchy, each made and pulled, and an action.
FIVE = (
    ("shell", "screencap", "-p", "/sdcard/bench.png"),
    ("pull", "/sdcard/bench.png", "bench.png"),
    ("shell", "uiautomator", "dump", "/sdcard/bench.xml"),
    ("pull", "/sdcard/bench.xml", "bench.xml"),
    ("shell", "input", "keyevent", "KEYCODE_HOME"),
)


def five_calls(serial: str, port: int) -> float:
    """Return the milliseconds of AppAgent's five consecutive calls of the program adb."""
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        for call in FIVE:
            command = ["adb", "-P", str(port), "-s", serial, *call]
            subprocess.run(command, cwd=folder, check=True, capture_output=True)
        return 1000 * (time.perf_counter() - begun)


class Steps(NamedTuple):
    """The minimum milliseconds of a step, of a round trip, and of five adb calls.

    `trips` is the number of round trips per step, `unseen` the milliseconds of a step without
    screenshots.
    """

    step: float
    trips: float
    trip: float
    five: float
    unseen: float


def driven(device: AdbDevice, repeats: int) -> tuple[list[float], list[float]]:
    """Return the milliseconds and the round trips of a number of steps."""
    taken, trips = [], []
    for number in range(repeats):
        action = Open("com.android.settings") if number % 2 else Key("home")
        before = device.system.round_trips
        start = time.perf_counter()
        device.perform(action)
        device.observe()
        taken.append(1000 * (time.perf_counter() - start))
        trips.append(float(device.system.round_trips - before))
    return taken, trips


def steps(repeats: int = REPEATS) -> Steps:
    """Measure steps on a new phone."""
    with contextlib.closing(SharedRun()) as run:
        slots = virtual_slots(run, DeviceOptions(apps=(APPS,)))
        run.ask({"do": "adb"})
        where = slots.address(0)
        device = AdbDevice(where)
        with contextlib.closing(device):
            device.system.reset("default_boot", ())
            device.observe()
            taken, trips = driven(device, repeats)
            with device.without_screenshots():
                device.observe()
                unseen, _ = driven(device, repeats)
            one = [milliseconds(lambda: device.system.shell("true")) for _ in range(repeats)]
            five = [five_calls(where.serial, where.adb_port) for _ in range(repeats // 2)]
    return Steps(min(taken), statistics.median(trips), min(one), min(five), min(unseen))


def main() -> None:
    """Measure one phone as in a run."""
    with contextlib.closing(SharedRun()) as run:
        slots = virtual_slots(run, DeviceOptions(apps=(APPS,)))
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
        taken, trips = driven(device, REPEATS)
        show("whole step: action, settled, observed", taken)
        show("adb round trips per step", trips, "  ")
        with device.without_screenshots():
            show("whole step without screenshots", driven(device, REPEATS)[0])
        fresh = []
        for number in range(REPEATS):
            device.system.shell(f"settings put system font_scale {1 + (number % 7) / 20}")
            fresh.append(milliseconds(device.observe))
        show("observe, screen never drawn before", fresh)
        device.perform(Tap(540, 1200))
        device.close()


if __name__ == "__main__":
    main()
