"""Tests of which runs can be ranked together, and which places their tasks leave open."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Case, Task
from pytest_mobileagent.report.html.leaderboard import LEVEL, rank
from pytest_mobileagent.report.recorded_run import RecordedRun
from tests.report.conftest import make

if TYPE_CHECKING:
    from collections.abc import Sequence


ALIKE = dict.fromkeys(
    ("tasks", "checks", "apps", "device", "environments", "seeds", "limits", "plugin"), "same"
)


@pytest.fixture
def run(tmp_path):
    """Return a function that makes a run, given the number of passed epochs of each task."""
    numbers = count()

    def made(
        passed: Sequence[int], *, epochs: int = 5, goal: str = "Do it.", skip: int = 0, **more: Any
    ) -> RecordedRun:
        tasks = [
            make(epoch < passes, id=f"t{number}", epoch=epoch)
            for number, passes in enumerate(passed)
            for epoch in range(epochs)
        ]
        about = {"id": "run", "fingerprints": ALIKE | more.pop("fingerprints", {}), **more}
        folder = tmp_path / f"run-{next(numbers)}"
        folder.mkdir()
        cases = [
            Case(Task(goal), f"t{number}", epoch=epoch).to_json()
            for number in range(len(passed))
            for epoch in range(epochs)
        ]
        (folder / "run.json").write_text(json.dumps({"run": about, "tasks": cases}))
        return RecordedRun(folder, about, tasks[skip:], has_ended=True)

    return made


def test_vague_answers_are_ranked_as_failed(run):
    vague, good = run([0] * 20), run([5] * 20)
    vague = replace(vague, tasks=[replace(t, success=None, unclear=True) for t in vague.tasks])
    assert [each.places for each in rank([vague, good])] == [(2, 2), (1, 1)]


def test_clearly_different_runs_have_one_rank_each(run):
    best, worst, middle = run([5] * 20), run([0] * 20), run([3, 2] * 10)
    placements = rank([best, worst, middle])
    assert [each.places for each in placements] == [(1, 1), (3, 3), (2, 2)]
    assert [each.peers for each in placements] == [(), (), ()]


def test_indistinguishable_runs_share_their_places(run):
    one, other = run([5, 4, 5, 3] * 5), run([4, 5, 4, 4] * 5)
    placements = rank([one, run([0] * 20), other])
    assert [each.places for each in placements] == [(1, 2), (3, 3), (1, 2)]
    assert [each.peers for each in placements] == [(2,), (), (0,)]


def test_few_tasks_distinguish_no_runs(run):
    placements = rank([run([5] * 7), run([0] * 7)])
    assert [each.places for each in placements] == [(1, 2), (1, 2)]
    assert [each.places for each in rank([run([5] * 8), run([0] * 8)])] == [(1, 1), (2, 2)]


@pytest.mark.parametrize(
    ("fingerprints", "word"),
    [
        ({"seeds": "x"}, "other seeds"),
        ({"limits": "x"}, "other limits, another kind of path, or another user"),
        ({"device": "x"}, "other devices"),
        ({"apps": "x"}, "other apps, or other versions of them"),
        ({"environments": "x"}, "other environments"),
        ({"noise": "x"}, "other noise, or none"),
        ({"checks": "x"}, "other checks"),
    ],
)
def test_run_under_other_conditions_is_not_ranked(run, fingerprints, word):
    placements = rank([run([0] * 9, fingerprints=fingerprints), run([5] * 9), run([1] * 9)])
    assert [each.obstacles for each in placements] == [(word,), (), ()]
    assert [each.places for each in placements] == [None, (1, 1), (2, 2)]


def test_agent_models_and_plugin_version_may_differ(run):
    other = {"agent": "x", "models": "x", "prompts": "x", "plugin": "x", "tasks": "more epochs"}
    placements = rank([run([5] * 9), run([5] * 9, fingerprints=other, epochs=7)])
    assert [each.obstacles for each in placements] == [(), ()]


def test_reworded_tasks_are_different_tasks(run):
    placements = rank([run([5] * 9), run([5] * 9), run([5] * 9, goal="Do it well.")])
    assert placements[2].obstacles == (
        "tasks in other words, with other parameters or golden steps",
    )


def test_without_a_run_json_the_fingerprint_shows_another_wording(run):
    runs = [run([5] * 9), run([5] * 9), run([5] * 9, fingerprints={"tasks": "x"})]
    for each in runs:
        (each.folder / "run.json").unlink()
    assert [bool(each.obstacles) for each in rank(runs)] == [False, False, True]


def test_run_of_other_tasks_is_not_ranked(run):
    fewer = run([5] * 8, fingerprints={"checks": "of fewer tasks"})
    placements = rank([run([5] * 9), fewer, run([5] * 9)])
    assert placements[1].obstacles == ("other tasks: 1 missing, 0 more",)


def test_run_with_many_missing_verdicts_is_not_ranked(run):
    broken = run([5] * 10)
    few = [replace(each, success=None) for each in broken.tasks[:5]]
    for lacking, obstacle in ((few, ()), (few + few[:1], ("no verdict on 6 of 51 episodes",))):
        tasks: Any = [*lacking, *broken.tasks[5:]]
        found = rank([RecordedRun(broken.folder, broken.about, tasks, True), run([5] * 10)])
        assert found[0].obstacles == obstacle


def test_different_judges_matter_only_if_judges_decide(run):
    def judged(scorer: str, judge: str) -> RecordedRun:
        made = run([5] * 9, judges=[judge])
        verdict: Any = {"passed": True, "scorer": scorer, "reason": "", "evidence": {}}
        tasks: Any = [replace(each, verdict=verdict) for each in made.tasks]
        return RecordedRun(made.folder, made.about, tasks, True)

    checked = rank([judged("check", "openai:a"), judged("check", "openai:b")])
    assert [each.obstacles for each in checked] == [(), ()]
    found = rank([judged("judges", "openai:a"), judged("judges", "openai:b")])
    assert found[1].obstacles == ("other judges",)
    assert [each.places for each in found] == [None, None]


def test_run_without_metadata_is_not_ranked(run):
    old = run([5] * 9)
    unknown = RecordedRun(old.folder, {"id": "old"}, old.tasks, True)
    found = rank([unknown, run([5] * 9), run([0] * 9)])
    assert "does not say with which tasks" in found[0].obstacles[0]
    assert [each.places for each in found] == [None, (1, 1), (2, 2)]
    assert [each.places for each in rank([unknown, unknown])] == [None, None]


@pytest.mark.slow  # It ranks 300 runs.
def test_equal_agents_are_distinguished_no_more_often_than_the_level(run):
    draw = random.Random(1)
    chances = [draw.random() for _ in range(30)]
    wrong, trials = 0, 60
    for _ in range(trials):
        runs = [run([sum(draw.random() < p for _ in range(3)) for p in chances], epochs=3)
                for _ in range(5)]  # fmt: skip
        wrong += any(each.places != (1, 5) for each in rank(runs))
    # At most 3 are expected; 7 or more have a probability of 3 %.
    assert wrong <= trials * 2 * LEVEL
