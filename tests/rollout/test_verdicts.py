"""Rewards are pytest's verdicts: what agents did there is done again in rollouts.

A sample of the suites is played, by another part for each agent; it depends on the commit, or is
set in the environment variable SUITES_PART ("1/1" is all).
"""

from __future__ import annotations

import contextlib
from dataclasses import replace

import pytest

pytest.importorskip("gymnasium")
from pytest_mobileagent import Finish, load
from pytest_mobileagent.rollout import MobileEnv, phones
from tests.loading import load_suites
from tests.suite.test_tasks_are_sound import READS_PICTURES, ROOT, outcomes, part, unseeing

PARTS = 80
LEFT_OUT = (READS_PICTURES, "tasks/a3", "tasks/spa_bench")  # the suites' checks ask judges
CHOSEN = ("tasks", *(f"--ignore={ROOT / each}" for each in LEFT_OUT))
AGENTS = [unseeing("oracle"), unseeing("truncated_oracle"), unseeing("noop"), "random"]


@pytest.fixture(scope="module")
def tasks():
    """Return the tasks whose verdict needs neither pytest nor a picture."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        loaded = load_suites("tasks", options=CHOSEN[1:])
    return {task.id: task for task in loaded if not task.needs}


@pytest.fixture(scope="module")
def phone(tasks):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        with phones(1, size=None) as (phone,):  # of the size that the recorded points are on
            yield phone


def replay(task, phone, episode):
    """Return the reward for the actions of a recorded episode, in a task with its parameters."""
    values = episode.case.parameters
    case = replace(task.case, task=replace(task.case.task, parameters=None), parameters=values)
    arguments = {name: values.get(name, old) for name, old in task.arguments.items()}
    drawn = replace(task, case=case, arguments=arguments)
    with contextlib.closing(MobileEnv(drawn, phone, sees="hierarchy")) as env:
        env.reset(seed=0)
        for actions in filter(None, (step.actions for step in episode.steps)):
            _, reward, *over, info = env.step(actions)
            if any(over):
                break
        else:
            _, reward, *_, info = env.step(Finish(episode.answer))
    assert not info.get("broken")
    return reward


@pytest.mark.slow  # runs pytest with a phone, and all of its episodes again
@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.rpartition(":")[2])
def test_rewards_are_the_verdicts_of_pytest(agent, tasks, phone, tmp_path):
    number, parts = map(int, part(PARTS).split("/"))
    chosen = [*tasks.values()][(number + 10 * AGENTS.index(agent)) % parts :: parts]
    told = outcomes(agent, tmp_path, *(task.case.nodeid for task in chosen))
    decided = {
        key: each for key, each in told.items() if key in tasks and each["success"] is not None
    }
    (run,) = (report.parent for report in tmp_path.glob("*/report.json"))
    rewards = {
        key: replay(tasks[key], phone, load(run / each["episode"])) for key, each in decided.items()
    }
    assert rewards == {key: float(each["success"]) for key, each in decided.items()}
    assert rewards
