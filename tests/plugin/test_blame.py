"""Faults are attributed to the agent, the task or the device.

One run on two workers meets every kind of phone fault in the middle of an episode: each task's
agent injects one fault, once, into the phone that it uses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.plugin.projects import newest_report

if TYPE_CHECKING:
    from pathlib import Path

    from tests.project import Project


pytestmark = pytest.mark.slow


def report(project):
    return newest_report(project.pytester.path)


BAD_AGENTS = {
    "nonsense": ("return 'tap the button'", "'tap the button' is not an action"),
    "nothing": ("return None", "None is not an action"),
    "raises": ("raise ValueError('no idea')", "raised ValueError: no idea"),
    "exits": ("raise SystemExit(3)", "raised SystemExit: 3"),
    "interrupts": ("raise KeyboardInterrupt", "raised KeyboardInterrupt"),
    "hangs": ("threading.Event().wait()", "it exceeded 0.5 seconds"),
    "spins": ("while True: pass", "it exceeded 0.5 seconds"),
}
BAD_AGENT = """
import threading
from pytest_mobileagent import *

class Bad(Agent):
    def step(self, observation):
        {body}
"""


@pytest.mark.parametrize("kind", BAD_AGENTS)
def test_a_mistake_of_an_agent_is_its_failure(project, kind):
    body, reason = BAD_AGENTS[kind]
    project.write(agents__bad=BAD_AGENT.format(body=body))
    limit = "0.5" if kind in {"hangs", "spins"} else "30"
    result = project.run("tasks", "--agent=bad", "-k", "code", f"--mobile-time-limit={limit}")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["closest  the answer does not say the number 4711: *", f"error *{reason}*"]
    )
    (task,) = report(project)["tasks"]
    assert task["success"] is False
    assert task["fault"] == "agent"
    assert "the agent failed at step 1" in task["reason"]
    assert reason in task["reason"]


GROUP = "unhandled errors in a TaskGroup (1 sub-exception): ValueError: no such thing"
GROUPED = """
import asyncio

async def broken():
    raise ValueError("no such thing")

async def grouped():
    async with asyncio.TaskGroup() as group:
        group.create_task(broken())
"""


def test_exception_group_of_an_agent_lists_its_exceptions(project):
    head, _, body = BAD_AGENT.rpartition("class Bad")
    project.write(
        agents__bad=f"{GROUPED}{head}class Bad{body.format(body='asyncio.run(grouped())')}"
    )
    result = project.run("tasks", "--agent=bad", "-k", "code", "--tb=no")
    result.stdout.fnmatch_lines([f"*the agent failed at step 1: it raised {GROUP[:28]}*"])
    (task,) = report(project)["tasks"]
    assert task["reason"].startswith(f"the agent failed at step 1: it raised {GROUP}\n")


def test_exception_group_of_a_body_lists_its_exceptions(project):
    task = (
        "\n@task('Go.', app='com.example.counter')\ndef test_go(episode): asyncio.run(grouped())\n"
    )
    head = "from pytest_mobileagent import task\n"
    project.write(tasks__counter__test_counter=head + GROUPED + task)
    project.run("tasks", "--agent=noop").assert_outcomes(errors=1)
    (entry,) = report(project)["tasks"]
    assert (entry["reason"], entry["fault"]) == (GROUP, "task")


MISTAKES = {
    "returns": ("return False", "*the body of a task must use assert*"),
    "criteria": ("assert episode.screen.find(txt='x')", "*no criterion 'txt'; did you mean*"),
    "probe": ("assert episode.probe('alarm')", "*the task has no probe 'alarm'*"),
    "tapped": ("assert episode.tapped('Save')", "*takes criteria such as text=*"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_a_body_is_not_a_failure_of_the_agent(project, mistake):
    body, message = MISTAKES[mistake]
    project.write(
        tasks__counter__test_counter=f"""
from pytest_mobileagent import task

@task("Go.", app="com.example.counter")
def test_go(episode):
    {body}
"""
    )
    result = project.run("tasks", "--agent=noop")
    result.stdout.fnmatch_lines([message])
    (task,) = report(project)["tasks"]
    assert (task["outcome"], task["success"]) == ("error", None)


def test_misspelt_snapshot_is_a_task_error(project):
    project.write(
        tasks__counter__test_counter="""
from pytest_mobileagent import task

@task("Go.", app="com.example.counter", snapshot="defualt_boot")
def test_go(episode): pass
"""
    )
    result = project.run("tasks", "--agent=noop")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*the task is broken: *no snapshot 'defualt_boot' (it has: *"])


SILENT = """
import pytest
from pytest_mobileagent.device.drivers.adb.streams import EventStream

patch = pytest.MonkeyPatch()
patch.setattr(EventStream, "start", lambda stream, run: None)

def pytest_unconfigure():
    patch.undo()  # the run may be in the tests' process
"""


# A click is visible in the actions and screens, a toast only in the phone's events.
@pytest.mark.parametrize(
    ("kind", "outcome"), [("clicked", "passed"), ("notification_state_changed", "skipped")]
)
def test_device_without_events_is_not_an_agent_failure(project, kind, outcome):
    with (project.pytester.path / "conftest.py").open("a", encoding="utf-8") as file:
        file.write(SILENT)
    project.write(
        tasks__counter__test_counter="""
from pytest_mobileagent import open_app, tap, task

@task("Add one.", app="com.example.counter", solution=[open_app(), tap(resource_id="add")])
def test_add(episode):
    assert episode.event(type="TYPE", resource_id="add")
""".replace("TYPE", kind)
    )
    project.run_virtual("tasks", "--agent=oracle")
    (task,) = report(project)["tasks"]
    assert (task["outcome"], task["fault"]) == (outcome, None)
    assert ("has no listener, and " in task["reason"]) is (outcome == "skipped")
    assert task["skipped_for"] == ("listener" if outcome == "skipped" else None)


def test_a_device_that_breaks_under_a_body_is_not_a_failure_of_the_agent(project):
    project.write(
        tasks__counter__test_counter="""
from pytest_mobileagent import task
from pytest_mobileagent.errors import DeviceError

@task("Do nothing.")
def test_it(episode):
    raise DeviceError("it smokes")
"""
    )
    project.run("tasks", "--agent=noop").assert_outcomes(errors=1)
    (task,) = report(project)["tasks"]
    assert (task["outcome"], task["success"]) == ("error", None)
    assert task["infrastructure"] == ["it smokes"]


def test_device_that_breaks_in_a_test_is_replaced(project):
    project.write(
        tasks__counter__test_counter="""
from pytest_mobileagent import Key
from pytest_mobileagent.errors import DeviceError

def test_a_worker_that_dies(device):
    def broken(*_):
        raise DeviceError("it smokes")

    device.system.reset = broken

def test_the_next_works(device):
    device.perform(Key("home"))
"""
    )
    project.run("tasks").assert_outcomes(passed=2)


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

# Faults that break the phone: the episode is repeated on another phone, and then succeeds.
BREAKING = {
    "drop-connection --after 8": "lost the connection",
    "die --after 8": "lost the connection",
    "hang --after 8": "did not answer in time",
    "no-idle": "could not get idle state",
    "null-root": "null root node",
    "empty-dump": "no view hierarchy",
    "storage-full": "no view hierarchy",
}
# Faults that pass or hide little: one episode is enough, and it succeeds.
HARMLESS = [
    "no-idle --times 1",
    "null-root --times 4",
    "empty-dump --times 1",
    "slow 0.02",
    "black-screenshot",
    "no-screenshot",
    "hang 0.2",
]
# Faults that the agent must cope with: it needs more steps, or fails.
THE_AGENTS = {
    "missed-tap --times 2": (True, 5),
    "missed-tap": (False, 8),
    "stale-tree --times 1": (True, 4),
}


@pytest.fixture
def results(
    project: Project,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> dict[str, Any]:
    """Return the task results in the report, keyed by the fault that the task met."""
    monkeypatch.setenv("MARKERS", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path_factory.mktemp("t")))
    with (project.pytester.path / "conftest.py").open("a", encoding="utf-8") as file:
        file.write(CONFTEST)
    faults = [*BREAKING, *HARMLESS, *THE_AGENTS]
    project.write(agents__unlucky=AGENT, tasks__counter__test_counter=TASKS.format(faults=faults))
    run = project.run_apart("tasks", "--agent=unlucky", "-n2", "--mobile-retries=1")
    run.assert_outcomes(passed=len(faults) - 1, failed=1)
    document = report(project)
    assert document["summary"]["infrastructure"] == len(BREAKING)
    return {task["id"].partition("[")[2].rstrip("]"): task for task in document["tasks"]}


def test_every_fault_has_the_expected_outcome(results):
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
