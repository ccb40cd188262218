"""Missing results of an agent are its failure; other exceptions in a body are task errors."""

from __future__ import annotations

from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any

import pytest

from tests.plugin.projects import newest_report

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., tuple[pytest.RunResult, dict[str, Any]]]

CONFTEST = """
import json
import pytest
from pytest_mobileagent import Agent, Finish, Tap
from pytest_mobileagent.testing import FakeLease, FakePhone, make_screen

class Weak(Agent):
    def step(self, observation):
        return Finish("nothing")

class Able(Weak):
    taps = 0
    def step(self, observation):
        self.taps += 1
        return Tap(5, 5) if self.taps <= 2 else Finish("done")

def react(phone, action):
    made = {"goal": 8000, "days": [{"name": "Monday"}]} if phone.actions else {}
    phone.answers["read"] = json.dumps({"user": {"name": "Ann", **made}})

PHONE = FakePhone([make_screen("Home", str(number)) for number in range(4)], react=react)

def pytest_runtest_setup():
    PHONE.answers["read"] = json.dumps({"user": {"name": "Ann"}})

@pytest.fixture(scope="session")
def mobile_lease():
    return FakeLease(PHONE)
"""
HEAD = """
import asyncio, json
from pytest_mobileagent import Tap, task as make_task

class Read:
    script = "read"
    parse = staticmethod(json.loads)

task = make_task("Set a goal.", probes={"app": Read()})

"""


@pytest.fixture
def run(pytester: pytest.Pytester) -> Run:
    """Runs test functions with an agent on a phone in memory; returns the result and the report."""

    def run(bodies: str, agent: str, *arguments: str) -> tuple[pytest.RunResult, dict[str, Any]]:
        pytester.makeconftest(CONFTEST)
        pytester.makepyfile(HEAD + bodies)
        given = ["-p", "no:cacheprovider", f"--agent=conftest.py:{agent}", *arguments]
        result = pytester.runpytest_inprocess(*given, "--mobile-agent-process=off")
        return result, newest_report(pytester.path)

    return run


ASKED = {
    "a key": (
        "episode.probe('app')['user']['goal'] == 8000",
        "there is no 'goal': there is 'name'",
    ),
    "a row": (
        "episode.probe('app')['user']['days'][0]['name']",
        "there is no 'days': there is 'name'",
    ),
    "a step": ("episode.steps[1].actions[0]", "there is no item 1: there is 1"),
    "a screen": ("episode.screens[2].texts", "there is no item 2: there are 2"),
    "an action": ("episode.actions[-2]", "there is no item -2: there is nothing"),
    "a match": (
        "episode.screen.find_all(text='2')[0]",
        "nothing on * has text='2'; nothing comes close; the screen says 'Home', '0'; *",
    ),
    "a place": (
        "episode.actions.index(Tap(5, 5), 1) == 1",
        "Tap(x=5, y=5) is not there: there is nothing",
    ),
    "a probe of a step": (
        "episode.steps[-1].probes['app']['user']['goal']",
        "there is no 'goal': there is 'name'",
    ),
}


def test_a_missing_result_of_the_agent_is_its_failure(run: Run) -> None:
    bodies = "".join(
        f"@task\ndef test_{n}(episode):\n    assert {asked}\n"
        for n, (asked, _) in enumerate(ASKED.values())
    )
    result, whole = run(bodies, "Weak", "-v")
    result.assert_outcomes(failed=len(ASKED))
    for task in whole["tasks"]:
        assert (task["success"], task["fault"]) == (False, "agent")
        assert task["first_success_step"] is None
    assert whole["summary"]["success_rate"] == 0.0
    for n, (asked, words) in enumerate(ASKED.values()):
        line = f"sought   {asked}*test_*.py:{12 + 3 * n}".replace("[", "[[]")
        result.stdout.fnmatch_lines([line, f"closest  {words}"])
    result, whole = run(bodies, "Able")
    result.assert_outcomes(passed=len(ASKED))
    assert {(task["success"], task["first_success_step"]) for task in whole["tasks"]} == {(True, 2)}


def test_an_attribute_of_none_is_an_error_with_advice(run: Run) -> None:
    body = """
@task
def test_it(episode):
    total = episode.screen.find(text="1")
    assert total.text
"""
    result, whole = run(body, "Weak")
    (task,) = whole["tasks"]
    assert (task["outcome"], task["fault"]) == ("error", "task")
    said = "nothing on * has text='1'; *; `get` instead of `find` makes that the agent's failure"
    result.stdout.fnmatch_lines([f"closest  {said}"])
    result, whole = run(body.replace("total.text", "episode.answr.text"), "Weak")
    result.stdout.no_fnmatch_line("closest *")


def test_missing_key_of_an_episode_value_fails_the_task(run: Run) -> None:
    values = ("episode.options", "episode.extra", "episode.steps[0].extra")
    each = "@task\ndef test_{}(episode):\n    assert {}['marks']\n"
    _, whole = run("".join(each.format(n, made) for n, made in enumerate(values)), "Weak")
    for task in whole["tasks"]:
        assert (task["outcome"], task["fault"]) == ("failed", "agent")
        assert "there is no 'marks'" in task["reason"]
    assert len(whole["tasks"]) == 3


def test_sub_goal_that_needs_a_missing_value_is_not_met(run: Run) -> None:
    body = """
@task
def test_it(episode):
    with episode.subgoal("named"):
        assert episode.probe("app")["user"]["name"] == "Ann"
    with episode.subgoal("goal"):
        assert episode.probe("app")["user"]["goal"] == 8000
"""
    result, whole = run(body, "Weak")
    result.assert_outcomes(failed=1)
    (task,) = whole["tasks"]
    assert task["partial_credit"] == 0.5
    assert task["subgoals"][1]["reason"] == "there is no 'goal': there is 'name'"
    _, whole = run(body, "Able")
    assert [each["first_step"] for each in whole["tasks"][0]["subgoals"]] == [0, 2]


RAISES = {
    "int": ("int(episode.probe('app')['user']['name'])", "ValueError: invalid literal for int() *"),
    "own": ("{}['goal']", "KeyError: 'goal'"),
    "unpacked": ("next(row for row in [])", "StopIteration"),
    "probe": ("episode.probe('apps')", "*UnknownProbeError: the task has no probe 'apps' *"),
}


def test_gate_counts_tasks_with_check_errors_as_missing(
    run: Run, pytester: pytest.Pytester
) -> None:
    bodies = "".join(
        f"@task\ndef test_{n}(episode):\n    assert episode.answer\n" for n in range(4)
    )
    bodies += "@task\ndef test_raises(episode):\n    assert {}['goal']\n"
    result, whole = run(bodies, "Able", "--mobile-gate=success_rate >= 0.5")
    assert whole["summary"]["success_rate"] == 1.0
    assert (whole["gate"]["verdict"], result.ret) == ("INCONCLUSIVE", 8)
    summary = (pytester.path / "runs" / whole["run"]["id"] / "summary.md").read_text("utf-8")
    assert "> left out of the success rate: 1 task whose check raised" in summary


@pytest.mark.parametrize("tb", ["auto", "native", "line"])
def test_other_errors_of_a_body_show_the_episode(run: Run, tb: str) -> None:
    bodies = "".join(
        f"@task\ndef test_{name}(episode):\n    {line}\n" for name, (line, _) in RAISES.items()
    )
    bodies += "@task\ndef test_passes(episode):\n    assert episode.answer\n"
    result, whole = run(bodies, "Able", f"--tb={tb}", "--junitxml=junit.xml")
    result.assert_outcomes(errors=len(RAISES), passed=1)
    tasks = {task["nodeid"].partition("::test_")[2]: task for task in whole["tasks"]}
    for name, (_, words) in RAISES.items():
        task = tasks[name]
        assert (task["outcome"], task["success"], task["fault"]) == ("error", None, "task")
        assert fnmatch(task["reason"], words)
    assert (whole["summary"]["check_errors"], whole["summary"]["errors"]) == (4, 4)
    assert whole["summary"]["success_rate"] == 1.0
    left_out = "left out of the success rate: 4 tasks whose check raised, *"
    result.stdout.fnmatch_lines([left_out])
    shown = [
        "*- episode -*",
        "goal     Set a goal.",
        'actions  1 tap "Home"   2 tap "Home"   3 finish "done"',
        "ended    self-reported after 2 steps",
        "page     file:///*report.html#e=*&s=2",
    ]
    if tb != "line":
        result.stdout.fnmatch_lines(shown)
