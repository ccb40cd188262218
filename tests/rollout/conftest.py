"""A small suite, and virtual phones of one process to play it on."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.rollout import RolloutTask, load_tasks, phones
from tests.conftest import APPS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_mobileagent.rollout import RolloutPhone

SUITE = """
from pytest_mobileagent import sqlite, task

FILE = "/data/data/com.example.counter/databases/counter.db"
COUNT = {"count": sqlite(FILE, "select n from counter")}

@task("Count to {number}.", apps=["com.example.counter"], probes=COUNT, step_limit=6,
      parameters=lambda dice: {"number": dice.randint(1, 99)})
def test_count(episode, number):
    with episode.subgoal("counted"):
        assert episode.probe("count")[0]["n"] >= 1
    with episode.subgoal("to the number"):
        assert episode.probe("count")[0]["n"] == number

@task("Count to two.", apps=["com.example.counter"], probes=COUNT, step_limit=3)
def test_two(episode):
    assert episode.probe("count")[0]["n"] == 2

@task("Which code is on the second page?", apps=["com.example.counter"], step_limit=5)
def test_code(episode):
    assert episode.answers("4711")

@task("Count, and stop.", apps=["com.example.counter"], probes=COUNT, step_limit=4,
      stop_on_success=True)
def test_stop(episode):
    assert episode.probe("count")[0]["n"] == 1

@task("Be nice.", apps=["com.example.counter"], step_limit=4)
def test_nice(episode, judge):
    assert judge(episode)
"""
CONFTEST = f"""
from pathlib import Path

def pytest_mobileagent_apps(config):
    return Path({str(APPS)!r})
"""


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a project with one suite."""
    root = tmp_path_factory.mktemp("project")
    (root / "conftest.py").write_text(CONFTEST)
    (root / "pytest.ini").write_text("[pytest]\n")
    (root / "tasks" / "counter").mkdir(parents=True)
    (root / "tasks" / "counter" / "test_rollouts_of_counter.py").write_text(SUITE)
    return root


@pytest.fixture(scope="session")
def suite(project: Path) -> list[RolloutTask]:
    """Return the tasks of the suite."""
    return load_tasks("tasks/counter", root=project)


@pytest.fixture(scope="session")
def named(suite: list[RolloutTask]) -> dict[str, RolloutTask]:
    """Return the tasks of the suite by the last part of their ids."""
    return {task.id.rpartition("/")[2]: task for task in suite}


@pytest.fixture(scope="session")
def fleet() -> Iterator[list[RolloutPhone]]:
    """Start three phones, of which the first two share a process."""
    early = datetime(2026, 3, 2, 9, 30)  # so that the minute on the screen stays the same
    with phones(3, per_process=2, apps=[APPS], clock=early) as started:
        yield started
