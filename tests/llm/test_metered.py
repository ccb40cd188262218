"""Metered models: the cost and the record of their calls, and how failures are handled."""

from __future__ import annotations

import io
import json
import traceback
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
import stamina
from PIL import Image as pillow

from pytest_mobileagent.episode.exchanges import STREAM, CallReader, ExchangeLog
from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.llm.budget import Budget, BudgetSpent, Ledger, Limit
from pytest_mobileagent.llm.known_replies import ReplyCache
from pytest_mobileagent.llm.metered import EpisodeModels, MeteredModel
from pytest_mobileagent.llm.model import (
    Completion,
    Image,
    Message,
    ModelUnavailable,
    Request,
    RequestRefusedError,
    Tool,
)
from pytest_mobileagent.llm.prices import Price, Prices
from pytest_mobileagent.llm.provider_errors import error_of, kind_of
from pytest_mobileagent.llm.reference import parse_reference
from pytest_mobileagent.testing import Fault, ScriptedModel, ScriptedReply, ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_mobileagent.llm.model import Client

    Make = Callable[..., MeteredModel]

KEY = "sk-not-a-real-key"
PRICES = Prices({"openai:own": Price(1_000, 10_000)})  # $1 for 1000 input or 100 output tokens


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Makes a model with scripted replies whose calls are recorded in `tmp_path`."""

    def make(
        *replies: Any,
        model: str = "openai:own",
        role: str = "actor",
        budget: Budget | None = None,
        cache: ReplyCache | None = None,
        client: Client | None = None,
        ledger_server: Path | None = None,
    ) -> MeteredModel:
        reference = parse_reference(model)
        models = EpisodeModels(
            prices=PRICES,
            budget=budget or Budget(),
            ledger=tmp_path / "spent.jsonl",
            cache=cache,
            ledger_server=ledger_server,
            clients={reference: client or ScriptedModel(replies)},
            log=ExchangeLog(tmp_path),
            pictures=ScreenStore(tmp_path / "screens"),
        )
        return models.metered(reference, role)

    return make


@pytest.fixture
def _at_once() -> Iterator[None]:
    """Retry without waiting."""
    with stamina.set_testing(True, attempts=8):
        yield


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / STREAM).read_text("utf-8").splitlines()]


def png(width: int = 600, height: int = 600) -> bytes:
    buffer = io.BytesIO()
    pillow.new("RGB", (width, height)).save(buffer, "PNG")
    return buffer.getvalue()


def test_a_reply_has_its_cost(make: Make) -> None:
    model = make(ScriptedReply("Tap 3.", input_tokens=500, output_tokens=20, cached_tokens=100))
    reply = model.complete("What now?", images=[png()])
    call = reply.call
    assert (reply.text, reply.stop, reply.message) == (
        "Tap 3.",
        "end",
        Message("assistant", ("Tap 3.",)),
    )
    assert (call.model, call.role, call.images, call.retries) == ("openai:own", "actor", 1, 0)
    assert (call.input_tokens, call.output_tokens, call.cached_tokens) == (500, 20, 100)
    assert call.response_model == "scripted"
    assert call.price_usd == pytest.approx(0.7)
    assert call.seconds is not None
    assert (call.estimated, call.from_cache, call.line) == (False, False, 1)
    assert (call.estimated_input_tokens, call.estimated_output_tokens) == (3 + 85 + 4 * 170, 2)


def test_tokens_are_estimated_if_not_reported(make: Make) -> None:
    call = make("abcdefgh").complete("x" * 400).call
    assert (call.estimated, call.input_tokens, call.output_tokens) == (True, 100, 2)
    assert call.price_usd == pytest.approx(0.1 + 0.02)
    assert make("a", model="openai:unheard-of").complete("x").call.price_usd is None


def test_helper_calls_are_not_estimated(make: Make) -> None:
    call = make("text", role="ocr").complete("Read this.").call
    assert (call.estimated_input_tokens, call.estimated_output_tokens) == (None, None)
    assert call.input_tokens == 3


def test_prompt_and_reply_are_recorded_with_picture_references(make: Make, tmp_path: Path) -> None:
    tool = ToolCall("1", "tap", {"x": 3})
    model = make(ScriptedReply("", [tool]), "done")
    reply = model.complete(
        "Where?", images=[png()], system="Be brief.", temperature=0, max_tokens=50, seed=0,
        stop=["\n"], tools=[Tool("tap", "taps")], extra={"top_k": 1},
    )  # fmt: skip
    conversation = [
        Message("user", ("Where?",)),
        reply.message,
        Message("tool", ("ok",), answers="1"),
    ]
    model.complete(conversation, images=[Image(b"\xff\xd8\xffjpeg", "low")])
    first, second = lines(tmp_path)
    (picture,) = (part["picture"] for part in first["prompt"][1]["content"] if part != "Where?")
    assert (tmp_path / "screens" / picture).read_bytes() == png()
    assert first["prompt"][0] == {"role": "system", "content": ["Be brief."]}
    assert first["settings"] == {
        "max_tokens": 50, "temperature": 0, "seed": 0, "stop": ["\n"], "extra": {"top_k": 1},
        "tools": [{"name": "tap", "description": "taps", "parameters": {}, "provider": None}],
    }  # fmt: skip
    assert first["reply"]["stop"] == "tools"
    assert first["reply"]["tool_calls"][0]["arguments"] == {"x": 3}
    assert (first["role"], first["model"], first["error"]) == ("actor", "openai:own", "")
    assert [m["role"] for m in second["prompt"]] == ["user", "assistant", "tool"]
    assert second["prompt"][2]["answers"] == "1"
    assert second["prompt"][2]["content"][1]["picture"].endswith(".jpg")
    assert [call.line for call in CallReader(tmp_path).new()] == [1, 2]


@pytest.mark.parametrize(
    "fault", [Fault(429, retry_after=0), Fault(529, 0), Fault(500, 0)], ids=str
)
def test_busy_provider_is_retried(make: Make, tmp_path: Path, fault: Fault) -> None:
    call = make(fault, fault, "at last").complete("Hello?").call
    assert (call.retries, call.seconds is not None and call.seconds < 5) == (2, True)
    *busy, last = lines(tmp_path)
    assert [line["call"] for line in busy] == [None, None]
    assert last["call"]["line"] == 3
    assert CallReader(tmp_path).new() == (call,)
    assert Ledger(tmp_path / "spent.jsonl").spent().tokens == 4


def test_agents_may_ask_for_fewer_retries(make: Make) -> None:
    busy = Fault(429, retry_after=0)
    assert make(busy, busy, "at last").complete("Hello?", retries=2).call.retries == 2
    with pytest.raises(ModelUnavailable, match="too many requests"):
        make(busy, busy, "too late").complete("Hello?", retries=1)
    with pytest.raises(ModelUnavailable, match="too many requests"):
        make(busy, "too late").complete("Hello?", retries=0)


def test_retries_of_other_code_are_logged_and_ours_are_not(
    make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    assert make(Fault(429, retry_after=0), "at last").complete("Hello?").call.retries == 1
    assert not caplog.records
    attempts = stamina.retry_context(on=ValueError, attempts=2, wait_initial=0, wait_jitter=0)
    for attempt in attempts:
        with attempt:
            if attempt.num == 1:
                raise ValueError
    assert [record.name for record in caplog.records] == ["stamina"]


def test_retry_waits_as_long_as_the_provider_says(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    make(Fault(429, retry_after=7), Fault(503, retry_after=0.5), Fault(429, -1), "ok").complete(
        "Hello?"
    )
    assert waits == [7, 0.5, 0]


@pytest.mark.usefixtures("_at_once")
@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (Fault(503, None), "the server is overloaded"),
        (Fault("drop"), "the connection was closed"),
        (Fault("malformed"), "the answer is not JSON"),
        (Fault(429, retry_after=0), "too many requests"),
    ],
    ids=str,
)
def test_unavailable_provider_is_an_infrastructure_error(
    make: Make, tmp_path: Path, fault: Fault, why: str
) -> None:
    client = ScriptedModel([fault] * 20)
    with pytest.raises(ModelUnavailable, match=f"^model openai:own: .*{why}"):
        make(client=client).complete("Hello?")
    assert len(client.requests) == 8
    *busy, line = lines(tmp_path)
    assert len(busy) == 8
    assert (line["call"], line["reply"]) == (None, None)
    assert why in line["error"]
    assert line["prompt"][0]["content"] == ["Hello?"]
    reader = CallReader(tmp_path)
    assert (reader.new(), reader.busy_since) == ((), None)


def test_waits_of_hours_are_refused(make: Make) -> None:
    client = ScriptedModel([Fault(429, retry_after=3600), "too late"])
    with pytest.raises(ModelUnavailable, match="too many requests"):
        make(client=client).complete("Hello?")
    assert len(client.requests) == 1


@pytest.mark.parametrize("kind", [401, 403, 404, "quota"])
def test_permanent_errors_are_not_retried(make: Make, kind: Any) -> None:
    client = ScriptedModel([Fault(kind), "never"])
    with pytest.raises(ModelUnavailable):
        make(client=client).complete("Hello?")
    assert len(client.requests) == 1


def test_rejected_request_is_an_agent_error(make: Make, tmp_path: Path) -> None:
    with pytest.raises(RequestRefusedError, match="too long"):
        make(Fault(413)).complete("x" * 10**6)
    assert "RequestRefusedError" in lines(tmp_path)[0]["error"]


@pytest.mark.parametrize("status", [400, 401, 503])
@pytest.mark.usefixtures("_at_once")
def test_records_and_errors_contain_no_keys(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    class Tells:
        def ask(self, _: Request) -> Completion:
            raise error_of(kind_of(status, ""), f"the key {KEY} is wrong")

    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(
        (ModelUnavailable, RequestRefusedError), match="the key … is wrong"
    ) as error:
        make(client=Tells()).complete("Hello?")
    assert KEY not in "".join(path.read_text("utf-8") for path in tmp_path.glob("*.jsonl"))
    assert KEY not in "".join(traceback.format_exception(error.value))


def test_client_error_is_recorded_and_raised(make: Make, tmp_path: Path) -> None:
    class Broken:
        def ask(self, _: Request) -> Completion:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        make(client=Broken()).complete("Hello?")
    assert lines(tmp_path)[0]["error"].startswith("ZeroDivisionError")


def test_exhausted_budget_stops_further_calls(make: Make, tmp_path: Path) -> None:
    client = ScriptedModel(["a", "b", "c"])
    model = make(client=client, budget=Budget(Limit(None, 0.1)))
    model.complete("x" * 400)
    with pytest.raises(BudgetSpent, match=r"the episode's 0.1 US dollars are spent"):
        model.complete("x" * 400)
    assert len(client.requests) == len(lines(tmp_path)) == 1
    other = make(client=client, budget=Budget(Limit(0.1)))
    with pytest.raises(BudgetSpent, match=r"--mobile-max-cost=0.1 is spent"):
        other.complete("x")


def test_a_model_is_not_called_if_the_spending_is_unknown(make: Make, tmp_path: Path) -> None:
    client = ScriptedModel(["a"])
    model = make(client=client, budget=Budget(Limit(1.0)), ledger_server=tmp_path / "nobody")
    with pytest.raises(ModelUnavailable, match="what the run has spent is unknown"):
        model.complete("Hello?")
    assert client.requests == []
    assert make("a", ledger_server=tmp_path / "nobody").complete("Hello?").text == "a"


def test_cached_replies_are_free_and_counted(make: Make, tmp_path: Path) -> None:
    cache, client = ReplyCache(tmp_path / "cache"), ScriptedModel(["a", "b", "c"])
    model = make(client=client, cache=cache)
    assert [model.complete("Hi").text for _ in range(2)] == ["a", "b"]
    again = make(client=client, cache=cache, budget=Budget(Limit(1e-9)))
    replies = [again.complete("Hi") for _ in range(2)]
    assert [reply.text for reply in replies] == ["a", "b"]
    assert len(client.requests) == 2
    call = replies[0].call
    assert (call.price_usd, call.from_cache, call.input_tokens, call.line) == (0.0, True, 1, 3)
    with pytest.raises(BudgetSpent):
        again.complete("Hi")


def test_model_can_be_called_from_many_threads(make: Make, tmp_path: Path) -> None:
    model = make(*["ok"] * 60)
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda _: model.complete("x" * 8, images=[b"\x89PNG"]), range(60)))
    assert sorted(reply.call.line or 0 for reply in replies) == list(range(1, 61))
    kept = CallReader(tmp_path).new()
    assert [call.line for call in kept] == list(range(1, 61))
    assert Ledger(tmp_path / "spent.jsonl").spent().tokens == 60 * (2 + 85 + 170 + 1)


@pytest.mark.parametrize("name", [STREAM, "spent.jsonl", "screens"])
def test_full_disk_is_an_infrastructure_error(make: Make, tmp_path: Path, name: str) -> None:
    if name == "screens":
        (tmp_path / name).touch()
    else:
        (tmp_path / name).mkdir()
    with pytest.raises(ModelUnavailable, match=f"cannot write .*{name}"):
        make("a").complete("Hi", images=[png()])


def test_text_that_cannot_be_encoded_is_recorded_anyway(make: Make, tmp_path: Path) -> None:
    model = make("half a pair \ud800", cache=ReplyCache(tmp_path / "cache"))
    assert model.complete("half a pair \udfff", extra={"odd": float("nan")}).text[-1] == "\ud800"
    assert lines(tmp_path)[0]["reply"]["text"] == "half a pair ?"


def test_a_key_in_a_reply_is_removed(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = f"{KEY}-of-some-length"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    monkeypatch.setenv("VLLM_API_KEY", "not-needed")
    reply = make(f"A login is not-needed, you have {key}.").complete("Hello?")
    assert reply.text == "A login is not-needed, you have …."
    assert key not in (tmp_path / "calls.jsonl").read_text("utf-8")
