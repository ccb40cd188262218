"""--mobile-judges: the models used as judges."""

from __future__ import annotations

import pytest

from tests.options import judging

SINGLE = "--llm-judge=single"


def test_a_missing_key_is_reported_before_a_device_starts(asking):
    error = asking.refused(SINGLE, "--mobile-judges=openai:gpt-4o", agent="Silent")
    assert error == (
        "--mobile-judges=openai:gpt-4o: openai:gpt-4o: the environment variable OPENAI_API_KEY is "
        "not set. No device was started."
    )


def test_a_judge_without_a_price_is_refused(asking, served):
    judge = served("Result: 1")
    error = asking.refused(SINGLE, f"--mobile-judges={judge}", agent="Silent")
    assert "no price is known" in error


def test_a_judge_is_asked_over_the_wire_and_priced(asking, served):
    judging.write(asking)
    judge = f"--mobile-judges={served('Result: 1')}"
    result = asking.run(SINGLE, judge, "-omobile_prices=prices.toml", agent="Silent")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["suite *judge price*"])
    spent = judging.task(asking)["roles"]["judge"]
    assert spent["cost_usd"] > 0
    assert judging.task(asking)["cost_usd"] is None


def test_a_scripted_judge_needs_no_key(asking):
    judging.write(asking)
    result = asking.run(SINGLE, "--mobile-judges=openai:gpt-4o", "--collect-only", agent="Silent")
    assert result.ret == 0


def test_a_script_of_the_ini_file_is_found_from_anywhere(asking, monkeypatch):
    judging.write(asking)
    model = asking.script("Result: 1")
    asking.pytester.makeini(f"[pytest]\nmobile_judges = {model}")
    (asking.pytester.path / "elsewhere").mkdir()
    monkeypatch.chdir(asking.pytester.path / "elsewhere")
    result = asking.pytester.runpytest_inprocess(
        "..", "--agent=../asking.py:Silent", "--mobile-agent-process=off", SINGLE
    )
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize("name", ["own", "family/llama3:8b"])
def test_a_judge_that_is_the_agents_model_is_pointed_out(asking, served, name):
    asking.pytester.makepyfile(test_codes=judging.TASKS.replace("COUNT", "1"))
    judge = f"--mobile-judges={served('Result: 1', name=name)}"
    model = f"--mobile-model={served('done: 4711', name=name)}"
    result = asking.run(SINGLE, judge, model, "--mobile-unpriced=allow")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [f"openai:{name} judged 1 task in which it was the agent's own model"]
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("gpt-4o", "must be PROVIDER:NAME"),
        ("openai:gpt-4o,openai:gpt-4o", "names openai:gpt-4o twice"),
        (
            "openai:a,openai:b,openai:c,openai:d",
            "names 4 models; two judge, and a third settles disputes",
        ),
    ],
)
def test_an_invalid_list_of_judges_is_refused(refused, text, why):
    assert why in refused("--llm-judge=cross", f"--mobile-judges={text}")
