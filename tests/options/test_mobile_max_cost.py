"""--mobile-max-cost: the maximum cost of the run and of each episode, in US dollars."""

from __future__ import annotations

import shlex

import pytest

from pytest_mobileagent.testing import ScriptedReply, When
from tests.plugin.projects import NO_PHONE

DONE = When("", ScriptedReply("done: 4711", input_tokens=1000, output_tokens=100))  # $0.20
NEVER = When("", ScriptedReply("Let me see.", input_tokens=1000, output_tokens=100))
PRICES = "-omobile_prices=prices.toml"


def outcomes(asking) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for task in asking.report()["tasks"]:
        found.setdefault(f"{task['outcome']} {task['fault']}", []).append(task["termination"])
    return found


def go_on(asking, result) -> pytest.RunResult:
    (line,) = (line for line in result.outlines if line.startswith("continue with: "))
    program, *words = shlex.split(line.removeprefix("continue with: "))
    assert program == "pytest"
    return asking.pytester.runpytest_inprocess(*words)


def test_a_run_that_has_spent_its_budget_stops(asking, served):
    asking.write(count=5)
    model = f"--mobile-model={served(DONE)}"
    result = asking.run(model, PRICES, "--mobile-max-cost=0.40", "--junitxml=junit.xml")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(
        [
            "*price*not run",
            "*100.0% (2/2)*2k/200*$0.40*3",
            "*of all 5: 40.0%",
            "budget: --mobile-max-cost=0.4 is spent: 2 tasks decided, 0 cut off, 3 not run",
            "continue with: pytest * --mobile-resume=runs --mobile-max-cost=0.8",
        ]
    )
    assert outcomes(asking) == {
        "passed None": ["self-reported"] * 2,
        "not run budget": [None] * 3,
    }
    summary = asking.report()["summary"]
    assert (summary["not_run"], summary["decided"], summary["cost_usd"]) == (3, 2, 0.4)
    assert summary["success_rate_of_all"] == pytest.approx(0.4)
    junit = (asking.pytester.path / "junit.xml").read_text("utf-8")
    assert junit.count("<skipped") == 3
    assert junit.count('name="mobile_fault" value="budget"') == 3
    assert 'name="mobile_cost_usd" value="0.2"' in junit


def test_the_suggested_command_runs_only_the_rest(asking, served):
    asking.write(count=4)
    model = f"--mobile-model={served(DONE)}"
    first = asking.run("test_codes.py", model, PRICES, "--mobile-max-cost", "0.2")
    first.assert_outcomes(passed=1, skipped=1)
    second = go_on(asking, first)
    second.assert_outcomes(passed=2, skipped=1)
    assert len(asking.report()["tasks"]) == 4
    third = go_on(asking, second)
    third.assert_outcomes(passed=4)
    third.stdout.fnmatch_lines(["2 reused, 2 run"])
    assert third.ret == 0
    assert asking.report()["summary"]["cost_usd"] == pytest.approx(0.8)


def test_the_command_may_be_given_where_the_run_was(asking, served, monkeypatch):
    below = asking.pytester.mkdir("below dir")
    asking.write(count=3)
    (asking.pytester.path / "test_codes.py").rename(below / "test_codes.py")
    monkeypatch.chdir(below)
    first = asking.pytester.runpytest_inprocess(
        "--agent=../asking.py:Asks", "--mobile-agent-process=off", "-k", "code",
        f"--mobile-model={served(DONE)}", "-omobile_prices=../prices.toml", "--mobile-max-cost=0.1",
    )  # fmt: skip
    first.assert_outcomes(passed=1, skipped=1)
    go_on(asking, first).assert_outcomes(passed=2, skipped=1)


def test_an_episode_that_has_spent_its_budget_ends_and_the_run_continues(asking, served):
    asking.write(count=2)
    model = f"--mobile-model={served(NEVER)}"
    result = asking.run(model, PRICES, "--mobile-max-cost=task=0.5", "--junitxml=junit.xml")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(errors=2)
    assert outcomes(asking) == {"error budget": ["budget"] * 2}
    task = asking.report()["tasks"][0]
    assert (task["success"], task["steps"], task["calls"]) == (None, 3, 3)
    assert task["cost_usd"] == pytest.approx(0.6)
    assert "budget: --mobile-max-cost: the episode's 0.5 US dollars are spent" in task["reason"]
    result.stdout.no_fnmatch_line("*go on with*")
    assert (asking.pytester.path / "junit.xml").read_text("utf-8").count("<error") == 2


def test_an_episode_that_is_cut_off_by_the_runs_budget_ends_the_run(asking, served):
    asking.write(count=3)
    model = f"--mobile-model={served(NEVER)}"
    result = asking.run(model, PRICES, "--mobile-max-cost=0.5,task=9")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(
        [
            "budget: --mobile-max-cost=0.5 is spent: 0 tasks decided, 1 cut off, 2 not run",
            "continue with: * --mobile-max-cost=1,task=9",
        ]
    )


@pytest.mark.slow
def test_all_workers_share_the_budget(asking, served):
    asking.write(count=8)
    model = f"--mobile-model={served(DONE)}"
    result = asking.run(model, PRICES, "--mobile-max-cost=0.7", "-n2", NO_PHONE)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    summary = asking.report()["summary"]
    assert 0.7 <= summary["cost_usd"] <= 1.0
    assert summary["tasks"] == 8
    assert summary["not_run"] + summary["errors"] == 8 - summary["decided"] >= 3


@pytest.mark.slow
def test_a_worker_that_dies_has_spent_what_it_has(asking, served):
    asking.write(count=4)
    asking.pytester.makepyfile(
        kills="""
import os
from asking import Asks
class Kills(Asks):
    def step(self, observation):
        self.model.complete("once")
        os._exit(1)
"""
    )
    model = f"--mobile-model={served(DONE)}"
    result = asking.pytester.runpytest_inprocess(
        "--agent=kills.py:Kills", "--mobile-agent-process=off", model, PRICES,
        "--mobile-max-cost=0.3", "-n1", NO_PHONE,
    )  # fmt: skip
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["budget: --mobile-max-cost=0.3 is spent: 0 tasks decided, *"])


def test_calls_reported_by_an_agent_count(asking):
    result = asking.run("--mobile-max-cost=task=0.6", agent="Own")
    result.assert_outcomes(errors=1)
    (task,) = asking.report()["tasks"]
    assert (task["termination"], task["cost_usd"], task["steps"]) == ("budget", 0.75, 3)


def test_an_agent_that_ends_with_its_last_cent_has_ended(asking, served):
    model = f"--mobile-model={served(DONE)}"
    asking.run(model, PRICES, "--mobile-max-cost=0.2,task=0.2").assert_outcomes(passed=1)


def test_a_budget_stops_no_agent_that_asks_no_model(asking):
    asking.run("--mobile-max-cost=0.000001", agent="Silent").assert_outcomes(passed=1)


@pytest.mark.parametrize("text", ["0", "2,each=1"])
def test_an_invalid_limit_is_refused(asking, text):
    error = asking.refused(f"--mobile-max-cost={text}", agent="Silent")
    assert error == (
        f"--mobile-max-cost={text} (from --mobile-max-cost) must be AMOUNT, "
        "AMOUNT,task=AMOUNT or task=AMOUNT, with amounts above 0"
    )
