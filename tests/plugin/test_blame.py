"""Whose fault it is: the agent's, the task's or the device's."""

from __future__ import annotations

import json

import pytest


def report(project):
    (path,) = (project.pytester.path / "runs").glob("*/report.json")
    return json.loads(path.read_text("utf-8"))


MISTAKES = {
    "returns": ("return False", "*the body of a task decides by assert*"),
    "criteria": ("assert episode.screen.find(txt='x')", "*no criterion 'txt'; did you mean*"),
    "probe": ("assert episode.probe('alarm')", "*the task has no probe 'alarm'*"),
    "tapped": ("assert episode.tapped('Save')", "*takes criteria such as text=*"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_a_body_is_no_failure_of_the_agent(project, mistake):
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


def test_a_misspelt_snapshot_is_the_tasks_mistake(project):
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


# A click is told by the actions and the screens, a toast by the phone only.
@pytest.mark.parametrize(
    ("kind", "outcome"), [("clicked", "passed"), ("notification_state_changed", "skipped")]
)
def test_a_device_that_tells_no_events_is_not_the_agents_failure(project, kind, outcome):
    with (project.pytester.path / "conftest.py").open("a", encoding="utf-8") as file:
        file.write(
            "from pytest_mobileagent.device.drivers.adb.listener import EventStream\n"
            "EventStream.start = lambda stream, run: None\n"
        )
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


def test_a_device_that_breaks_under_a_body_is_no_failure_of_the_agent(project):
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


def test_a_device_that_breaks_in_a_test_that_drives_it_is_replaced(project):
    project.write(
        tasks__counter__test_counter="""
from pytest_mobileagent import Key
from pytest_mobileagent.errors import DeviceError

def test_it_dies(device):
    def broken(*_):
        raise DeviceError("it smokes")

    device.system.reset = broken

def test_the_next_works(device):
    device.perform(Key("home"))
"""
    )
    project.run("tasks").assert_outcomes(passed=2)
