"""--mobile-seed: the same seed reproduces all random values."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import load

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.project import Project

DICE = """
import random
from pytest_mobileagent import Agent, Finish

class Dice(Agent):
    def start(self, briefing):
        self.seed = briefing.seed

    def step(self, observation):
        return Finish(str(random.Random(self.seed).random()))
"""


@pytest.fixture
def answers(project: Project) -> Callable[..., dict[str, str]]:
    project.write(agents__dice=DICE)

    def run(*arguments):
        before = set((project.pytester.path / "runs").glob("*"))
        project.run("tasks", "--agent=dice", *arguments)
        (run,) = set((project.pytester.path / "runs").glob("*")) - before
        return {(e := load(folder)).case.id: str(e.answer) for folder in run.glob("episodes/*")}

    return run


def test_the_same_seed_gives_the_same_numbers_and_each_task_its_own(answers):
    first = answers()
    assert first == answers("--mobile-seed=0")
    assert len(set(first.values())) == 3
    assert not set(first.values()) & set(answers("--mobile-seed=1").values())


DRAWS = """
from pytest_mobileagent import task

@task("Count to {to}.", parameters=lambda random: {"to": random.randrange(1000)})
def test_count(episode, to):
    assert episode.goal == f"Count to {to}."
"""


@pytest.fixture
def drawn(project: Project) -> Callable[..., dict[str, Any]]:
    """Runs a task that draws its values; returns the values by node id."""
    project.write(tasks__counter__test_counter=DRAWS)

    def run(*arguments):
        before = set((project.pytester.path / "runs").glob("*"))
        project.run("tasks", "--agent=noop", "--mobile-epochs=3", *arguments)
        (run,) = set((project.pytester.path / "runs").glob("*")) - before
        tasks = json.loads((run / "run.json").read_text())["tasks"]
        return {task["nodeid"]: task["parameters"]["to"] for task in tasks}

    return run


def test_drawn_values_are_the_same_with_the_same_seed_and_others_in_each_epoch(drawn):
    first, again, other = drawn(), drawn("--mobile-seed=0"), drawn("--mobile-seed=1")
    assert first == again
    assert len(set(first.values())) == 3
    assert first.keys() == other.keys()
    assert first.values() != other.values()
    assert not set(first.values()) & set(other.values())


@pytest.mark.slow
def test_workers_draw_the_same_values(drawn, project):
    alone = drawn()
    assert drawn("-n", "1") == alone
