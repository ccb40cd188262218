"""--mobile-cache: which models' replies and which OCR results are cached."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.screen import ocr
from pytest_mobileagent.testing import Fault, ScriptedModel, ScriptedReply, When
from tests.options import judging
from tests.options.test_mobile_rescore import NO, YES

if TYPE_CHECKING:
    from tests.options.asking import Asking

DONE = When("", ScriptedReply("done: 4711", input_tokens=1000, output_tokens=100))
PRICES = "-omobile_prices=prices.toml"


@pytest.fixture
def caching(asking: Asking) -> Asking:
    asking.pytester.makeini("[pytest]")
    return asking


def costs(asking) -> list[float]:
    return [task["cost_usd"] for task in asking.report()["tasks"]]


def test_agents_replies_are_not_cached_by_default(caching, served):
    model = f"--mobile-model={served(DONE)}"
    for words in ([], ["--mobile-cache=judges"]):
        caching.run(model, PRICES, *words).assert_outcomes(passed=1)
        assert costs(caching) == [pytest.approx(0.2)]


@pytest.mark.parametrize("off", [True, False])
def test_a_reply_that_is_kept_costs_nothing_again(caching, served, off):
    model = f"--mobile-model={served(DONE)}"
    for usd in (0.2, 0.0):
        result = caching.run(model, PRICES, "--mobile-cache=all", off=off)
        result.assert_outcomes(passed=1)
        assert costs(caching) == [pytest.approx(usd)]
    call = caching.calls()[-1]["call"]
    assert {caching.calls()[0]["call"]["from_cache"], call["from_cache"]} == {True, False}
    assert caching.report()["tasks"][0]["input_tokens"] == 1000


def test_each_epoch_is_kept_for_itself(caching, served):
    model = f"--mobile-model={served(DONE)}"
    cached = [model, PRICES, "--mobile-cache=all"]
    caching.run(*cached)
    caching.run(*cached, "--mobile-epochs=2").assert_outcomes(passed=2)
    assert costs(caching) == [0.0, pytest.approx(0.2)]


def test_another_server_under_the_same_name_is_asked_anew(caching, served, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-real-key")
    for reply in (DONE, When("", ScriptedReply("done: 4712"))):
        monkeypatch.setenv("OPENAI_BASE_URL", served(reply).partition("@")[2])
        caching.run("--mobile-model=openai:own", PRICES, "--mobile-cache=all")
    assert not caching.calls()[-1]["call"]["from_cache"]
    assert [task["answer"] for task in caching.report()["tasks"]] == ["4712"]


def test_a_script_that_was_changed_is_asked_anew(caching):
    for answer in ("4711", "4712"):
        model = caching.script(f"done: {answer}", name="same")
        caching.run(f"--mobile-model={model}", PRICES, "--mobile-cache=all")
        assert [task["answer"] for task in caching.report()["tasks"]] == [answer]


def test_a_replay_needs_no_key_and_no_server_that_answers(caching, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-real-key")
    model = "--mobile-model=openai:own"
    with ScriptedModel([DONE]).serve() as url:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
        caching.run(model, PRICES, "--mobile-cache=all").assert_outcomes(passed=1)
    monkeypatch.delenv("OPENAI_API_KEY")
    caching.run(model, PRICES, "--mobile-cache=replay").assert_outcomes(passed=1)
    assert costs(caching) == [0.0]
    caching.run(model, PRICES, "--mobile-cache=replay", off=False).assert_outcomes(passed=1)
    shutil.rmtree(caching.pytester.path / ".pytest_cache")
    result = caching.run(model, PRICES, "--mobile-cache=replay")
    result.assert_outcomes(errors=1)
    (task,) = caching.report()["tasks"]
    assert task["fault"] == "infrastructure"
    assert "--mobile-cache=replay: no reply is cached for this request" in task["infrastructure"][0]


def test_errors_and_cut_replies_are_not_kept(caching, served):
    cut = ScriptedReply("done: 47", stop="length", input_tokens=1000, output_tokens=100)
    whole = ScriptedReply("done: 4711", input_tokens=1000, output_tokens=100)
    model = f"--mobile-model={served(Fault(400), cut, whole)}"
    cached = [model, PRICES, "--mobile-cache=all"]
    for failed in (1, 1, 0, 0):
        caching.run(*cached).assert_outcomes(failed=failed, passed=1 - failed)
    assert costs(caching) == [0.0]


@pytest.mark.parametrize("mode", ["all", "replay"])
def test_caching_needs_pytests_cache(asking, mode):
    error = asking.refused(
        f"--mobile-cache={mode}", f"--mobile-model={asking.script('done: 4711')}"
    )
    assert error == (
        f"--mobile-cache={mode}: replies are stored in pytest's cache, which "
        "-p no:cacheprovider disables"
    )


READS = """
from pytest_mobileagent import Agent, Bounds, Finish
from pytest_mobileagent.screen import ocr

class Engine:
    def read(self, image):
        with open("readings.txt", "a") as file:
            file.write("x")
        return [ocr.TextBox("4711", Bounds(1, 2, 3, 4), 0.5)]

class Reads(Agent):
    def step(self, observation):
        ocr.ENGINES["rapidocr"] = Engine
        (line,) = ocr.read_text(observation.screen.image)
        return Finish(line.text)
"""


@pytest.mark.parametrize(
    ("words", "readings"),
    [
        ([], 1),
        (["--mobile-agent-process=on"], 1),
        (["--mobile-agent-process=on", "--mobile-cache=off"], 4),
        (["-p", "no:cacheprovider"], 4),
        (["--mobile-redact=rules.toml"], 4),
    ],
)
def test_a_picture_is_read_once_in_all_runs(caching, monkeypatch, words, readings):
    monkeypatch.setitem(ocr.ENGINES, "rapidocr", ocr.RapidOcr)
    monkeypatch.setattr(ocr, "_engines", {})
    caching.write(count=2)
    caching.pytester.makepyfile(reads=READS)
    caching.pytester.makefile(".toml", rules='text = ["secret"]')
    for _ in range(2):
        result = caching.pytester.runpytest_inprocess(
            "--agent=reads.py:Reads", "--mobile-agent-process=off", *words
        )
        result.assert_outcomes(passed=2)
    assert (caching.pytester.path / "readings.txt").read_text() == "x" * readings
    assert "PYTEST_MOBILEAGENT_OCR" not in os.environ


def test_a_folder_that_cannot_be_made_keeps_nothing(caching):
    (caching.pytester.path / ".pytest_cache").touch()
    result = caching.run("-W", "ignore::pytest.PytestCacheWarning", agent="Silent")
    result.assert_outcomes(passed=1)


def _judged(asking: Asking) -> Path:
    """Run a task that three judges decide, two votes each; the scripts are gone then."""
    judging.write(asking)
    replies = [["I think so."] * 2 + [YES] * 4, [NO] * 2, [YES, NO]]
    judges = [asking.script(*each, name=f"j{n}") for n, each in enumerate(replies)]
    named = f"--mobile-judges={','.join(judges)}"
    judging.run(asking, "--llm-judge=cross", named, "-omobile_judge_runs=2", "--mobile-retries=3")
    for judge in judges:
        (asking.pytester.path / judge.removeprefix("scripted:")).unlink()
    return Path(asking.pytester.path, "runs", asking.report()["run"]["id"])


def test_judges_may_get_their_recorded_replies(asking: Asking) -> None:
    _judged(asking)
    before = judging.task(asking)
    judging.run(asking, "--mobile-rescore=runs", "--mobile-cache=recorded")
    after = judging.task(asking)
    assert after["outcome"] == before["outcome"] == "review"
    assert after["verdict"]["reason"] == before["verdict"]["reason"]
    assert len(after["verdict"]["evidence"]["judges"]) == 3
    assert after["roles"]["judge"]["cost_usd"] == 0


def test_a_prompt_that_is_not_recorded_is_an_error(asking: Asking) -> None:
    run = _judged(asking)
    (replies,) = run.glob("episodes/*/judges.jsonl")
    replies.write_text(replies.read_text("utf-8").replace("know the code", "know a code"))
    judging.run(asking, "--mobile-rescore=runs", "--mobile-cache=recorded")
    task = judging.task(asking)
    assert (task["outcome"], task["fault"]) == ("error", "judge")
    assert re.search(r"no reply of scripted:j0.jsonl to this prompt: .*the code", task["reason"])


def test_recorded_replies_are_for_judges_of_recorded_episodes(refused: Any) -> None:
    assert "recorded is for --mobile-rescore" in refused("--mobile-cache=recorded")
