"""--mobile-max-steps: the maximum number of steps in an episode."""

import json

import pytest

ENDLESS = """
from pytest_mobileagent import Agent, Key

class Endless(Agent):
    def step(self, observation):
        return Key("home")
"""


@pytest.mark.parametrize(
    ("arguments", "steps"), [(["--mobile-max-steps=1"], 1), (["--mobile-max-steps=9"], 4)]
)
def test_the_agent_gets_that_number_of_steps(project, arguments, steps):
    project.write(agents__endless=ENDLESS)
    project.run("tasks", "--agent=endless", "-k", "code", *arguments).assert_outcomes(failed=1)
    (path,) = (project.pytester.path / "runs").glob("*/report.json")
    (task,) = json.loads(path.read_text())["tasks"]
    assert (task["steps"], task["termination"]) == (steps, "step limit")
