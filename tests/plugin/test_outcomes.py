"""The outcomes of tasks in the terminal and in report.json."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest

from tests.plugin.projects import newest_report

PLAY = """
from pytest_mobileagent import task

@task("Play.", app="com.example.counter")
def test_play(episode):
    assert False
"""


def report(project):
    return newest_report(project.pytester.path)


def test_run_reports_every_task(project):
    result = project.run("tasks", "--agent=oracle")
    result.assert_outcomes(passed=2, failed=1)
    document = report(project)
    assert document["schema_version"] == 2
    assert document["run"]["agent"] == "oracle"
    by_id = {task["id"]: task for task in document["tasks"]}
    once, twice, code = (
        by_id[f"tasks/counter/counter/{n}"] for n in ("count[1]", "count[2]", "code")
    )
    assert (twice["outcome"], twice["success"], twice["termination"]) == (
        "passed",
        True,
        "self-reported",
    )
    assert (twice["steps"], twice["golden_steps"], twice["step_ratio"]) == (3, 2, 1.5)
    assert twice["first_success_step"] == 3
    assert (once["success"], once["premature"], once["first_success_step"]) == (False, True, 2)
    assert once["step_ratio"] is None
    assert (code["kind"], code["level"], code["first_success_step"]) == ("single-frame query", 2, 2)
    assert document["summary"]["success_rate"] == pytest.approx(2 / 3)
    assert document["summary"]["mean_step_ratio"] == pytest.approx((1.5 + 1.0) / 2)
    result.stdout.fnmatch_lines(["*mobile agent oracle*", "suite *", "counter *66.7% (2/3)*"])


def test_missing_element_is_explained(project):
    project.write(
        tasks__counter__test_counter="""
from pytest_mobileagent import open_app, task

@task("Look.", app="com.example.counter", solution=[open_app()])
def test_look(episode):
    assert episode.screen.find(text="Ad one")
"""
    )
    result = project.run("tasks", "--agent=oracle")
    result.stdout.fnmatch_lines(
        [
            'sought *text="Ad one"*',
            "closest  nothing on * has text='Ad one'; closest: <Button text='Add one'*; at step *",
            "screen *.png",
        ]
    )


def test_step_limit_ends_an_agent_that_never_stops_even_if_its_actions_are_impossible(project):
    project.write(
        agents__endless="""
from pytest_mobileagent import Agent, Tap

class Endless(Agent):
    def step(self, observation):
        return Tap(5000, 10)
"""
    )
    project.run("tasks", "--agent=endless", "-k", "code").assert_outcomes(failed=1)
    (task,) = report(project)["tasks"]
    assert (task["termination"], task["steps"], task["success"]) == ("step limit", 4, False)


def test_success_at_the_step_limit_is_overdue(project):
    project.write(
        agents__restless="""
from pytest_mobileagent import Agent, Open, Tap, Wait

class Restless(Agent):
    def step(self, observation):
        screen = observation.screen
        add = screen.find(resource_id="add")
        if not add:
            return Open("com.example.counter")
        if screen.find(text="Count: 0"):
            return Tap(*add.bounds.center)
        return Wait(0)
"""
    )
    project.run("tasks", "--agent=restless", "-k", "count and 1").assert_outcomes(passed=1)
    (task,) = report(project)["tasks"]
    assert (task["overdue"], task["steps"], task["first_success_step"]) == (True, 4, 2)


def test_task_with_missing_app_is_skipped_with_a_reason(project):
    project.write(tasks__counter__test_counter=PLAY.replace("counter", "absent"))
    result = project.run("tasks", "--agent=noop")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["skipped (1): * has no app com.example.absent; * FILE.apk"])
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED  # no task was decided
    (task,) = report(project)["tasks"]
    assert (task["outcome"], task["success"], task["skipped_for"]) == ("skipped", None, "app")
    assert "com.example.absent" in task["reason"]


def test_skipped_tasks_do_not_change_the_exit_status(project):
    project.write(tasks__counter__test_unsolved=PLAY)
    result = project.run("tasks", "--agent=oracle", "-k", "code or play")
    result.assert_outcomes(passed=1, skipped=1)
    assert [task["skipped_for"] for task in report(project)["tasks"]] == [None, "solution"]
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*skips", "counter *(1/1) * 1", "*of all 2: 50.0%"])


def test_markers_select_tasks_by_field(project):
    result = project.run(
        "tasks", "--agent=noop", "--collect-only", "-q", "-m", "mobile_task(level=2)"
    )
    result.stdout.fnmatch_lines(["*test_code", "*1/3 tests collected*"])
    assert not (project.pytester.path / "runs").exists()


@pytest.mark.parametrize("option", ["--fixtures", "--fixtures-per-test", "--setup-plan"])
def test_commands_that_only_list_tests_are_not_runs(project, option):
    result = project.run("tasks", "--agent=noop", option)
    assert result.ret == 0
    assert "result was lost" not in result.stdout.str()
    assert not (project.pytester.path / "runs").exists()


def test_project_without_tasks_is_left_alone(pytester):
    pytester.makepyfile("def test_nothing(): pass")
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*mobile*agent*=*")
    assert not (pytester.path / "runs").exists()


def test_task_without_agent_says_how_to_choose_one(project):
    result = project.run("tasks")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = filter(None, result.stderr.lines)
    assert line.startswith("ERROR: no agent was chosen, and 3 tasks need one: name it by --agent=")
    assert not (project.pytester.path / "runs").exists()


@pytest.mark.slow
def test_task_without_agent_in_a_worker_says_how_to_choose_one(project):
    result = project.pytester.runpytest_inprocess("tasks", "-n1")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines(["*no agent was chosen, and 3 tasks need one: name it*"])
    result.assert_outcomes()
    assert not (project.pytester.path / "runs").exists()


def test_other_tests_beside_tasks_need_no_agent(project):
    project.write(
        tests__test_plain="def test_plain(): pass",
        tasks__mine__conftest="""
import pytest
from pytest_mobileagent import Agent, Finish

class Mine(Agent):
    def step(self, observation):
        return Finish("4711")

@pytest.fixture
def agent():
    return Mine
""",
        tasks__mine__test_mine="""
from pytest_mobileagent import task

@task("Say it.")
def test_mine(episode):
    assert episode.answers("4711")
""",
    )
    project.run("tests", "tasks", "-k", "plain or mine").assert_outcomes(passed=2, deselected=3)
    assert project.run("tasks", "--collect-only").ret == 0


def test_test_can_drive_a_device_itself(project):
    project.write(
        tasks__counter__test_counter="""
from pytest_mobileagent import Open

def test_device(device):
    device.perform(Open("com.example.counter"))
    assert device.observe().screen.find(text="Count: 0")
"""
    )
    project.run("tasks").assert_outcomes(passed=1)


def test_tasks_of_the_same_name_have_unique_ids(project):
    body = """
from pytest_mobileagent import task

class TestOne:
    @task("Go.", app="com.example.counter")
    def test_go(self, episode): assert episode.step_count

class TestTwo(TestOne):
    pass
"""
    project.write(
        tasks__one__test_it=body, tasks__two__test_it=body, tasks__counter__test_counter=""
    )
    project.run("tasks", "--agent=noop", "--import-mode=importlib").assert_outcomes(failed=4)
    tasks = report(project)["tasks"]
    assert len({task["id"] for task in tasks}) == 4
    assert {task["suite"] for task in tasks} == {"one", "two"}
    assert len({task["episode"] for task in tasks}) == 4
    assert all(task["steps"] == 0 for task in tasks)
    assert all(task["episode"].endswith(".0") for task in tasks)


def test_agent_from_a_fixture_is_reported(project):
    project.write(
        tasks__counter__conftest="""
import pytest
from pytest_mobileagent.agent.agent import Scripted

@pytest.fixture
def agent():
    return Scripted
"""
    )
    project.run("tasks", "-k", "code").assert_outcomes(passed=1)
    assert report(project)["tasks"][0]["success"] is True


def test_unwritable_report_is_saved_elsewhere(project, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    project.write(
        tasks__counter__conftest="""
from pathlib import Path

def pytest_runtest_teardown(item):
    (run,) = (item.config.rootpath / "runs").iterdir()
    (run / "report.json").mkdir()
"""
    )
    result = project.run("tasks", "--agent=oracle", "-k", "code")
    told = "*report.json could not be written*; it is in */*.json"
    result.stdout.fnmatch_lines(["counter *100.0% (1/1)*", told])
    path = Path(result.stdout.str().partition("; it is in ")[2].split("\n")[0])
    assert json.loads(path.read_text("utf-8"))["tasks"][0]["success"] is True
    assert path.is_relative_to(tmp_path)
    assert result.ret == 1
