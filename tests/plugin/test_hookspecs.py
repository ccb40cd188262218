"""The hooks called after an episode is recorded and after a verdict is reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.plugin.projects import PHONE, newest_report

if TYPE_CHECKING:
    from collections.abc import Callable

CONFTEST = f"""{PHONE}
from pytest_mobileagent import Agent, Finish, Tap

class Once(Agent):
    taps = 0
    def step(self, observation):
        self.taps += 1
        return Tap(5, 5) if self.taps == 1 else Finish("1 item")

@pytest.fixture(scope="session")
def agent():
    return Once
"""
HOOKS = """
def pytest_mobileagent_episode(episode, config):
    with open(config.rootpath / "log.txt", "a") as log:
        print(episode.case.key, episode.step_count, file=log)

def pytest_mobileagent_verdict(episode, verdict, config):
    with open(config.rootpath / "log.txt", "a") as log:
        kept = (episode.folder / "verdicts.jsonl").exists()
        print(episode.case.key, verdict.passed, kept, file=log)
"""
TASKS = """
from pytest_mobileagent import task

@task("Go.")
def test_right(episode): assert episode.answers("1 item")

@task("Go.")
def test_wrong(episode): assert episode.answers("2 items")

def test_other(): pass
"""


@pytest.fixture
def run(pytester: pytest.Pytester) -> Callable[..., pytest.RunResult]:
    def run(hooks, *arguments):
        pytester.makeconftest(CONFTEST + hooks)
        pytester.makepyfile(test_go=TASKS)
        pytester.makeini("[pytest]\nmobile_agent = once")
        off = ("-p", "no:cacheprovider", "--mobile-agent-process=off")
        return pytester.runpytest_inprocess(*off, *arguments)

    return run


@pytest.mark.parametrize("workers", ["-n0", pytest.param("-n1", marks=pytest.mark.slow)])
def test_hooks_receive_episodes_and_verdicts(run, pytester, workers):
    run(HOOKS, workers).assert_outcomes(passed=2, failed=1)
    assert (pytester.path / "log.txt").read_text().splitlines() == [
        "go/right 1",
        "go/right True True",
        "go/wrong 1",
        "go/wrong False True",
    ]


@pytest.mark.parametrize("hook", ["episode", "verdict"])
def test_an_error_in_a_hook_is_an_error_of_the_test_and_the_run_continues(run, pytester, hook):
    arguments = "episode, config" if hook == "episode" else "episode, verdict, config"
    result = run(f"\ndef pytest_mobileagent_{hook}({arguments}): raise OSError('full')\n")
    told = f"*the hook pytest_mobileagent_{hook} raised OSError: full"
    result.stdout.fnmatch_lines([told, told])
    result.stdout.no_fnmatch_line("*INTERNALERROR*")
    tasks = newest_report(pytester.path)["tasks"]
    assert [(task["success"], task["fault"]) for task in tasks] == [(None, "infrastructure")] * 2
    assert all("raised OSError: full" in task["reason"] for task in tasks)


def test_in_a_hook_only_an_exit_ends_the_run(run):
    body = "\ndef pytest_mobileagent_verdict(): pytest.{}('enough')\n"
    result = run(body.format("fail"))
    result.assert_outcomes(errors=2, passed=1)
    result = run(body.format("exit"))
    result.assert_outcomes()
    result.stdout.fnmatch_lines(["!* _pytest.outcomes.Exit: enough !*"])
