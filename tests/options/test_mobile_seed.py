"""--mobile-seed: what is random is the same again with the same seed."""

import pytest

from pytest_mobileagent import load

DICE = """
import random
from pytest_mobileagent import Agent, Finish

class Dice(Agent):
    def step(self, screen):
        return Finish(str(random.Random(self.seed).random()))
"""


@pytest.fixture
def answers(project):
    project.write(agents__dice=DICE)

    def run(*arguments):
        before = set((project.pytester.path / "runs").glob("*"))
        project.run("tasks", "--agent=dice", *arguments)
        (run,) = set((project.pytester.path / "runs").glob("*")) - before
        return {(e := load(folder)).task.id: str(e.answer) for folder in run.glob("episodes/*")}

    return run


def test_the_same_seed_gives_the_same_numbers_and_each_task_its_own(answers):
    first = answers()
    assert first == answers("--mobile-seed=0")
    assert len(set(first.values())) == 3
    assert not set(first.values()) & set(answers("--mobile-seed=1").values())
