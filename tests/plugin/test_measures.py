"""Tasks with measures, which are read before the first step and after the last screen only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.plugin.projects import newest_report

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.project import Project

TASKS = """

from pytest_mobileagent import Row, open_app, tap, tasks

def count(device):
    found = device.system.shell("cat /data/local/tmp/reads; echo x >> /data/local/tmp/reads")
    return found.count("x")

def draw(random, seed, epoch):
    return {"times": 2 + epoch, "seed": seed, "goal": f"Look {2 + epoch} times."}

def look(values):
    return [open_app(), *[tap(text="Second page"), tap(text="Second page")][: values["times"] - 1]]

ROWS = [Row("once", {"goal": "{goal}"}, "here"), Row("twice", {"goal": "{goal}"}, "here")]

@tasks(
    ROWS,
    app="com.example.counter",
    golden_steps=3,
    parameters=draw,
    solution=look,
    prepare=lambda device: device.system.shell("rm -f /data/local/tmp/reads"),
    measures={"reads": count},
)
def test_reads(episode, row):
    assert episode.probe("reads") >= (1 if row.id == "once" else 0)
"""

NO_PHONE = """
import pytest

@pytest.fixture(scope="session")
def mobile_lease():
    pytest.fail("a device was asked for")
"""


@pytest.fixture
def results(project: Project) -> Callable[..., dict[str, dict[str, Any]]]:
    """Runs the tasks, and returns the results by the rows' ids."""
    project.write(tasks__counter__test_counter=TASKS)

    def results(*arguments: str) -> dict[str, dict[str, Any]]:
        project.run("tasks", *arguments)
        tasks = newest_report(project.pytester.path)["tasks"]
        return {task["id"].partition("[")[2].rstrip("]"): task for task in tasks}

    return results


def test_the_body_is_asked_at_the_start_and_at_the_end(results: Any, project: Project) -> None:
    found = results("--agent=noop")
    assert {name: task["success"] for name, task in found.items()} == {"once": True, "twice": True}
    assert {name: task["held_at_start"] for name, task in found.items()} == {
        "once": False,
        "twice": True,
    }
    assert all(task["reported"] is True for task in found.values())
    assert all(task["first_success_step"] is None for task in found.values())
    assert all(task["verdict"]["evidence"]["held"] == [] for task in found.values())
    project.write(tasks__conftest=NO_PHONE)
    again = project.run("tasks", "--mobile-rescore=runs")
    again.assert_outcomes(passed=2)


def test_rows_draw_by_the_runs_seed_and_the_epoch_and_solutions_by_what_was_drawn(
    results: Any,
) -> None:
    found = results("--agent=oracle", "--mobile-seed=5", "--mobile-max-steps=2")
    task = found["once"]
    assert task["parameters"] | {"goal": "", "id": ""} == {
        "goal": "", "id": "", "times": 2, "seed": 5,
    }  # fmt: skip
    assert (task["steps"], task["termination"], task["outcome"]) == (2, "self-reported", "passed")
