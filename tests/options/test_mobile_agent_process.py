"""--mobile-agent-process: whether agents run in a separate process."""

from __future__ import annotations

import os

import pytest

PLACED = """
import os
from pytest_mobileagent import Agent, Finish

class Placed(Agent):
    def step(self, _):
        return Finish(str(os.getpid()))
"""
TASK = """
from pytest_mobileagent import task

@task("Where are you?", app="com.example.counter")
def test_place(episode):
    assert str(episode.answer) == {pid!r}
"""


@pytest.mark.parametrize(("value", "outcome"), [("on", "failed"), ("off", "passed")])
def test_only_without_it_the_agent_shares_the_process_of_pytest(project, value, outcome):
    project.write(agents__placed=PLACED, tasks__test_place=TASK.format(pid=str(os.getpid())))
    option = f"--mobile-agent-process={value}"
    result = project.run("tasks/test_place.py", "--agent=placed", option)
    result.assert_outcomes(**{outcome: 1})
