"""--mobile-retries: how often an episode is repeated if its device or worker breaks."""

from __future__ import annotations

import json

import pytest

BROKEN = """
import pytest
from pytest_mobileagent.errors import DeviceError

class Lease:
    def get(self):
        raise DeviceError("it smokes")
    def give_up(self):
        return ""

@pytest.fixture(scope="session")
def mobile_lease():
    return Lease()
"""


@pytest.mark.parametrize(
    ("arguments", "attempts"), [([], 2), (["--mobile-retries=0"], 1), (["--mobile-retries=2"], 3)]
)
def test_that_number_of_attempts_follows_the_first(project, arguments, attempts):
    project.write(tasks__counter__conftest=BROKEN)
    result = project.run("tasks", "--agent=noop", "-k", "code", *arguments)
    result.assert_outcomes(errors=1)
    (path,) = (project.pytester.path / "runs").glob("*/report.json")
    (task,) = json.loads(path.read_text("utf-8"))["tasks"]
    assert len(task["infrastructure"]) == attempts


@pytest.mark.parametrize("value", ["-1", "1.5", "always"])
def test_the_value_must_be_a_whole_number(refused, value):
    assert "must be a whole number from 0" in refused(f"--mobile-retries={value}")
