"""Tests of tasks for rollouts: how they are collected, drawn and split."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pytest_mobileagent import Finish
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.rollout import load_tasks, split
from tests.loading import load_suites

ROOT = Path(__file__).parents[2]


def test_tasks_are_those_that_pytest_collects(named):
    assert list(named) == ["count", "two", "code", "stop", "nice"]
    assert (named["count"].goal, named["count"].step_limit) == ("Count to {number}.", 6)
    assert named["two"].apps == ("com.example.counter",)
    assert {name: set(task.needs) for name, task in named.items() if task.needs} == {
        "nice": {"judge"}
    }


def test_options_of_pytest_select_and_what_it_cannot_collect_is_an_error(project, tmp_path):
    assert len(load_tasks("tasks", root=project, options=["-k", "two or code"])) == 2
    with pytest.raises(TaskError, match=r"no tasks at .*tasks/nothing, which does not exist"):
        load_tasks("tasks/nothing", root=project)
    (tmp_path / "test_broken.py").write_text(
        "from pytest_mobileagent import task\n@task('Go.', level='x')\ndef test_a(episode): pass\n"
    )
    with pytest.raises(TaskError, match=r"(?s)cannot be collected from test_broken.py: .*level="):
        load_tasks("test_broken.py", root=tmp_path)


def test_a_seed_draws_the_same_values_everywhere(named):
    task = named["count"]
    drawn = [task.at(seed) for seed in range(30)]
    assert len({each.case.parameters["number"] for each in drawn}) > 15
    assert all(each.arguments == each.case.parameters for each in drawn)
    assert {each.id for each in drawn} == {task.id}
    assert task.at(7).case == task.at(7).case
    assert named["two"].at(7) is named["two"]


def test_a_split_by_parameters_shares_no_values(named):
    train, test = split([named["count"]], "parameters")
    values = [{side[0].at(seed).case.parameters["number"] for seed in range(200)}
              for side in (train, test)]  # fmt: skip
    assert not values[0] & values[1]
    assert len(values[0]) > len(values[1]) > 5
    for given in ({"by": "level"}, {"test": 0}, {"test": 1.5}):
        with pytest.raises(ValueError, match="by is one of"):
            split([named["count"]], **given)


@pytest.mark.parametrize("by", ["parameters", "task", "app"])
def test_a_split_is_disjoint_and_stays_when_tasks_are_added(named, by):
    tasks = [replace(named["two"], case=replace(named["two"].case, id=f"t/{n}",
                     task=replace(named["two"].case.task, apps=(f"com.app{n % 9}",))))
             for n in range(60)]  # fmt: skip
    train, test = split(tasks, by, test=0.3)
    assert len(train) + len(test) == 60
    assert train
    assert test
    first = split(tasks[:20], by, test=0.3)
    assert [each.id for each in first[1]] == [e.id for e in test if int(e.id[2:]) < 20]
    if by == "app":
        assert not {each.apps for each in train} & {each.apps for each in test}
    assert split(tasks, by, test=0.3, seed=1)[1] != test


def test_a_side_without_values_is_an_error(named):
    def drawing(draw):
        case = named["count"].case
        return replace(named["count"], case=replace(case, task=replace(case.task, parameters=draw)))

    task = drawing(lambda dice: {"number": 1})
    sides = split([task], "parameters")
    with pytest.raises(TaskError, match="none of 1000 draws of its parameters"):
        [side[0].at(0) for side in sides]
    with pytest.raises(TaskError, match="/count: its parameters= raised AttributeError"):
        drawing(lambda dice: dice.nothing).at(0)
    assert (
        drawing(lambda dice, seed, epoch: {"number": seed + epoch}).at(7).arguments["number"] == 7
    )


def test_a_body_that_asks_for_a_judge_gets_one(named, make_episode):
    episode = make_episode(Finish())
    with pytest.raises(TaskError, match="its body raised TypeError"):
        named["nice"].decide(episode)
    assert named["nice"].decide(episode, lambda _: True).held
    assert not named["nice"].decide(episode, lambda _: False).held


def test_bodies_that_judges_decide_are_decided_without_pytest(make_episode, monkeypatch):
    """Some ask a judge, and some have a judge or an official evaluation beside their own check."""
    monkeypatch.chdir(ROOT)
    every = load_suites("tasks/spa_bench", "tasks/a3")
    judged = [task for task in every if task.needs and not task.case.task.probes]
    assert len(judged) > 500
    decided = []
    for task in judged:
        asked: list[object] = []
        about = {"case": task.case, "goal": task.goal, "started": datetime.now(UTC)}
        episode = make_episode(Finish(), **about)
        decided.append(task.decide(episode, lambda _, asked=asked, **more: not asked.append(more)))
        assert decided[-1].held == bool(asked), task.id
    assert sum(each.held for each in decided) > 400
