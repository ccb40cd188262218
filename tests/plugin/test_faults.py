"""What goes wrong with a phone in the middle of an episode, and whose fault it is.

One run of two workers meets every fault there is, one a task, each set by the agent on the phone
that it works on, once.
"""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.slow

AGENT = """
import os, re, tempfile
from pathlib import Path

from pytest_mobileagent import Agent, Finish, Open, Tap
from pytest_mobileagent.device.drivers.adb.console import Console
from pytest_mobileagent.device.device import Address

COUNTER = "com.example.counter"

def console(serial, command):
    (home,) = Path(tempfile.gettempdir()).glob("mobileagent-run-*/home")
    Console(Address(serial, "127.0.0.1", 0, str(home)))._command(f"fault {command}")

class Unlucky(Agent):
    "Opens the counter and counts to two, however often that takes."

    def start(self, briefing):
        fault = re.search(r"<(.*)>", briefing.goal)[1]
        console(briefing.device.serial, "clear")
        marker = Path(os.environ["MARKERS"], re.sub(r"\\W", "_", fault))
        if not marker.exists():
            marker.touch()
            console(briefing.device.serial, fault)

    def step(self, observation):
        screen = observation.screen
        if not screen.find(resource_id="count"):
            return Open(COUNTER)
        if screen.get(resource_id="count").text == "Count: 2":
            return Finish()
        return Tap(*screen.get(resource_id="add").bounds.center)
"""

CONFTEST = """

from pytest_mobileagent.device.drivers.adb import system
from pytest_mobileagent.device.drivers.adb.shell import Shell

Shell.run_all.__defaults__ = (5.0,)  # seconds until a phone that hangs counts as broken
system._DROPS_SECONDS = 0.0  # after a restore, in which a connection may drop
"""

TASKS = """
import pytest
from pytest_mobileagent import sqlite, task

DATABASE = "/data/data/com.example.counter/databases/counter.db"
FAULTS = {faults!r}

@pytest.mark.parametrize("fault", FAULTS)
@task(
    "Count to 2 <{{fault}}>.",
    app="com.example.counter",
    golden_steps=3,
    step_limit=8,
    probes={{"count": sqlite(DATABASE, "select n from counter")}},
)
def test_count(episode, fault):
    assert episode.probe("count") == [{{"n": 2}}]
"""

# What breaks the phone: the episode is repeated on another, and then all is well.
BREAKING = {
    "drop-connection --after 8": "broke off",
    "die --after 8": "broke off",
    "hang --after 8": "did not answer in time",
    "no-idle": "could not get idle state",
    "null-root": "null root node",
    "empty-dump": "no view hierarchy",
    "storage-full": "no view hierarchy",
}
# What passes, or shows little: one episode, and no harm done.
HARMLESS = [
    "no-idle --times 1",
    "null-root --times 2",
    "empty-dump --times 1",
    "slow 0.02",
    "black-screenshot",
    "hang 0.2",
]
# What the agent has to live with: it needs more steps, or does not get there.
THE_AGENTS = {
    "missed-tap --times 2": (True, 5),
    "missed-tap": (False, 8),
    "stale-tree --times 1": (True, 4),
}


@pytest.fixture
def results(project, tmp_path, tmp_path_factory, monkeypatch):
    """What the report says of the task that met a fault, by fault."""
    monkeypatch.setenv("MARKERS", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path_factory.mktemp("t")))
    with (project.pytester.path / "conftest.py").open("a", encoding="utf-8") as file:
        file.write(CONFTEST)
    faults = [*BREAKING, *HARMLESS, *THE_AGENTS]
    project.write(agents__unlucky=AGENT, tasks__counter__test_counter=TASKS.format(faults=faults))
    run = project.run_virtual("tasks", "--agent=unlucky", "-n2", "--mobile-retries=1")
    run.assert_outcomes(passed=len(faults) - 1, failed=1)
    (path,) = (project.pytester.path / "runs").glob("*/report.json")
    document = json.loads(path.read_text("utf-8"))
    assert document["summary"]["infrastructure"] == len(BREAKING)
    return {task["id"].partition("[")[2].rstrip("]"): task for task in document["tasks"]}


def test_every_fault_comes_to_what_it_should(results):
    for fault, reason in BREAKING.items():
        task = results[fault]
        assert (task["success"], task["steps"]) == (True, 3), task
        assert len(task["infrastructure"]) == 1, task
        assert reason in task["infrastructure"][0], task
    for fault in HARMLESS:
        task = results[fault]
        assert (task["success"], task["steps"], task["infrastructure"]) == (True, 3, []), task
    for fault, (success, steps) in THE_AGENTS.items():
        task = results[fault]
        assert (task["success"], task["steps"]) == (success, steps), task
        assert task["infrastructure"] == [], task
