"""What the machines of a run share without sharing files: budgets, episodes, and no keys."""

from __future__ import annotations

import pytest

from pytest_mobileagent.testing import ScriptedModel, ScriptedReply
from tests.fleet.conftest import ended

pytestmark = pytest.mark.slow

# Asks again and again, as fast as it can, and never comes to an end.
ASKS = """
from pytest_mobileagent import Agent, Finish

class Mine(Agent):
    roles = ("actor",)
    def start(self, briefing):
        self.model = briefing.model("actor")
    def step(self, observation):
        while self.model.complete("Well?").text != "done":
            pass
        return Finish("12")
"""
CALL = ScriptedReply("Hm.", input_tokens=90, output_tokens=10)


@pytest.mark.parametrize("process", ["on", "off"])
def test_phones_exceed_a_budget_by_no_more_than_the_calls_under_way(fleet, sent, process):
    (sent.path / "agents" / "mine.py").write_text(ASKS)
    model = ScriptedModel([*[CALL] * 500, "done"])
    with model.serve() as url:
        run = sent.start(
            fleet,
            "-n2",
            f"--mobile-model=openai:own@{url}/v1",
            "--mobile-unpriced=allow",
            "--mobile-max-tokens=2000",
            f"--mobile-agent-process={process}",
        )
        assert ended(run) == 2, sent.output()
    assert 20 <= len(model.requests) <= 21
    assert "budget: --mobile-max-tokens=2000 is spent" in sent.output()
    ledger = next(sent.path.glob("runs/*/spent.jsonl")).read_text()
    assert ledger == "[0.0,100]\n" * len(model.requests)
