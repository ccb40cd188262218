"""What the plugin itself costs: per step, at collection, and in `pytest --help`."""

from __future__ import annotations

import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from processes import run_pytest

from pytest_mobileagent import Agent, Finish, Screen, Wait
from pytest_mobileagent.device.device import Capture
from pytest_mobileagent.episode.device_info import DeviceInfo
from pytest_mobileagent.run.attempt import Plan, attempt
from pytest_mobileagent.task.task import Task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent import Action
    from pytest_mobileagent.task.probe import Probe
    from pytest_mobileagent.episode.event import Event

STEPS = 200
ROWS = 10_000
TASKS = f"""
import pytest
from pytest_mobileagent import task

@pytest.mark.parametrize("n", range({ROWS}))
@task("Count to {{n}}.", app="com.example")
def test_count(episode, n): pass
"""
PLAIN = f"""
import pytest

@pytest.fixture
def episode(): pass

@pytest.mark.parametrize("n", range({ROWS}))
@pytest.mark.filterwarnings("default")
def test_count(episode, n): pass
"""


class StillDevice:
    """A device that costs nothing: the same screen again and again."""

    info = DeviceInfo("still", "none", "14", 34, (1080, 2400), 420)

    def __init__(self, screens: list[Screen]) -> None:
        self.screens = screens
        self.looks = 0

    def observe(self, probes: Mapping[str, Probe] | None = None) -> Capture:
        self.looks += 1
        return Capture(self.screens[self.looks % len(self.screens)], {})

    def perform(self, action: Action) -> None:
        """Do nothing."""

    def reset(self, snapshot: str, apps: Sequence[str]) -> str:
        return "nothing to do"

    def packages(self) -> frozenset[str]:
        return frozenset()

    def shell(self, script: str) -> str:
        return ""

    def events(self) -> tuple[Event, ...]:
        return ()

    def close(self) -> None:
        """Do nothing."""


class Patient(Agent):
    """Waits, until it has done so often enough."""

    def __init__(self) -> None:
        self.left = STEPS

    def step(self, screen: Screen) -> Action:
        self.left -= 1
        return Wait(0) if self.left >= 0 else Finish()


def own_time_per_step() -> float:
    """Milliseconds of the plugin per step, screens of a usual size being recorded."""
    xml = "<hierarchy rotation='0'>" + "<node text='x' bounds='[0,0][9,9]'/>" * 200 + "</hierarchy>"
    header = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x04\x38\0\0\x09\x60\x08\x02\0\0\0"
    png = [header + bytes([n]) * 100_000 for n in range(20)]
    screens = [Screen(xml, content, time=datetime(2026, 5, 4)) for content in png]
    plan = Plan(Task("Wait."), "wait", "wait", "", {}, "patient", Patient, STEPS, 60.0, 0, 0)
    with tempfile.TemporaryDirectory() as folder:
        before = time.perf_counter()
        attempt(plan, StillDevice(screens), Path(folder, "episode"), 0)
        return 1000 * (time.perf_counter() - before) / STEPS


def costs(commands: Mapping[str, list[str]], folder: str, repeats: int) -> dict[str, float]:
    """Return the least processor time of each of these pytest commands, run in turns."""
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(repeats):
        for name, arguments in commands.items():
            taken[name].append(run_pytest(arguments, folder)[1])
    return {name: min(seconds) for name, seconds in taken.items()}


def main() -> None:
    """Measure and print."""
    sys.stdout.write(f"own time per step: {own_time_per_step():.2f} ms\n")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "pytest.ini").write_text("[pytest]\n")
        off = ["-p", "no:mobileagent"]
        helps = costs({"with": ["--help"], "without": ["--help", *off]}, folder, 10)
        added = 1000 * (helps["with"] - helps["without"])
        sys.stdout.write(f"pytest --help: {added:+.0f} ms with the plugin\n")
        Path(folder, "test_tasks.py").write_text(TASKS)
        Path(folder, "test_plain.py").write_text(PLAIN)
        quiet = ["--collect-only", "-qq"]
        collections = {
            "tasks": [*quiet, "test_tasks.py"],
            "plain": [*quiet, *off, "test_plain.py"],
        }
        seconds = costs(collections, folder, 4)
        ratio = seconds["tasks"] / seconds["plain"]
        sys.stdout.write(
            f"collecting {ROWS} tasks: {seconds['tasks']:.2f} s, {ratio:.2f} of plain pytest\n"
        )


if __name__ == "__main__":
    main()
