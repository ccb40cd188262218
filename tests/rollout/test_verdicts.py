"""Rewards are pytest's verdicts: what agents did there is done again in rollouts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("gymnasium")
from pytest_mobileagent import Finish, load
from pytest_mobileagent.rollout import MobileEnv, load_tasks, phones

ROOT = Path(__file__).parents[2]
SUITES = ("tasks/notes", "tasks/files", "tasks/phone", "tasks/shop")


def replay(env, task, episode):
    """Return the reward for the actions of a recorded episode."""
    env.reset(seed=0, options={"task": task})
    for step in (*(step.actions for step in episode.steps if step.actions), Finish(episode.answer)):
        _, reward, *over, info = env.step(step)
        if any(over):
            assert not info.get("broken")
            return reward
    raise AssertionError(f"{task} did not end")


@pytest.mark.slow  # runs pytest with a phone, and all of its episodes again
@pytest.mark.parametrize("agent", ["oracle", "truncated_oracle", "noop"])
def test_rewards_are_the_verdicts_of_pytest(agent, tmp_path, monkeypatch):
    options = [f"--agent={agent}", f"--mobile-runs={tmp_path}", "-q", "-p", "no:cacheprovider"]
    subprocess.run([sys.executable, "-m", "pytest", *SUITES, *options], cwd=ROOT, check=False)
    (report,) = tmp_path.glob("*/report.json")
    told = json.loads(report.read_text("utf-8"))["tasks"]
    monkeypatch.chdir(ROOT)
    tasks = load_tasks(*SUITES)
    assert {task.id for task in tasks} == {each["id"] for each in told}
    with phones(1, size=None) as fleet:  # of the size that the recorded points are on
        env = MobileEnv(tasks, fleet[0], sees="hierarchy")
        found = {each["id"]: replay(env, each["id"], load(report.parent / each["episode"]))
                 for each in told}  # fmt: skip
        env.close()
    assert found == {each["id"]: float(each["success"]) for each in told}
    assert set(found.values()) == {float(agent == "oracle")}
