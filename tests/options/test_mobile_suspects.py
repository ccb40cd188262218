"""mobile_suspects: how tasks count that break their phone in every attempt."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.report.recorded_run import recorded_run

if TYPE_CHECKING:
    from tests.project import Project

AGENT = """
from pytest_mobileagent import Agent, Finish, Key

class Smoking(Agent):
    "Presses home for the task of the code, at which the phone breaks (see conftest.py)."

    def start(self, briefing):
        self.goal = briefing.goal

    def step(self, observation):
        return Key("home") if "code" in self.goal else Finish("done")
"""

# The phone is shared by all tests of this process, so it must not really break.
BREAKING = """
import pytest
from pytest_mobileagent import Key
from pytest_mobileagent.device.drivers.adb.adb_device import AdbDevice
from pytest_mobileagent.errors import DeviceError

@pytest.fixture(autouse=True, scope="session")
def breaking():
    perform = AdbDevice.perform
    def broken(self, action):
        if isinstance(action, Key):
            raise DeviceError("it smokes")
        return perform(self, action)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AdbDevice, "perform", broken)
        yield
"""
EASY = """
from pytest_mobileagent import task

@task("Say so.", app="com.example.counter")
def test_easy(episode):
    assert episode.answers("done")
"""


@pytest.fixture
def smoking(project: Project) -> Project:
    """A project of four tasks: two fail, one passes, and one breaks its phone."""
    project.write(agents__smoking=AGENT, tasks__counter__test_easy=EASY)
    with (project.pytester.path / "conftest.py").open("a", encoding="utf-8") as file:
        file.write(BREAKING)
    return project


def runs(project):
    return sorted((project.pytester.path / "runs").iterdir(), key=lambda run: run.stat().st_mtime)


def report(run):
    return json.loads((run / "report.json").read_text("utf-8"))


def suspects(tasks):
    return [task for task in tasks if task["suspect"]]


def run(project, *arguments):
    return project.run("tasks", "--agent=smoking", *arguments)


def test_by_default_they_are_errors_and_listed_apart(smoking):
    result = run(smoking, "--junitxml=junit.xml")
    result.assert_outcomes(passed=1, failed=2, errors=1)
    result.stdout.fnmatch_lines(
        [
            "suspects: 1 task broke phone or worker in every attempt, where others did not:",
            "*code*broke its phone in 2 of 2 attempts: the agent?",
            "  with it as failures: success rate 25.0% (1/4): mobile_suspects=fail",
        ]
    )
    (folder,) = runs(smoking)
    document = report(folder)
    (task,) = suspects(document["tasks"])
    assert (task["outcome"], task["success"], task["fault"]) == ("error", None, "infrastructure")
    assert [each["end"] for each in task["attempts"]] == ["device broke"] * 2
    assert document["summary"]["success_rate"] == pytest.approx(1 / 3)
    assert document["summary"]["success_rate_with_suspects"] == 0.25
    assert "broke its phone in 2 of 2 attempts" in (folder / "summary.md").read_text("utf-8")
    root = ET.parse(smoking.pytester.path / "junit.xml").getroot()
    cases = {case.get("name"): case for case in root.iter("testcase")}
    told = {
        name: {each.get("name"): each.get("value") for each in case.iter("property")}
        for name, case in cases.items()
    }
    others = dict.fromkeys(("test_easy", "test_count[1]", "test_count[2]"), "False")
    assert {name: told[name]["mobile_suspect"] for name in told} == {"test_code": "True", **others}
    assert cases["test_code"].find("error") is not None


def test_counted_as_failures_they_are_failures_everywhere(smoking):
    result = run(smoking, "-omobile_suspects=fail", "--mobile-exit=run", "--junitxml=junit.xml")
    result.assert_outcomes(passed=1, failed=3)
    assert result.ret == 0  # every task was decided
    document = report(*runs(smoking))
    (task,) = suspects(document["tasks"])
    assert (task["outcome"], task["success"], task["fault"]) == ("failed", False, "agent")
    assert document["summary"]["success_rate"] == 0.25
    root = ET.parse(smoking.pytester.path / "junit.xml").getroot()
    (suite,) = root.iter("testsuite")
    assert (suite.get("failures"), suite.get("errors")) == ("3", "0")
    (case,) = (case for case in root.iter("testcase") if case.get("name") == "test_code")
    told = {each.get("name"): each.get("value") for each in case.iter("property")}
    assert (told["mobile_suspect"], told["mobile_outcome"]) == ("True", "failed")
    assert case.find("failure") is not None


@pytest.mark.slow
def test_a_finished_run_can_be_counted_again(smoking):
    run(smoking)
    again = run(smoking, "--mobile-rescore=runs", "-omobile_suspects=fail")
    again.assert_outcomes(passed=1, failed=3)
    first, second = runs(smoking)
    assert [task["outcome"] for task in suspects(report(second)["tasks"])] == ["failed"]
    assert [task["outcome"] for task in suspects(report(first)["tasks"])] == ["error"]


@pytest.mark.slow
def test_a_resumed_run_counts_them_as_it_did(smoking):
    run(smoking, "-omobile_suspects=fail")
    again = run(smoking, "--mobile-resume=runs")
    again.stdout.fnmatch_lines(["4 reused, 0 run"])
    (folder,) = runs(smoking)
    assert [task["outcome"] for task in suspects(report(folder)["tasks"])] == ["failed"]


@pytest.mark.slow
def test_a_resumed_run_knows_all_attempts(smoking):
    run(smoking, "--mobile-retries=0")
    run(smoking, "--mobile-retries=1", "--mobile-resume=runs")
    (folder,) = runs(smoking)
    (task,) = suspects(report(folder)["tasks"])
    assert len(task["attempts"]) == 3
    (folder / "report.json").unlink()  # as if the run had been killed
    (known,) = (each for each in recorded_run(folder).tasks if each.suspect)
    assert known.attempts == task["attempts"]
