"""Tasks that are broken: said so, and before anyone's agent is blamed."""

from __future__ import annotations

import json

import pytest


def report(project):
    (path,) = (project.pytester.path / "runs").glob("*/report.json")
    return json.loads(path.read_text("utf-8"))


def test_a_broken_task_says_so_before_the_agent_is_blamed(project):
    project.write(
        tasks__counter__test_counter="""
from pytest_mobileagent import open_app, tap, task

@task("Press it.", app="com.example.counter", solution=[open_app(), tap(text="Absent")])
def test_press(episode):
    assert True

@task("Say {word}.", app="com.example.counter")
def test_say(episode):
    assert True
"""
    )
    result = project.run("tasks", "--agent=oracle")
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(
        [
            "*the task is broken: move 2 of the solution, tap(text='Absent')*",
            "*cannot fill 'Say {word}.'*",
        ]
    )
    assert {task["success"] for task in report(project)["tasks"]} == {None}


def test_a_task_file_that_cannot_be_imported_names_the_field(project):
    project.write(
        tasks__counter__test_counter="""
from pytest_mobileagent import task

@task("Go.", kind="operatoin")
def test_go(episode): pass
"""
    )
    result = project.run("tasks", "--agent=noop")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*kind='operatoin' is none of*did you mean 'operation'?*"])


def test_a_method_of_unittest_is_told_what_to_be_instead(project):
    project.write(
        tasks__counter__test_counter="""
import unittest
from pytest_mobileagent import task

class TestCounter(unittest.TestCase):
    def test_it(self, episode): pass

    @task("Press it.", app="com.example.counter")
    def test_press(self, episode): pass

    def test_sum(self): self.assertEqual(1 + 1, 2)

class TestOthers:
    @task("Press it.", app="com.example.counter")
    def test_press(self, episode): assert True
"""
    )
    result = project.run("tasks", "--agent=noop")
    result.assert_outcomes(passed=2, errors=2)
    text = result.stdout.str()
    assert "TypeError" not in text
    for name in ("test_it", "test_press"):
        assert f"make {name} a function of the module, or let TestCounter inherit from" in text


def test_a_test_that_is_no_task_cannot_ask_for_an_episode(project):
    project.write(tasks__counter__test_counter="def test_it(episode): pass")
    result = project.run("tasks", "--agent=noop")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*is no task: give it @task*"])


BROKEN_TASKS = {
    "a field": (
        '@pytest.mark.mobile_task("Go.", kind="bogus")\ndef test_go(episode): pass',
        "*kind='bogus' is none of*",
    ),
    "positions": (
        '@pytest.mark.mobile_task("Go.", "com.app")\ndef test_go(episode): pass',
        "*fields are given by name, not 'com.app'*",
    ),
    "no episode": (
        '@task("Go.")\ndef test_go(): pass',
        "*test_go is a task but does not ask for `episode`*",
    ),
    "async": ('@task("Go.")\nasync def test_go(episode): pass', "*test_go is asynchronous*"),
}


@pytest.mark.parametrize("what", BROKEN_TASKS)
def test_a_task_that_cannot_be_decided_is_a_collection_error(project, what):
    source, message = BROKEN_TASKS[what]
    imports = "import pytest\nfrom pytest_mobileagent import task\n\n"
    project.write(tasks__counter__test_broken=imports + source)
    result = project.run("tasks", "--agent=noop")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([message])
