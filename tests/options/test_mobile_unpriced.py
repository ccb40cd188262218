"""--mobile-unpriced: whether models without a known price are allowed."""

from __future__ import annotations

import pytest

from pytest_mobileagent.testing import ScriptedReply, When

DONE = When("", ScriptedReply("done: 4711", input_tokens=1000, output_tokens=100))


def test_a_model_without_a_price_is_reported_before_a_device_starts(asking, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-real-key")
    assert asking.refused("--mobile-model=openai:our-tuned-4o") == (
        "--mobile-model=openai:our-tuned-4o: no price is known. Give one with "
        "-o mobile_prices=FILE, or run with --mobile-unpriced=allow"
    )


def test_an_unknown_price_is_never_zero(asking, served):
    asking.write(count=2)
    model = served(DONE)
    result = asking.run(f"--mobile-model={model}", "--mobile-unpriced=allow")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*price", "*2k/200*2 unpriced calls"])
    report = asking.report()
    (task, _) = report["tasks"]
    assert (task["cost_usd"], task["unpriced_calls"], task["input_tokens"]) == (None, 1, 1000)
    assert (report["summary"]["cost_usd"], report["summary"]["unpriced_calls"]) == (None, 2)
    assert task["roles"]["actor"]["cost_usd"] is None


def test_a_known_price_beside_an_unknown_one_is_reported_with_it(asking, served):
    planner, actor = served(DONE, name="unheard-of"), served(DONE)
    result = asking.run(
        f"--mobile-model=planner={planner},actor={actor}",
        "-omobile_prices=prices.toml", "--mobile-unpriced=allow", agent="Two",
    )  # fmt: skip
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*$0.20 + 1 unpriced call"])
    roles = asking.report()["tasks"][0]["roles"]
    assert (roles["planner"]["cost_usd"], roles["actor"]["cost_usd"]) == (None, pytest.approx(0.2))


def test_a_model_without_a_price_cannot_be_limited_by_cost(asking, served):
    model = served(DONE)
    result = asking.run(f"--mobile-model={model}", "--mobile-unpriced=allow", "--mobile-max-cost=1")
    assert result.ret == 4
    result.stderr.fnmatch_lines(
        ["ERROR: *no price is known, so --mobile-max-cost cannot limit it*"]
    )
