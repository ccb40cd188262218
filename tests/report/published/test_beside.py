from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.report.export.published_scores import (
    PublishedScore,
    beside,
    published_beside,
)
from tests.report.gate.entries import entries, many, recorded

if TYPE_CHECKING:
    from pytest_mobileagent.report.recorded_run import RecordedRun

PUBLISHED = {"preset": "paper", "options": {}, "settings": {}}


def run(tasks: dict[str, str], **about: Any) -> RecordedRun:
    given = {"agent": "m3a", "models": {"actor": "openai:gpt"}, "published": PUBLISHED}
    fields = {"suite": "clock", "termination": "self-reported"}
    return recorded(entries(tasks, **fields), id="run", **{**given, **about})


def score(per_cent: float, **fields: Any) -> PublishedScore:
    given = {"agent": "m3a", "suite": "clock", "tasks": 20, "preset": "paper", "model": "gpt"}
    return PublishedScore(score=per_cent, source="a paper", **{**given, **fields})


def mixed(passed: int, failed: int, outcome: str = "P", other: str = "F") -> dict[str, str]:
    names = [f"tasks/clock/t{n}" for n in range(passed + failed)]
    return dict(zip(names, [outcome] * passed + [other] * failed, strict=True))


def test_a_score_that_the_run_does_not_contradict():
    found = beside(run(mixed(6, 14)), score(35.0))
    assert (found["own"], found["score"], found["decided"], found["epochs"]) == (0.3, 0.35, 20, 1)
    assert found["difference"] == pytest.approx(-0.05)
    # Student's t over 20 tasks: 2.093 times the standard error.
    error = math.sqrt(0.3 * 0.7 / 19)
    assert found["own_error"] == pytest.approx(error)
    assert found["interval"] == pytest.approx([-0.05 - 2.093 * error, -0.05 + 2.093 * error], 1e-3)
    assert found["by_chance"] is True
    assert found["differs_in"] == []


def test_a_score_that_the_run_contradicts():
    found = beside(run(mixed(2, 18)), score(60.0))
    assert found["interval"][1] < 0
    assert found["by_chance"] is False


def test_epochs_of_a_task_are_one_sample():
    once, thrice = (beside(run(mixed(6, 14, *each)), score(30)) for each in ("PF", ("PPP", "FFF")))
    assert once["interval"] == thrice["interval"]
    assert (thrice["own"], thrice["decided"], thrice["epochs"]) == (0.3, 20, 3)


def test_the_chance_of_the_published_score_is_added():
    flaky = run(mixed(10, 10, "PFP", "FPF"))
    exact, runs = beside(flaky, score(50, standard_error=0.0)), beside(flaky, score(50, runs=100))
    found = beside(flaky, score(50))
    own = exact["interval"][1]
    # Within a task, the variance of an epoch is 1/3, so that of the mean of 20 tasks is 1/60.
    assert found["interval"][1] == pytest.approx(math.hypot(own, 1.96 * math.sqrt(1 / 60)), 1e-3)
    assert own < runs["interval"][1] < found["interval"][1]
    stated = beside(flaky, score(50, standard_error=4.0))
    assert stated["interval"][1] == pytest.approx(math.hypot(own, 1.96 * 0.04), 1e-3)


def test_tasks_that_all_turn_out_alike_are_no_certainty():
    found = beside(run(mixed(0, 20)), score(10))
    assert found["own"] == 0
    assert found["interval"][0] == pytest.approx(-0.1)
    assert found["interval"][1] == pytest.approx(0.161 - 0.1, abs=1e-3)  # Wilson's, of 0 in 20


def test_successes_that_were_not_reported_may_count_as_failures():
    tasks = entries(mixed(4, 0), suite="clock", termination="step limit")
    made = recorded(tasks, id="run", agent="m3a")
    assert beside(made, score(50, tasks=4))["own"] == 1
    assert beside(made, score(50, tasks=4, only_reported=True))["own"] == 0


def test_undecided_tasks_cannot_be_compared():
    found = beside(run(mixed(0, 3, "", "E")), score(50, tasks=3))
    assert (found["own"], found["difference"], found["interval"]) == (None, None, None)
    assert found["by_chance"] is None


@pytest.mark.parametrize(
    ("about", "fields", "names"),
    [
        ({}, {}, []),
        ({}, {"tasks": 116}, ["tasks"]),
        ({}, {"model": "gpt-2"}, ["model"]),
        ({}, {"model": None}, ["model"]),
        ({"models": {"a": "openai:gpt", "b": "openai:other"}}, {}, ["model"]),
        ({"published": None}, {}, ["preset"]),
        ({}, {"preset": "other"}, ["preset"]),
        ({"published": {**PUBLISHED, "settings": {"steps": None}}}, {}, ["steps"]),
        ({"virtual": True}, {}, ["phone"]),
    ],
)
def test_what_differs_is_named(about, fields, names):
    found = beside(run(mixed(5, 15), **about), score(25, **fields))
    assert [each["name"] for each in found["differs_in"]] == names


def test_every_score_of_the_agent_is_beside_the_run(tmp_path):
    file = tmp_path / "published.toml"
    table = '[[score]]\nagent = "m3a"\nscore = 1\nsource = "s"\ntasks = 1\nsuite = '
    file.write_text(f'{table}"clock"\n{table}"notes"\n{table}"clock"\n')
    found = published_beside(run(many(4, "P")), file)
    assert [each["suite"] for each in found] == ["clock", "clock"]
    file.write_text(f'{table}"notes"\n{table}"maps"\n')
    told = f"has no task of {file}: its scores of m3a are of notes, maps; the run has clock"
    with pytest.raises(RecordError, match=re.escape(told)):
        published_beside(run(many(4, "P")), file)
