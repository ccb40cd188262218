"""mobile_step_factor: the step limit of a task, as a multiple of its golden steps."""

from __future__ import annotations

import json

import pytest

ENDLESS = """
from pytest_mobileagent import Agent, Key

class Endless(Agent):
    def step(self, _):
        return Key("home")
"""


@pytest.mark.parametrize(("arguments", "steps"), [([], 4), (["-omobile_step_factor=1.5"], 3)])
def test_the_agent_gets_that_multiple_of_the_golden_steps(project, arguments, steps):
    project.write(agents__endless=ENDLESS)
    project.run("tasks", "--agent=endless", "-k", "code", *arguments).assert_outcomes(failed=1)
    (path,) = (project.pytester.path / "runs").glob("*/report.json")
    (task,) = json.loads(path.read_text("utf-8"))["tasks"]
    assert (task["steps"], task["termination"]) == (steps, "step limit")
