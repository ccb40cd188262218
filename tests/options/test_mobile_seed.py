"""--mobile-seed: the same seed reproduces all random values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.options.asking import Asking

DICE = """
import random
from pytest_mobileagent import Agent, Finish

class Dice(Agent):
    def start(self, briefing):
        self.seed = briefing.seed

    def step(self, observation):
        return Finish(str(random.Random(self.seed).random()))
"""
TASKS = """
import pytest
from pytest_mobileagent import task

@pytest.mark.parametrize("kind", ["odd", "even"])
@task("Count to {to}.", parameters=lambda random: {"to": random.randrange(10**6)})
def test_count(episode, kind, to):
    assert episode.goal == f"Count to {to}."
"""


@pytest.fixture
def drawn(asking: Asking) -> Callable[..., dict[str, tuple[int, str]]]:
    """Runs tasks that draw values; returns the value and the agent's number by node id."""
    asking.pytester.makepyfile(asking=DICE, test_codes=TASKS)

    def run(*arguments: str) -> dict[str, Any]:
        asking.run("--mobile-epochs=2", *arguments, agent="Dice").assert_outcomes(passed=4)
        tasks = asking.report()["tasks"]
        return {task["nodeid"]: (task["parameters"]["to"], task["answer"]) for task in tasks}

    return run


def test_the_same_seed_gives_the_same_numbers_and_each_task_and_epoch_its_own(drawn):
    first, again, other = drawn(), drawn("--mobile-seed=0"), drawn("--mobile-seed=1")
    assert first == again
    assert first.keys() == other.keys()
    # Both tasks draw the same value in an epoch, but each has a seed of its own for the agent.
    for place, distinct in ((0, 4), (1, 8)):
        assert len({each[place] for run in (first, other) for each in run.values()}) == distinct


@pytest.mark.slow
def test_workers_draw_the_same_values(drawn):
    assert drawn("-n", "1") == drawn()
