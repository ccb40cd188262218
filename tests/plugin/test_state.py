"""The state that the plugin keeps for a test, and what changes between attempts."""

from __future__ import annotations

import pytest

from pytest_mobileagent._task import Task
from pytest_mobileagent._task.case import Case
from pytest_mobileagent.plugin.state import Collected, ItemState
from tests.plugin.projects import newest_report

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


def test_a_repeated_test_forgets_its_earlier_try_but_not_its_failures() -> None:
    state = ItemState(Collected(Case(Task("Go."), "go")))
    collected, old = state.collected, (state.playing, state.body, state.judging)
    state.failures.append("the phone is gone")
    state.judging.is_awaited = True
    assert not state.is_complete
    state.begin()
    assert state.is_complete
    assert (state.collected, state.failures) == (collected, ["the phone is gone"])
    assert all(new is not one for new, one in zip(phases(state), old, strict=True))


def test_a_failure_is_not_repeated_but_an_error_is(pytester: pytest.Pytester) -> None:
    pytest.importorskip("pytest_rerunfailures")
    pytester.makeconftest(CONFTEST.replace("== 2", "== 1"))
    pytester.makepyfile(says=AGENT, test_it=TASK)
    result = pytester.runpytest_inprocess(*OPTIONS, "--reruns=3")
    assert result.parseoutcomes() == {"rerun": 1, "failed": 1}
    (entry,) = newest_report(pytester.path)["tasks"]
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
    (entry,) = newest_report(pytester.path)["tasks"]
    assert (entry["outcome"], entry["fault"], entry["episode"]) == ("error", "infrastructure", None)
    assert entry["infrastructure"] == ["the disk is full"]
    assert (entry["steps"], entry["answer"], entry["verdict"]) == (None, None, None)


def phases(state: ItemState) -> tuple[object, ...]:
    return state.playing, state.body, state.judging
