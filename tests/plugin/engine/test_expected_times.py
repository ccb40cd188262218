"""Expected task times, from the task list of a run and the report of an earlier run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.plugin.engine import expected_times

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NOW, BEFORE, LONG_AGO = "2026-05-05T10-00-00-a-1", "2026-05-04T10-00-00-a-1", "2026-05-03T10-a-1"


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file of an earlier run, and returns the folder of the next one."""

    def write(run, name, tasks, agent="a"):
        path = tmp_path / run / name
        path.parent.mkdir(exist_ok=True)
        document = {"run": {"agent": agent}, "tasks": tasks}
        path.write_text(tasks if isinstance(tasks, str) else json.dumps(document))
        return tmp_path / NOW

    return write


def cases(**steps):
    return [{"nodeid": nodeid, "golden_steps": number} for nodeid, number in steps.items()]


def seconds(**taken):
    return [{"nodeid": nodeid, "seconds": number} for nodeid, number in taken.items()]


def test_golden_steps_where_no_run_came_before(write):
    assert expected_times(write(NOW, "run.json", cases(x=3, y=5))) == {"x": 3, "y": 5}


def test_golden_steps_may_stand_in_the_task_of_a_case(write):
    folder = write(NOW, "run.json", [{"nodeid": "x", "task": {"golden_steps": 4}}])
    assert expected_times(folder) == {"x": 4}


def test_a_task_without_golden_steps_is_expected_to_be_as_long_as_the_mean(write):
    assert expected_times(write(NOW, "run.json", cases(x=2, y=4, z=None)))["z"] == 3


def test_the_seconds_of_the_newest_run_of_the_same_agent(write):
    write(LONG_AGO, "report.json", seconds(x=1, y=1))
    write(BEFORE, "report.json", seconds(x=20, gone=5))
    write("2026-05-04T11-b-1", "report.json", seconds(x=7), agent="b")
    write("2026-05-06T10-a-1", "report.json", seconds(x=9))  # started after this run
    folder = write(NOW, "run.json", cases(x=2, y=4))
    assert expected_times(folder) == {"x": 20, "y": 40}  # ten seconds per step


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "null", '{"tasks": 5}', '{"tasks": [5, {"nodeid": 1}]}', "[" * 100_000, "\0"],
    ids=range(8),
)
@pytest.mark.parametrize("name", ["run.json", "report.json"])
def test_damaged_files_cost_the_order_and_nothing_else(write, name, content):
    assert expected_times(write(NOW, name, content)) == {}
    write(BEFORE, name, content)
    assert expected_times(write(NOW, "run.json", cases(x=2))) == {"x": 2}


@pytest.mark.parametrize("odd", [True, "3", 0, float("nan"), float("inf"), 10**400, [1], None])
def test_odd_numbers_count_as_unknown(write, odd):
    write(BEFORE, "report.json", seconds(x=odd))
    assert expected_times(write(NOW, "run.json", cases(x=2, y=None))) == {"x": 2, "y": 2}


def test_nothing_is_known_without_any_file(tmp_path):
    assert expected_times(tmp_path / NOW) == {}
