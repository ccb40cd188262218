"""mobile_max_infra: a run stops when its infrastructure fails too often."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.project import Project

BROKEN = """
import pytest
from pytest_mobileagent.errors import DeviceError

class Broken:
    info = None
    system = property(lambda self: self)
    def reset(self, snapshot, apps):
        raise DeviceError("it smokes")

class Lease:
    def get(self):
        return Broken()
    def give_up(self):
        return ""

@pytest.fixture(scope="session")
def mobile_lease():
    return Lease()
"""


@pytest.fixture
def smoking(project: Project) -> Project:
    """A project in which every device breaks."""
    with (project.pytester.path / "conftest.py").open("a", encoding="utf-8") as file:
        file.write(BROKEN)
    return project


def report(project):
    (path,) = (project.pytester.path / "runs").glob("*/report.json")
    return json.loads(path.read_text("utf-8"))


@pytest.mark.parametrize(
    "workers",
    [
        pytest.param([], id="alone"),
        pytest.param(["-n1"], marks=pytest.mark.slow, id="workers"),
    ],
)
def test_the_run_stops_with_status_9(smoking, workers):
    arguments = ["tasks", "--agent=noop", "-omobile_max_infra=2", *workers]
    result = smoking.pytester.runpytest_inprocess(*arguments)
    assert result.ret == 9
    result.stdout.fnmatch_lines(["*infrastructure broke * times (mobile_max_infra=2)*"])
    tasks = report(smoking)["tasks"]
    ran = [task for task in tasks if task["outcome"] != "not run"]
    # A worker that is told to stop already has some of its next tests.
    assert 1 <= len(ran) <= (3 if workers else 1)
    assert len(tasks) == 3
    assert all(task["infrastructure"] == ["it smokes", "it smokes"] for task in ran)


def test_without_it_every_task_is_tried(smoking):
    result = smoking.pytester.runpytest_inprocess("tasks", "--agent=noop", "--mobile-retries=0")
    result.assert_outcomes(errors=3)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert report(smoking)["summary"]["infrastructure"] == 3


def test_an_error_fixed_by_a_retry_is_counted_anyway(project):
    with (project.pytester.path / "conftest.py").open("a", encoding="utf-8") as file:
        file.write(
            """
import pytest
from pytest_mobileagent.device.drivers.adb.system import AdbSystem
from pytest_mobileagent.errors import DeviceError

@pytest.fixture(autouse=True, scope="session")
def once():
    reset, calls = AdbSystem.reset, []
    def broken(self, *arguments):
        calls.append(1)
        if len(calls) == 1:
            raise DeviceError("it smokes")
        return reset(self, *arguments)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AdbSystem, "reset", broken)
        yield
"""
        )
    result = project.run("tasks", "--agent=oracle", "-k", "code", "-omobile_max_infra=2")
    result.assert_outcomes(passed=1)
    assert result.ret == 0
    (task,) = report(project)["tasks"]
    assert task["infrastructure"] == ["it smokes"]
