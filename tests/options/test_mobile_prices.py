"""mobile_prices: a file with the user's own prices."""

from __future__ import annotations

import pytest

from pytest_mobileagent.testing import ScriptedReply

DONE = ScriptedReply("done: 4711", input_tokens=1000, output_tokens=100)


def test_own_prices_count(asking, served):
    model = served(DONE)
    asking.run(f"--mobile-model={model}", "-omobile_prices=prices.toml").assert_outcomes(passed=1)
    report = asking.report()
    assert report["tasks"][0]["cost_usd"] == pytest.approx(0.2)
    assert report["run"]["price_table"].endswith(" and own")


def test_a_price_of_nothing_is_known_and_nothing(asking, served):
    asking.pytester.makefile(".toml", prices='["openai:own"]\ninput = 0\noutput = 0\n')
    model = served(DONE)
    result = asking.run(f"--mobile-model={model}", "-omobile_prices=prices.toml")
    result.assert_outcomes(passed=1)
    (task,) = asking.report()["tasks"]
    assert (task["cost_usd"], task["unpriced_calls"]) == (0, 0)
    result.stdout.no_fnmatch_line("*unpriced*")


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (None, "cannot read *own.toml: No such file or directory"),
        ('["openai:a"]\ninput = 1', '*own.toml: ["openai:a"] lacks output'),
        ('["gpt-4o"]\ninput = 1', "*own.toml: *'gpt-4o' must be PROVIDER:NAME*"),
    ],
)
def test_an_invalid_file_is_reported_before_a_device_starts(asking, fnmatch, content, error):
    if content is not None:
        asking.pytester.makefile(".toml", own=content)
    model = "--mobile-model=openai:own@http://127.0.0.1:9/v1"
    fnmatch(asking.refused(model, "-omobile_prices=own.toml"), f"mobile_prices=own.toml: {error}")


def test_an_invalid_file_is_reported_before_collection(asking):
    model = asking.script("done: 4711")
    result = asking.run(f"--mobile-model={model}", "-omobile_prices=none.toml")
    result.stdout.no_fnmatch_line("*no tests ran*")
    assert result.ret == 4


def test_an_invalid_file_is_reported_for_every_model(asking, fnmatch):
    model = asking.script("done: 4711")
    error = asking.refused(f"--mobile-model={model}", "-omobile_prices=own.toml")
    fnmatch(error, "mobile_prices=own.toml: cannot read *")


def test_the_file_of_the_ini_lies_beside_it(asking, served, monkeypatch):
    asking.pytester.makeini(
        "[pytest]\naddopts = -p no:cacheprovider\nmobile_prices = prices.toml\n"
        f"mobile_model = {served(DONE)}"
    )
    monkeypatch.chdir(asking.pytester.mkdir("below"))
    result = asking.pytester.runpytest_inprocess(
        "..", "--agent=../asking.py:Asks", "--mobile-agent-process=off"
    )
    result.assert_outcomes(passed=1)
    assert asking.report()["tasks"][0]["cost_usd"] == pytest.approx(0.2)
