"""--mobile-replies: agents receive the replies that their models gave in an earlier run."""

from __future__ import annotations

import json

import pytest


def again(asking, *arguments: str, run: str = "runs") -> pytest.RunResult:
    given = (f"--mobile-replies={run}", "--mobile-agent-process=off", *arguments)
    return asking.pytester.runpytest_inprocess(*given)


@pytest.mark.parametrize("process", ["off", "on"])
def test_replies_are_given_in_order_and_no_model_is_asked(asking, served, process):
    """The replay needs neither the model's server nor a price or key."""
    model = served("go on", "done: 4711")
    asking.run(f"--mobile-model={model}", "--mobile-unpriced=allow").assert_outcomes(passed=1)
    first = asking.report()
    (folder,) = (asking.pytester.path / "runs").iterdir()
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    result = again(asking, f"--mobile-agent-process={process}")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*1 played again, 1 with the same verdict*"])
    second = asking.report()
    assert second["run"]["id"] != first["run"]["id"]
    (task,) = second["tasks"]
    assert (task["steps"], task["calls"], task["cost_usd"]) == (1, 2, 0)
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


def test_an_agent_that_asks_for_more_has_failed(asking):
    asking.run(f"--mobile-model={asking.script('go on', 'done: 4711')}").assert_outcomes(passed=1)
    (calls,) = asking.pytester.path.glob("runs/*/episodes/*/calls.jsonl")
    calls.write_text("".join(calls.read_text("utf-8").splitlines(keepends=True)[:1]), "utf-8")
    again(asking).assert_outcomes(failed=1)
    (task,) = asking.report()["tasks"]
    assert task["termination"] == "agent error"
    assert "no reply to actor is left" in task["reason"]


def test_an_episode_without_replies_is_not_played(asking):
    asking.run(agent="Silent").assert_outcomes(passed=1)
    again(asking).assert_outcomes(skipped=1)
    (task,) = asking.report()["tasks"]
    assert "no reply of a model to codes/code[0] is recorded" in task["reason"]


def test_an_invalid_recorded_call_ends_the_episode_with_an_error(asking):
    asking.run(f"--mobile-model={asking.script('done: 4711')}").assert_outcomes(passed=1)
    (calls,) = asking.pytester.path.glob("runs/*/episodes/*/calls.jsonl")
    calls.write_text(calls.read_text("utf-8") + json.dumps({"role": 1}) + "\n", "utf-8")
    again(asking, "--mobile-retries=0").assert_outcomes(errors=1)
    assert "line 2, is not a call of a model" in asking.report()["tasks"][0]["infrastructure"][0]


def test_incompatible_options_are_refused(asking, fnmatch):
    asking.run(f"--mobile-model={asking.script('done: 4711')}").assert_outcomes(passed=1)
    result = again(asking, "--mobile-rescore=runs")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result = again(asking, "--agent=asking.py:Two")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "do not go together" in result.stderr.str()
    result = again(asking, run="nowhere")
    assert "nowhere is not a folder" in result.stderr.str()
