"""--mobile-time-limit: the maximum time in seconds that an agent may take in an episode."""

from __future__ import annotations

import json

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
