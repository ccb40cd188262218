"""--mobile-side-effects: what an agent changed on the phone that nobody had asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import load
from tests.conftest import APPS

if TYPE_CHECKING:
    from tests.options.asking import Asking

CONFTEST = f"""
from pathlib import Path

def pytest_mobileagent_apps(config):
    return Path({str(APPS)!r})
"""
AGENTS = """
from pytest_mobileagent import Agent, Finish, Open, Reply, Scripted, Tap

class Everywhere(Agent):
    \"\"\"Opens the counter, and taps all over its screen.\"\"\"
    def step(self, observation):
        width, height = observation.screen.size
        if observation.screen.package != "com.example.counter":
            return Open("com.example.counter")
        if hasattr(self, "done"):
            return Finish()
        self.done = True
        return Reply(tuple(Tap(width // 4, y) for y in range(height // 10, height * 9 // 10, 60)))

class Oracle(Scripted):
    pass

class Twice(Agent):
    \"\"\"Counts one more than it should, if the goal is to count, and finishes.\"\"\"
    def step(self, observation):
        add = observation.screen.find(text="Add one")
        if add is None:
            return Open("com.example.counter")
        if observation.screen.find(text="Count: 2"):
            return Finish()
        return Tap(*add.bounds.center)
"""
TASKS = """
from pytest_mobileagent import open_app, sqlite, tap, task

FILE = "/data/data/com.example.counter/databases/counter.db"
COUNT = {"count": sqlite(FILE, "select n from counter")}
SOLUTION = [open_app("com.example.counter"), tap(text="Add one")]

@task("Count at least once.", app="com.example.counter", probes=COUNT, solution=SOLUTION)
def test_count(episode):
    assert episode.probe("count")[0]["n"] >= 1

@task("Look at the counter.", app="com.example.counter", solution=SOLUTION[:1],
      may_change=["rows counter.db:*"])
def test_permitted(episode):
    assert episode.opened("com.example.counter")

@task("Look at the counter, which nobody has solved.", app="com.example.counter")
def test_unsolved(episode):
    assert episode.opened("com.example.counter")
"""


@pytest.fixture
def counter(asking: Asking) -> Asking:
    asking.pytester.makeconftest(CONFTEST)
    asking.pytester.makepyfile(asking=AGENTS, test_codes=TASKS)
    return asking


def tasks(counter: Asking):
    return {each["id"].rpartition("/")[2]: each for each in counter.report()["tasks"]}


@pytest.mark.slow
def test_they_are_reported_less_what_the_solution_changes(counter):
    result = counter.run("--mobile-side-effects=report", agent="Twice")
    assert result.ret == 0
    found = tasks(counter)
    assert {name: each["side_effects"] for name, each in found.items()} == {
        "count": 1, "permitted": 0, "unsolved": None,
    }  # fmt: skip
    assert found["count"]["changed_unasked"] == ["rows counter.db:counter: + n: 2"]
    *changed, why = found["unsolved"]["changed_unasked"]
    assert len(changed) == 2
    assert why.startswith("unfiltered: ")
    summary = counter.report()["summary"]
    assert (summary["side_effect_rate"], summary["decided"]) == (0.5, 3)
    run = max(counter.pytester.path.glob("runs/*"))
    episodes = [load(path) for path in sorted(run.glob("episodes/*"))]
    assert all(episode.side_effects is not None for episode in episodes)
    assert all(episode.prefix(0).side_effects is None for episode in episodes if episode.steps)


@pytest.mark.slow
def test_they_can_be_failures_and_bound_by_a_gate(counter):
    result = counter.run("--mobile-side-effects=fail", "-k", "count", agent="Twice")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*unexpected side effects: rows counter.db:counter: *"])
    gate = "--mobile-gate=side_effects <= 0"
    assert counter.run("--mobile-side-effects=report", gate, agent="Twice").ret == 1
    chosen = ("-k", "permitted or unsolved")
    result = counter.run("--mobile-side-effects=report", gate, *chosen, agent="Twice")
    result.stdout.fnmatch_lines(["*leaves out 1 episode whose side effects are not known*"])


@pytest.mark.slow
def test_the_solution_sees_all_even_if_the_agent_does_not(counter):
    hidden = "--mobile-sees=screenshot"
    counter.run("--mobile-side-effects=report", hidden, "-k", "count", agent="Everywhere")
    found = tasks(counter)["count"]
    assert found["sees"] == "screenshot"
    assert found["changed_unasked"]
    assert found["side_effects"] is not None, "they are compared with what the solution changes"


def test_they_are_not_read_unless_asked_for(counter):
    assert counter.run("-k", "count", agent="Oracle").ret == 0
    assert tasks(counter)["count"]["side_effects"] is None
    assert counter.run("--mobile-side-effects=yes", agent="Oracle").ret == 4


@pytest.mark.slow
def test_an_episode_recorded_without_them_is_undecided_when_scored_again(counter):
    counter.run("-k", "count", agent="Oracle")
    again = ("--mobile-rescore=runs", "--mobile-side-effects=fail")
    counter.run(*again, "-k", "count", agent="Oracle")
    assert tasks(counter)["count"]["outcome"] == "review"
    counter.run("--mobile-side-effects=fail", "--mobile-reuse=runs", "-k", "count", agent="Oracle")
    assert tasks(counter)["count"]["side_effects"] == 0  # played again, not reused
