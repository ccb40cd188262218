"""The state that the plugin keeps for a test, and what changes between attempts."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pytest

from pytest_mobileagent._task.case import Case
from pytest_mobileagent._task.task import Task
from pytest_mobileagent.check.golden import Compared
from pytest_mobileagent.check.subgoals import SubGoals
from pytest_mobileagent.plugin.state import ItemState

CONFTEST = """
import pytest
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.testing import FakeLease, FakePhone, make_screen

class Lease(FakeLease):
    tries = 0
    def get(self):
        self.tries += 1
        if self.tries == 2:
            raise HostError("the disk is full")
        return super().get()

@pytest.fixture(scope="session")
def mobile_lease():
    return Lease(FakePhone([make_screen("home")]))
"""
AGENT = """
from pytest_mobileagent import Agent, Finish

class Says(Agent):
    def step(self, observation):
        return Finish("4711")
"""
TASK = """
from pytest_mobileagent import task

@task("Which code?")
def test_code(episode):
    assert episode.answers("4712")
"""
OPTIONS = ("--agent=says.py:Says", "--mobile-agent-process=off")
KEPT = {"is_read", "case", "problem", "failures", "may_wait"}  # when the test is set up again


@pytest.fixture
def used() -> ItemState:
    """The state of a test that has run: no field has its initial value."""
    state = ItemState(is_read=True, case=Case(Task("Go."), "go"), problem="none", may_wait=True)
    state.failures.append("the phone is gone")
    state.is_over_budget = state.check_held = state.is_asked_of_prefix = True
    episode: Any = object()
    state.episode = episode
    state.begin_body(SubGoals(), Compared())
    state.misses.append("a button")
    verdict: Any = object()
    state.answers["?"], state.beside = verdict, verdict
    for each in (state.calls, state.judged, state.outranked):
        each.append(verdict)
    return state


def test_repeated_test_forgets_its_earlier_attempt(used: ItemState) -> None:
    before = values(used)
    used.begin()
    assert values(used) == {**values(ItemState()), **{name: before[name] for name in KEPT}}


def test_a_test_that_was_put_off_continues_with_its_episode(used: ItemState) -> None:
    used.is_put_off, used.is_in_body = True, False
    assert not used.is_complete
    episode = used.episode
    for seconds in (1.0, 3.0):  # deferred twice
        used.put_off(2.0)
        used.begin()
        assert (used.was_put_off, used.episode, used.seconds_before) == (True, episode, seconds + 1)


def test_postponed_and_repeated_test_gets_a_new_episode(used: ItemState) -> None:
    used.put_off(2.0)
    used.begin()
    used.begin()
    assert (used.was_put_off, used.episode, used.answers) == (False, None, {})


def test_each_run_of_a_body_starts_without_earlier_misses(used: ItemState) -> None:
    used.begin_body(SubGoals(), Compared())
    assert (used.is_in_body, used.check_held, used.misses) == (True, False, [])


def test_a_failure_is_not_repeated_but_an_error_is(pytester: pytest.Pytester) -> None:
    pytest.importorskip("pytest_rerunfailures")
    pytester.makeconftest(CONFTEST.replace("== 2", "== 1"))
    pytester.makepyfile(says=AGENT, test_it=TASK)
    result = pytester.runpytest_inprocess(*OPTIONS, "--reruns=3")
    assert result.parseoutcomes() == {"rerun": 1, "failed": 1}
    (path,) = pytester.path.glob("runs/*/report.json")
    (entry,) = json.loads(path.read_text("utf-8"))["tasks"]
    assert (entry["outcome"], entry["success"]) == ("failed", False)
    assert entry["infrastructure"] == ["the disk is full"]


def test_broken_second_setup_is_not_scored_with_the_first_episode(
    pytester: pytest.Pytester,
) -> None:
    pytest.importorskip("pytest_rerunfailures")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(says=AGENT, test_it=TASK.replace("assert ", "return "))
    result = pytester.runpytest_inprocess(*OPTIONS, "--reruns=1")
    result.assert_outcomes(errors=1)
    (path,) = pytester.path.glob("runs/*/report.json")
    (entry,) = json.loads(path.read_text("utf-8"))["tasks"]
    assert (entry["outcome"], entry["fault"], entry["episode"]) == ("error", "infrastructure", None)
    assert entry["infrastructure"] == ["the disk is full"]
    assert (entry["steps"], entry["answer"], entry["verdict"]) == (None, None, None)


def values(state: ItemState) -> dict[str, Any]:
    """Return a copy of all fields of the state."""
    both = ((each.name, getattr(state, each.name)) for each in fields(state))
    return {name: value.copy() if isinstance(value, list | dict) else value for name, value in both}
