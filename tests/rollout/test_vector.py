"""Tests of many phones as one environment: groups, resets, and ends at different times."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from pytest_mobileagent import Finish, Open, Wait
from pytest_mobileagent.rollout import MobileVectorEnv

COUNTER = "com.example.counter"


@pytest.fixture
def make(fleet, named):
    made = []

    def make(count=2, *names, **options):
        tasks = [named[name] for name in names or ("count", "two")]
        made.append(MobileVectorEnv(tasks, fleet[:count], **options))
        return made[-1]

    yield make
    for env in made:
        env.close()


def test_a_group_begins_the_same_episode(make):
    with pytest.raises(ValueError, match="group=2 does not divide 3 phones"):
        make(3, group=2)
    env = make(2, group=2)
    for seed in (1, 2):
        seen, info = env.reset(seed=seed)
        assert seen["goal"][0] == seen["goal"][1]
        assert info["seed"][0] == info["seed"][1]
        assert [each.png for each in info["screen"]] == list(seen["screenshot"])
    apart = make(2)
    seeds = [apart.reset(seed=seed)[1]["seed"].tolist() for seed in (1, 2)]
    assert seeds[0][1] == seeds[1][0]
    assert seeds[0][0] != seeds[0][1]


def test_an_episode_that_is_over_stays_over_until_it_is_reset(make):
    env = make(2, "two")
    env.reset(seed=1)
    rewards, over = [], []
    for actions in ([Finish(), Wait(0)], [Wait(0), Wait(0)], [Wait(0), Wait(0)]):
        _, reward, terminated, truncated, info = env.step(actions)
        rewards.append(reward.tolist())
        over.append((terminated | truncated).tolist())
    assert rewards == [[0, 0]] * 3
    assert over == [[True, False], [True, False], [True, True]]
    assert info["termination"].tolist() == ["self-reported", "step limit"]
    _, info = env.reset(options={"reset_mask": np.array([True, False])})
    assert env.step([Open(COUNTER), Wait(0)])[2:4][0].tolist() == [False, False]


def test_gymnasiums_other_modes_reset_by_themselves(make):
    env = make(2, "two", autoreset_mode=AutoresetMode.NEXT_STEP)
    env.reset(seed=1)
    assert env.step([Finish(), Wait(0)])[2].tolist() == [True, False]
    assert env.step([Wait(0), Wait(0)])[2].tolist() == [False, False]
    assert env.step([Open(COUNTER), Wait(0)])[3].tolist() == [False, True]


def test_an_environment_may_be_reset_in_the_step_that_ends_its_episode(make):
    env = make(2, "two", autoreset_mode=AutoresetMode.SAME_STEP, pixels=True)
    first, _ = env.reset(seed=1)
    seen, _, terminated, _, info = env.step([Finish(), Open(COUNTER)])
    assert terminated.tolist() == [True, False]
    assert info["final_info"]["termination"].tolist() == ["self-reported", None]
    assert info["final_obs"][0]["goal"] == seen["goal"][0]
    assert not np.array_equal(first["screenshot"][1], seen["screenshot"][1])  # it is a new array
    assert env.step([Wait(0), Wait(0)])[2].tolist() == [False, False]
