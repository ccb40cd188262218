"""Tests of the differences between a run and its baseline."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Case, Task
from pytest_mobileagent.report.comparison.compare import compare
from pytest_mobileagent.report.recorded_run import RecordedRun
from pytest_mobileagent.report.text.comparison import remarks
from tests.report.gate.entries import entries, many, recorded

if TYPE_CHECKING:
    from pathlib import Path


def compared(before: dict[str, str], after: dict[str, str]) -> dict[str, Any]:
    return compare(recorded(entries(before), id="base"), recorded(entries(after), id="run"))


def ids(listed: list[dict[str, Any]]) -> list[str]:
    return [each["id"] for each in listed]


def test_tasks_are_classified_as_gained_lost_flaky_new_or_missing():
    found = compared(
        {"gained": "FFP", "lost": "PPP", "flaky": "PPF", "old": "P", "same": "FF", "broken": "P"},
        {"gained": "PPP", "lost": "FFF", "flaky": "PPP", "new": "P", "same": "FF", "broken": "E"},
    )
    lists = {name: ids(found[name]) for name in ("gained", "lost", "flaky", "new", "missing")}
    assert lists == {
        "gained": ["gained"],
        "lost": ["lost"],
        "flaky": ["gained", "flaky"],
        "new": ["new"],
        "missing": ["old", "broken"],
    }
    assert found["lost"][0] == {
        "id": "lost", "environment": None, "before": "3/3", "after": "0/3",
    }  # fmt: skip
    assert found["paired"] == {"episodes": 11, "gained": 3, "lost": 3}
    assert found["tasks"] == 4
    assert found["difference"] == pytest.approx((2 / 3 - 1 + 1 / 3 + 0) / 4)
    assert found["run"]["decided"], found["run"]["episodes"] == (12, 13)
    assert json.loads(json.dumps(found)) == found


def test_half_of_the_epochs_is_not_a_majority_and_their_number_may_differ():
    found = compared({"a": "PP", "b": "FF"}, {"a": "PF", "b": "PF"})
    assert (ids(found["gained"]), ids(found["lost"])) == ([], ["a"])
    found = compared(many(5, "P"), many(5, "PF"))
    assert found["difference"] == -0.5
    assert found["paired"] == {"episodes": 5, "gained": 0, "lost": 0}
    assert found["epochs"] == [1, 2]


def test_steps_seconds_and_price_are_compared_task_by_task():
    base = entries({"a": "PP", "b": "P", "c": "P"}, steps=10, cost_usd=0.02)
    run = entries({"a": "PF", "b": "P", "c": "P"}, steps=8, seconds=3.0)
    run[0] = replace(run[0], cost_usd=0.05)
    run[2] = replace(run[2], steps=12)
    found = compare(recorded(base), recorded(run))
    assert found["steps"]["difference"] == pytest.approx((-2 + 2 - 2) / 3)
    assert found["steps"]["interval"] == pytest.approx([-6.404, 5.071], abs=0.001)
    assert found["cost_usd"] == {
        "baseline": 0.02, "run": 0.05,
        "difference": pytest.approx(0.03), "interval": None, "p_value": None, "tasks": 1,
    }  # fmt: skip
    assert found["seconds"]["difference"] is None
    assert found["crashes"]["difference"] is None


def test_crashes_are_compared_if_both_logs_were_read():
    base = entries({"a": "PP", "b": "P"}, crashes=0)
    run = entries({"a": "PF", "b": "P"}, crashes=0)
    run[1], run[2] = replace(run[1], crashes=3), replace(run[2], crashes=None)
    found = compare(recorded(base), recorded(run))["crashes"]
    assert (found["baseline"], found["run"], found["difference"]) == (0, 1.5, 1.5)


def test_the_same_run_twice_is_no_difference_and_undecided_runs_have_no_number():
    found = compared(many(10, "PPF"), many(10, "PPF"))
    assert (found["difference"], found["p_value"]) == (0, 1)
    assert not found["gained"] + found["lost"]
    found = compared({"a": "P"}, {"a": "E"})
    assert (found["tasks"], found["difference"], found["interval"]) == (0, None, None)


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ({"ts/a": "P"}, {"ts/b": "P"}, r"no task is in both .*has ts/a; the run has ts"),
        ({"a@1": "P"}, {"a": "P"}, r"other environments \(the baseline has 1; the run has none"),
        ({}, {"a": "P"}, "the baseline has no task"),
    ],
)
def test_baseline_without_common_tasks_is_an_error(before, after, why):
    with pytest.raises(ValueError, match=why):
        compared(before, after)


PRINTS = {"agent": "1", "prompts": "2", "apps": "3", "checks": "4"}


def test_differences_are_named_and_what_a_run_lacks_is_unknown():
    runs = [
        recorded(entries({"a": "P"}), fingerprints=prints)
        for prints in (PRINTS, {**PRINTS, "agent": "5", "apps": "6"})
    ]
    found = compare(*runs)
    assert (found["differs_in"], found["should_be_equal"]) == (["agent", "apps"], ["apps"])
    assert found["unknown"] == []
    assert compare(runs[0], recorded(entries({"a": "P"})))["unknown"] == ["fingerprints"]
    newer = recorded(entries({"a": "P"}), fingerprints={**PRINTS, "weather": "7"})
    assert compare(runs[0], newer)["unknown"] == ["weather"]


def run_of(folder: Path, task: Task, prints: dict[str, Any], letters: str = "P") -> RecordedRun:
    folder.mkdir()
    cases = [Case(task, "a", epoch=epoch).to_json() for epoch in range(len(letters))]
    (folder / "run.json").write_text(json.dumps({"run": {}, "tasks": cases}))
    return RecordedRun(folder, {"fingerprints": prints}, entries({"a": letters}), True)


@pytest.mark.parametrize(("goal", "differs"), [("Do it.", []), ("Do that.", ["tasks"])])
def test_more_epochs_are_not_a_different_selection(tmp_path, goal, differs):
    base = run_of(tmp_path / "base", Task("Do it."), {"tasks": "base"})
    run = run_of(tmp_path / "run", Task(goal), {"tasks": "run"}, "PP")
    assert compare(base, run)["differs_in"] == differs


def test_differently_worded_goals_are_the_same_tasks(tmp_path):
    own = run_of(tmp_path / "own", Task("Do it."), {"tasks": "own", "wording": None})
    official = Task("Please do it!", wording="official")
    other = run_of(tmp_path / "official", official, {"tasks": "official", "wording": "1"})
    found = compare(own, other)
    assert (found["differs_in"], found["unknown"]) == (["wording"], [])
    before = replace(own, about={"fingerprints": {"tasks": "own"}})
    found = compare(before, own)
    assert (found["differs_in"], found["unknown"]) == ([], []), "a run of before has our words"


NORTH, SOUTH = ("north", {"Python": "3.12.1"}), ("south", {"Python": "3.13.0", "pillow": "12"})
NOWHERE: tuple[None, None] = (None, None)


def compared_on(base: list[Any], run: list[Any]) -> dict[str, Any]:
    """Return the comparison of two runs, given the machine of each of their episodes."""

    def made(places: list[Any], name: str) -> Any:
        tasks = entries({"abc"[number]: "P" for number in range(len(places))})
        own = [
            replace(task, node=node, versions=versions)
            for task, (node, versions) in zip(tasks, places, strict=True)
        ]
        return recorded(own, id=name)

    return compare(made(base, "base"), made(run, "run"))


def remarks_on_machines(found: dict[str, Any]) -> list[str]:
    return [each for each in remarks(found) if "machines" in each]


@pytest.mark.parametrize(
    ("base", "run"),
    [([NORTH, NORTH], [NORTH, NORTH]), ([NOWHERE], [NOWHERE]), ([NOWHERE], [NORTH])],
)
def test_equal_or_unknown_versions_are_not_a_difference(base, run):
    found = compared_on(base, run)
    assert found["versions"] == {}
    assert remarks_on_machines(found) == []


def test_different_versions_between_runs_are_warned_about():
    found = compared_on([NORTH], [SOUTH])
    assert found["versions"] == {
        "Python": {"baseline": ["3.12.1"], "run": ["3.13.0"]},
        "pillow": {"baseline": ["none"], "run": ["12"]},
    }
    warning, note = remarks_on_machines(found)
    assert "Python (3.12.1 in the baseline, 3.13.0 in the run); pillow (none in" in warning
    assert "not the same machines: north in the baseline, south in the run; seconds" in note


def test_different_versions_within_a_run_are_warned_about():
    found = compared_on([NOWHERE, NOWHERE], [NORTH, SOUTH])
    assert found["nodes"] == {"baseline": [], "run": ["north", "south"]}
    (line,) = remarks_on_machines(found)
    assert "Python (unknown in the baseline, 3.12.1, 3.13.0 in the run)" in line


def test_machines_of_unpaired_tasks_and_comparisons_of_older_versions_have_no_remarks():
    assert remarks_on_machines(compared_on([NORTH], [NORTH, SOUTH])) == []
    found = compared_on([NORTH], [SOUTH])
    del found["versions"], found["nodes"]
    assert remarks_on_machines(found) == []
