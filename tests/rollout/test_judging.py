"""Models as judges of rollouts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Finish
from pytest_mobileagent.llm.prices import Price, Prices
from pytest_mobileagent.report.recorded_run import read_report
from pytest_mobileagent.rollout import MobileEnv, ModelJudge, RecordedRollouts
from pytest_mobileagent.testing import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Iterator


def reported(env: MobileEnv) -> tuple[float, bool, dict[str, Any]]:
    """Return the reward, whether the episode was truncated, and the info, of an agent's report."""
    env.reset(seed=1)
    _, reward, _, truncated, info = env.step(Finish())
    return reward, truncated, info


@pytest.fixture
def model() -> Iterator[str]:
    """Yield a model that says yes, then no, and so on."""
    with ScriptedModel(["Result: 1", "Result: 0"] * 3).serve() as url:
        yield f"openai:own@{url}/v1"


def test_models_decide_and_are_recorded(model, named, fleet, tmp_path):
    with RecordedRollouts(tmp_path, [named["nice"]]) as run:
        env = MobileEnv(named["nice"], fleet[0], record=run, judge=ModelJudge(model))
        rewards = [reported(env)[0] for _ in range(2)]
        env.close()
    assert rewards == [1.0, 0.0]
    tasks = read_report(run.folder.path / "report.json")["tasks"]
    scorers = [task.verdict and task.verdict["scorer"] for task in tasks]
    assert [*zip((task.outcome for task in tasks), scorers, strict=True)] == [
        ("passed", "judge"),
        ("failed", "judge"),
    ]


def test_spent_budget_ends_the_questions(model, named, fleet):
    prices = Prices({"openai:own": Price(1000.0, 1000.0)})
    judge = ModelJudge(model, max_cost=0.01, prices=prices)
    env = MobileEnv(named["nice"], fleet[0], judge=judge)
    assert reported(env)[0] == 1.0
    assert judge.cost > 0.01
    _, truncated, info = reported(env)
    assert (truncated, info["broken"]) == (True, "max_cost=0.01 is spent: no judge is asked")
    env.close()


@pytest.mark.parametrize(
    ("models", "limit", "why"),
    [
        ((), None, "PROVIDER:NAME"),
        (("nothing",), None, "PROVIDER:NAME"),
        (("vllm:a", "vllm:b", "vllm:c", "vllm:d"), None, "at most 3 models judge"),
        (("vllm:a@http://127.0.0.1:1/v1",), 1.0, "no price is known"),
    ],
)
def test_judges_that_cannot_be_asked_are_refused(models, limit, why):
    with pytest.raises(ValueError, match=why):
        ModelJudge(*models, max_cost=limit)
