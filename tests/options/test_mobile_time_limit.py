"""--mobile-time-limit: the maximum time in seconds that an agent may take in an episode."""

from __future__ import annotations

import json

import pytest

HANGING = """
import threading
from pytest_mobileagent import Agent

class Hanging(Agent):
    def step(self, _):
        threading.Event().wait()
"""


def test_an_agent_that_takes_longer_is_ended(project):
    project.write(agents__hanging=HANGING)
    result = project.run("tasks", "--agent=hanging", "-k", "code", "--mobile-time-limit=0.3")
    result.assert_outcomes(failed=1)
    (path,) = (project.pytester.path / "runs").glob("*/report.json")
    (task,) = json.loads(path.read_text("utf-8"))["tasks"]
    assert (task["termination"], task["success"]) == ("time limit", False)


@pytest.mark.parametrize("value", ["0", "-1", "inf", "10 minutes"])
def test_numbers_must_be_above_0(refused, value):
    assert "must be a number above 0" in refused(f"--mobile-time-limit={value}")
