"""Measures the overhead of the plugin: per step, at collection, and in `pytest --help`."""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from processes import run_pytest

from pytest_mobileagent import Agent, Finish, Screen, Wait
from pytest_mobileagent._task import Task
from pytest_mobileagent._task.case import Case
from pytest_mobileagent.agent.process import AgentProcess
from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.episode.store import Recorder
from pytest_mobileagent.run.attempt import attempt
from pytest_mobileagent.run.plan import AttemptPlan, ChosenAgent, Limits
from pytest_mobileagent.run.runner import ConversationRunner, in_thread
from pytest_mobileagent.testing import FakePhone

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent import Action, Briefing, Observation
    from pytest_mobileagent.run.plan import AgentRunner

STEPS = 200
ROWS = 10_000
TASKS = f"""
import pytest
from pytest_mobileagent import task

@pytest.mark.parametrize("n", range({ROWS}))
@task("Count to {{n}}.", app="com.example", golden_steps=3)
def test_count(episode, n): pass
"""
APP = """
from pytest_mobileagent.virtual.sdk import App

class Example(App):
    package = "com.example"
    label = "Example"
"""
PLAIN = f"""
import pytest

@pytest.fixture
def episode(): pass

@pytest.mark.parametrize("n", range({ROWS}))
@pytest.mark.filterwarnings("default")
def test_count(episode, n): pass
"""

TABLE = """
from pytest_mobileagent import rows, tasks

@tasks(rows("rows.csv"))
def test_row(episode, row): pass
"""
PLAIN_TABLE = """
import csv
import pytest

with open("rows.csv") as file:
    ROWS = [
        pytest.param(row, marks=pytest.mark.filterwarnings("default"), id=str(number))
        for number, row in enumerate(csv.DictReader(file))
    ]

@pytest.fixture
def episode(): pass

@pytest.mark.parametrize("row", ROWS)
def test_row(episode, row): pass
"""


class Patient(Agent):
    """Waits for a number of steps, and finishes."""

    def start(self, briefing: Briefing) -> None:
        self.left = STEPS

    def step(self, observation: Observation) -> Action:
        self.left -= 1
        return Wait(0) if self.left >= 0 else Finish()


def own_time_per_step(process: AgentProcess | None) -> float:
    """Return the plugin's milliseconds per step, with recorded screens of a usual size.

    The agent runs in `process`, or else in a thread of this process.
    """
    xml = "<hierarchy rotation='0'>" + "<node text='x' bounds='[0,0][9,9]'/>" * 200 + "</hierarchy>"
    header = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x04\x38\0\0\x09\x60\x08\x02\0\0\0"
    png = [header + bytes([n]) * 100_000 for n in range(20)]
    screens = [Screen(xml, content, time=datetime(2026, 5, 4)) for content in png]
    phone = FakePhone([screens[n % len(screens)] for n in range(STEPS + 1)])

    def make_runner(case: Case, values: Mapping[str, Any]) -> AgentRunner:
        return ConversationRunner(process) if process else in_thread(Patient, None, case, values)

    if process is not None:
        process.load()
    agent = ChosenAgent("patient", make_runner)
    plan = AttemptPlan(Case(Task("Wait."), "wait"), agent, Limits(STEPS, 60.0), 0)
    with tempfile.TemporaryDirectory() as folder:
        store = ScreenStore(Path(folder, "screens"))
        recorder = Recorder(Path(folder, "episodes", "wait.0"), store)
        before = time.perf_counter()
        attempt(plan, phone, recorder)
        return 1000 * (time.perf_counter() - before) / STEPS


def write_project(folder: str) -> None:
    """Write a project with the app of all tasks, with mobile tasks and with plain tests."""
    Path(folder, "pytest.ini").write_text("[pytest]\nmobile_app_paths = apps\n")
    Path(folder, "apps").mkdir()
    Path(folder, "apps", "example.py").write_text(APP)
    Path(folder, "test_tasks.py").write_text(TASKS)
    Path(folder, "test_plain.py").write_text(PLAIN)


def in_turns(
    ours: list[str], plain: list[str], folder: str, turns: int
) -> list[tuple[float, float]]:
    """Return the processor times of both pytest commands, run alternately in `turns` turns."""
    return [
        (run_pytest(ours, folder)[1], run_pytest([*plain, "-p", "no:mobileagent"], folder)[1])
        for _ in range(turns)
    ]


def main() -> None:
    """Measure and print."""
    process = AgentProcess(f"{__file__}:Patient", [], [], "benchmark")
    in_process = own_time_per_step(process)
    process.kill()
    sys.stdout.write(f"own time per step: {in_process:.2f} ms, ")
    sys.stdout.write(f"{own_time_per_step(None):.2f} ms with the agent in a thread\n")
    with tempfile.TemporaryDirectory() as folder:
        write_project(folder)
        helps = in_turns(["--help"], ["--help"], folder, 15)
        added = 1000 * statistics.median(ours - plain for ours, plain in helps)
        sys.stdout.write(f"pytest --help: {added:+.0f} ms with the plugin\n")
        table = [f"Count to {n}.,com.example,3" for n in range(ROWS)]
        Path(folder, "rows.csv").write_text("\n".join(["goal,app,golden_steps", *table]))
        for what, tasks, plain in (("parameters", TASKS, PLAIN), ("a table", TABLE, PLAIN_TABLE)):
            Path(folder, "test_tasks.py").write_text(tasks)
            Path(folder, "test_plain.py").write_text(plain)
            quiet = ["--collect-only", "-qq"]
            taken = in_turns([*quiet, "test_tasks.py"], [*quiet, "test_plain.py"], folder, 7)
            seconds = statistics.median(ours for ours, _ in taken)
            ratio = statistics.median(ours / plain for ours, plain in taken)
            sys.stdout.write(
                f"collecting {ROWS} tasks of {what}: {seconds:.2f} s, {ratio:.2f} of plain pytest\n"
            )


if __name__ == "__main__":
    main()
