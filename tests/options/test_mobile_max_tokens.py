"""--mobile-max-tokens: the maximum number of tokens for the run and for each episode."""

from __future__ import annotations

import pytest

SEE = {"reply": "Let me see.", "input_tokens": 900_000, "output_tokens": 100_000}


def test_a_run_that_has_used_its_tokens_stops(asking):
    asking.write(count=3)
    model = asking.script(SEE, "done: 4711")
    result = asking.run(f"--mobile-model={model}", "--mobile-max-tokens=1000001")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(
        [
            "budget: --mobile-max-tokens=1000001 is spent: 1 task decided, 0 cut off, 2 not run",
            "continue with: pytest * --mobile-resume=runs --mobile-max-tokens=2000002",
        ]
    )


def test_an_episode_that_has_used_its_tokens_ends(asking):
    asking.write(count=2)
    model = asking.script(SEE, "done: 4711")
    result = asking.run(f"--mobile-model={model}", "--mobile-max-tokens=task=1000000")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    tasks = asking.report()["tasks"]
    assert [(task["termination"], task["fault"]) for task in tasks] == [("budget", "budget")] * 2
    assert "--mobile-max-tokens: the episode's 1000000 tokens are spent" in tasks[0]["reason"]


def test_tokens_that_are_estimated_count(asking):
    model = asking.script("Let me see, and think.", "done: 4711")
    result = asking.run(f"--mobile-model={model}", "--mobile-max-tokens=9,task=8")
    result.assert_outcomes(errors=1)


def test_both_budgets_may_be_given(asking):
    model = asking.script(SEE, "done: 4711")
    limits = ["--mobile-max-tokens=1000", "--mobile-max-cost=5"]
    result = asking.run(f"--mobile-model={model}", *limits)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(
        ["continue with: * --mobile-max-cost=5 --mobile-resume=runs --mobile-max-tokens=1024000"]
    )


@pytest.mark.parametrize("text", ["0.5", "1e3,task=1.5"])
def test_an_invalid_limit_is_refused(asking, text):
    error = asking.refused(f"--mobile-max-tokens={text}", agent="Silent")
    assert "AMOUNT,task=AMOUNT or task=AMOUNT, with " in error
