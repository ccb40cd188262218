"""Tests of a phone as an environment: rewards, ends, forks, and what breaks."""

from __future__ import annotations

from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from pytest_mobileagent import Finish, Impossible, Open, Tap, Wait, open_app, tap
from pytest_mobileagent.device.drivers.adb.console import Console
from pytest_mobileagent.dialect import dialects
from pytest_mobileagent.errors import DeviceError, JudgeError, TaskError
from pytest_mobileagent.rollout import MobileEnv, Reward

COUNTER = "com.example.counter"
SOLVED = [open_app(COUNTER), tap(text="Add one"), tap(text="Add one")]


@pytest.fixture
def make(fleet):
    """Makes environments on the first phone, and closes them."""
    made = []

    def make(*tasks, phone=0, **options):
        made.append(MobileEnv(list(tasks), fleet[phone], **options))
        return made[-1]

    yield make
    for env in made:
        env.close()


def on(info, text):
    return Tap(*info["screen"].get(text=text).bounds.center)


def play(env, *actions, seed=1, options=None):
    """Return the results of the actions, which may be texts on the screen to tap."""
    _, info = env.reset(seed=seed, options=options)
    found = []
    for action in actions:
        found.append(env.step(on(info, action) if isinstance(action, str) else action))
        info = found[-1][4]
    return found


def test_gymnasium_finds_no_fault(make, named):
    check_env(make(named["two"], named["code"]), skip_render_check=True)


def test_the_reward_is_the_tasks_verdict_at_the_end(make, named):
    env = make(named["two"])
    *before, last = play(env, Open(COUNTER), "Add one", "Add one")
    assert [each[1:4] for each in before] == [(0.0, False, False)] * 2
    assert last[1:4] == (1.0, False, True)  # the last permitted step
    assert (last[4]["success"], last[4]["termination"]) == (True, "step limit")
    *_, last = play(env, Open(COUNTER), "Add one", Finish())
    assert last[1:4] == (0.0, True, False)
    assert "assert 1 == 2" in last[4]["reason"]
    env = make(named["code"])
    for report, reward in ((Finish("4711"), 1.0), (Finish("4712"), 0.0), (Impossible(), 0.0)):
        assert play(env, report)[0][1:4] == (reward, True, False)


def test_progress_is_the_change_of_credit_and_a_false_finish_costs(make, named):
    reward = Reward(success=2, progress=1, false_finish=-0.25)
    results = play(make(named["count"], reward=reward), Open(COUNTER), "Add one", Finish())
    assert results[-1][4]["parameters"]["number"] > 1
    assert [each[1] for each in results] == [0.0, 0.5, -0.25]
    results = play(make(named["stop"]), Open(COUNTER), "Add one")  # It stops on success.
    assert [each[1:4] for each in results] == [(0.0, False, False), (1.0, True, False)]


def test_a_judge_may_decide(make, named):
    env = make(named["nice"], judge=lambda episode: episode.step_count == 1)
    assert play(env, Wait(0), Finish())[-1][1] == 1.0
    with pytest.raises(TaskError, match="asks for judge, which only pytest can provide"):
        make(named["nice"]).reset()


def test_a_models_words_are_actions_through_a_dialect(make, named):
    env = make(named["code"], dialect=dialects()["androidworld"]())
    words = 'Reason: done\nAction: {"action_type": "answer", "text": "4711"}'
    assert env.action_space.contains(words)
    env.reset()
    assert not env.step(words)[4].get("broken")
    assert env.episode.steps[0].said == words
    env.reset()
    assert env.step("nothing readable")[4]["notice"] == "no action could be found in your reply"
    plain = make(named["code"])
    plain.reset()
    with pytest.raises(TypeError, match="dialect="):
        plain.step("words")


def test_observations_are_pictures_or_pixels(make, named):
    picture = make(named["two"]).reset(seed=1)[0]
    assert picture["screenshot"].startswith(b"\x89PNG")
    assert picture["goal"] == "Count to two."
    assert "<hierarchy" in picture["hierarchy"]
    pixels = make(named["two"], pixels=True).reset(seed=1)[0]["screenshot"]
    assert (pixels.shape, pixels.dtype) == ((1600, 720, 3), np.uint8)


def test_agents_see_only_what_they_are_permitted_to(make, named):
    env = make(named["two"], sees="hierarchy")
    seen, info = env.reset(seed=1)
    assert seen in env.observation_space
    assert set(seen) == {"goal", "hierarchy"}
    assert info["screen"].png == b""
    assert env.step(Open(COUNTER))[4]["screen"].find(text="Add one") is not None
    env.close()
    env = make(named["stop"], sees="screenshot")
    seen, info = env.reset(seed=1)
    assert seen in env.observation_space
    assert set(seen) == {"goal", "screenshot"}
    info = env.step(Open(COUNTER))[4]
    assert not info["screen"].elements
    button = env.episode.screen.get(text="Add one").bounds.center
    assert env.step(Tap(*button))[1:4] == (1.0, True, False)  # the check sees all
    assert env.episode.sees == "screenshot"
    judged = make(named["nice"], sees="hierarchy", judge=lambda episode: bool(episode.screen.png))
    assert play(judged, Finish())[-1][1] == 1.0
    with pytest.raises(ValueError, match="sees='nothing' must be one of"):
        make(named["two"], sees="nothing")


def test_the_same_seed_begins_the_same_episode(make, named):
    tasks = [task for task in named.values() if not task.needs]
    one, other = make(*tasks), make(*tasks, phone=2)
    for seed in (1, 2):
        (seen, info), (also, too) = (env.reset(seed=seed) for env in (one, other))
        assert seen["goal"] == also["goal"]
        assert all(info[name] == too[name] for name in ("task", "parameters", "seed"))
    chosen = one.reset(options={"task": named["code"].id})[1]
    assert chosen["task"] == named["code"].id
    with pytest.raises(ValueError, match="there is no task 'x'; there are"):
        one.reset(options={"task": "x"})


def test_forks_are_identical_and_then_independent(make, named, fleet):
    env = make(named["two"])
    _, info = env.reset(seed=1)
    env.step(Open(COUNTER))
    info = env.step(on(env._info(), "Add one"))[4]
    fork = env.fork(fleet[1])
    for each in (env, fork):
        assert each._info()["screen"].get(text="Count: 1")
    results = [each.step(action) for each, action in ((env, Wait(0)), (fork, on(info, "Add one")))]
    assert [each[1] for each in results] == [0.0, 1.0]
    assert len(fork.episode.steps) == len(env.episode.steps) == 3
    fork.close()
    assert [screen.png for screen in env.episode.screens]  # not those of the fork


def test_only_phones_of_one_process_fork(make, named, fleet):
    env = make(named["two"])
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.fork(fleet[1])
    env.reset(seed=1)
    with pytest.raises(DeviceError, match="cannot be forked on"):
        env.fork(fleet[2])


def test_a_broken_phone_is_no_failure_of_the_agent(make, named, fleet):
    env = make(named["two"], phone=2)
    env.reset(seed=1)
    console = Console(fleet[2].device().system.address)
    console.kill()
    steps = (env.step(Open(COUNTER)) for _ in range(3))
    _, reward, terminated, truncated, info = next(each for each in steps if "broken" in each[4])
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["broken"]
    assert "success" not in info
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(Wait(0))
    assert play(env, Open(COUNTER))[0][4]["screen"].find(text="Add one")


def test_a_suite_can_be_made_by_its_name(project, monkeypatch):
    monkeypatch.chdir(project)
    env = gymnasium.make("mobileagent/Suite-v0", suite="tasks/counter", split="train")
    _, info = env.reset(seed=1)
    assert info["task"].startswith("tasks/counter") or info["task"].startswith("counter")
    env.close()


@pytest.fixture
def solved(named):
    """Return a task with a solution."""
    case = named["two"].case
    task = replace(case.task, step_limit=5, solution=SOLVED)
    return replace(named["two"], case=replace(case, task=task), step_limit=5)


def test_side_effects_cost_less_those_of_the_solution(make, solved):
    env = make(solved, reward=Reward(side_effects=-0.25))
    clean = play(env, Open(COUNTER), "Add one", "Add one", Finish())[-1]
    assert (clean[1], clean[4]["side_effects"].count) == (1.0, 0)
    env.reset(seed=1)
    env.phone.device().system.shell("settings put system screen_off_timeout 7000")
    reward, _, _, info = env.step(Finish())[1:]
    assert (reward, info["side_effects"].count) == (-0.25, 1)


def test_a_forks_side_effects_and_success_are_its_own(make, solved, named, fleet):
    env = make(solved, reward=Reward(side_effects=-0.25))
    env.reset(seed=1)
    fork = env.fork(fleet[1])
    fork.phone.device().system.shell("settings put system screen_off_timeout 7000")
    assert [each.step(Finish())[1] for each in (env, fork)] == [0, -0.25]
    fork.close()
    env = make(named["stop"])
    env.reset(seed=1)
    button = on({"screen": env.step(Open(COUNTER))[4]["screen"]}, "Add one")
    fork = env.fork(fleet[1])
    assert fork.step(button)[1:4] == (1.0, True, False)
    assert env.step(Wait(0))[1:4] == (0.0, False, False)
    fork.close()


def test_an_error_of_the_task_or_the_judge_is_no_failure_of_the_agent(make, named):
    def down(_):
        raise JudgeError("the judge is down")

    def broken(**_):
        raise LookupError("nothing")

    env = make(named["nice"], judge=down)
    assert play(env, Finish())[-1][1:4] == (0.0, False, True)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(Wait(0))
    *_, truncated, info = play(make(replace(named["two"], body=broken)), Finish())[-1]
    assert (truncated, "success" in info) == (True, False)
    assert "its body raised LookupError: nothing" in info["broken"]
