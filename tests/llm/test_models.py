"""The models of an episode: by role, usable in the agent's process, and sharing one budget."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.episode.exchanges import CallReader, ExchangeLog
from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.errors import AgentError
from pytest_mobileagent.llm.budget import Budget, BudgetSpent, Limit
from pytest_mobileagent.llm.known_replies import ReplyCache
from pytest_mobileagent.llm.metered import EpisodeModels
from pytest_mobileagent.llm.model import ModelUnavailable
from pytest_mobileagent.llm.models import check_reference
from pytest_mobileagent.llm.prices import Price, Prices
from pytest_mobileagent.llm.reference import ModelChoice, ModelReference, parse_reference
from pytest_mobileagent.testing import ScriptedModel

if TYPE_CHECKING:
    from pathlib import Path

PLANNER, ACTOR = ModelReference("openai", "planner"), ModelReference("openai", "actor")
BOTH = ModelChoice(None, {"planner": PLANNER, "actor": ACTOR})
KEY = "sk-not-a-real-key"


def made(given: EpisodeModels, folder: Path, **clients: ScriptedModel) -> EpisodeModels:
    by_reference = {ModelReference("openai", name): client for name, client in clients.items()}
    return replace(given, clients=by_reference, log=ExchangeLog(folder))


def test_each_role_has_its_model(tmp_path: Path) -> None:
    given = made(
        EpisodeModels(BOTH), tmp_path, planner=ScriptedModel(["plan"]), actor=ScriptedModel(["act"])
    )
    replies = [given.model(role).complete("?") for role in ("planner", "actor")]
    assert [(reply.text, reply.call.model, reply.call.role) for reply in replies] == [
        ("plan", "openai:planner", "planner"),
        ("act", "openai:actor", "actor"),
    ]
    assert given.model("planner").name == "openai:planner"
    assert [call.line for call in CallReader(tmp_path).new()] == [1, 2]


def test_one_model_may_have_all_roles(tmp_path: Path) -> None:
    client = ScriptedModel(["a", "b"])
    given = made(EpisodeModels(ModelChoice(ACTOR)), tmp_path, actor=client)
    assert [given.model(role).complete("?").text for role in ("planner", "critic")] == ["a", "b"]


def test_role_without_model_says_how_to_set_one(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match=r"role 'critic': --mobile-model=critic=PROVIDER:NAME"):
        made(EpisodeModels(BOTH), tmp_path).model("critic")


def test_models_of_an_episode_share_one_budget(tmp_path: Path) -> None:
    prices = Prices({"openai:planner": Price(1e6, 1e6), "openai:actor": Price(1e6, 1e6)})
    limited = EpisodeModels(BOTH, prices, Budget(Limit(None, 1)), tmp_path / "spent.jsonl")
    given = made(limited, tmp_path, planner=ScriptedModel(["plan"]), actor=ScriptedModel(["a"]))
    given.model("planner").complete("?")
    with pytest.raises(BudgetSpent):
        given.model("actor").complete("?")


def test_models_are_sent_to_the_agent_process_without_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    script = tmp_path / "replies.jsonl"
    script.write_text('"one"\n"two"\n')
    here = EpisodeModels(
        ModelChoice(ModelReference("scripted", "replies.jsonl", str(script)), {"p": PLANNER}),
        Prices({"openai:planner": Price(1, 2)}),
        Budget(Limit(1)),
        tmp_path / "spent.jsonl",
        ReplyCache(tmp_path / "cache", 1),
        log=ExchangeLog(tmp_path),
        pictures=ScreenStore(tmp_path / "screens"),
    )
    assert here.model("actor").complete("?").text == "one"
    sent = pickle.dumps(here)
    assert KEY.encode() not in sent
    there = pickle.loads(sent)
    assert there.model("actor").complete("!").text == "one", "a script begins anew in each episode"
    assert [call.line for call in CallReader(tmp_path).new()] == [1, 2]


@pytest.mark.parametrize(
    ("reference", "complaint"),
    [
        (
            ModelReference("scripted", "a.jsonl", "/nowhere/a.jsonl"),
            "scripted:a.jsonl: cannot read",
        ),
        (ModelReference("vllm", "m"), "vllm:m: vllm has no default endpoint"),
        (ModelReference("opnai", "m"), "opnai:m: no provider is called 'opnai'"),
        (ModelReference("openai", "m"), "openai:m: the environment variable OPENAI_API_KEY is not"),
    ],
)
def test_an_unreachable_model_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reference: ModelReference, complaint: str
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "VLLM_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    given = EpisodeModels(ModelChoice(reference))
    with pytest.raises(AgentError, match=f"^--mobile-model={complaint}"):
        given.model("actor")


def test_replay_needs_neither_key_nor_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    cache = ReplyCache(tmp_path / "cache")
    kept = made(
        EpisodeModels(ModelChoice(ACTOR), cache=cache), tmp_path, actor=ScriptedModel(["a"])
    )
    kept.model("actor").complete("?")
    replays = replace(cache, only_replays=True)
    again = EpisodeModels(ModelChoice(ACTOR), cache=replays).model("actor")
    assert again.complete("?").text == "a"
    with pytest.raises(ModelUnavailable, match="--mobile-cache=replay"):
        again.complete("?")


KNOWN = Prices({"openai:ours": Price(1, 2)})


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_answering_model_with_a_price_passes_the_check():
    with ScriptedModel(["yes"]).serve() as url:
        model = parse_reference(f"openai:ours@{url}/v1")
        check_reference(model, KNOWN)
        with pytest.raises(
            ValueError, match=r"no price is known.*--prices=FILE, or run with --unp"
        ):
            check_reference(model, Prices(), options="--")
        check_reference(model, Prices(), unpriced=True)
        with pytest.raises(ValueError, match="--mobile-max-cost cannot limit it"):
            check_reference(model, Prices(), unpriced=True, limited=True)


def test_missing_key_is_named_with_advice():
    with pytest.raises(ValueError, match=r"OPENAI_API_KEY is not set\. Nothing was asked"):
        check_reference(parse_reference("openai:ours"), KNOWN, remark="Nothing was asked")


def test_model_with_cached_replies_needs_no_key():
    check_reference(parse_reference("openai:ours"), KNOWN, replays=True)
