"""Recorded models that fail, are refused or cost too much, asked through real SDKs."""

from __future__ import annotations

import contextlib
import urllib.error
import urllib.request
from typing import Any

import openai
import pytest

from pytest_mobileagent.llm.budget import Budget, Limit
from pytest_mobileagent.llm.metered import EpisodeModels
from pytest_mobileagent.testing import Fault
from tests.llm.standin import events, standing_in
from tests.refusals import refused

from .conftest import ASKED, PRICES, REPLY, complete, post


def test_a_retried_call_is_one_call(make, provider):
    provider(Fault(429), Fault("drop"), Fault(500), REPLY, REPLY)
    recorder = make()
    for _ in range(2):
        with pytest.raises(openai.APIStatusError):
            complete(recorder)
    for _ in range(2):
        complete(recorder, max_retries=1)
    *failed, repeated, other = recorder.lines
    assert [line["call"] for line in failed] == [None] * 3
    assert "too many requests" in failed[0]["error"]
    assert failed[0]["busy_since"] == failed[2]["busy_since"]
    assert (repeated["call"]["retries"], other["call"]["retries"]) == (3, 0)
    assert repeated["call"]["waited"] > repeated["call"]["seconds"]


def test_a_refused_request_is_recorded_and_is_not_a_call(make, provider):
    provider(Fault(400))
    recorder = make()
    with pytest.raises(openai.BadRequestError):
        complete(recorder)
    (line,) = recorder.lines
    assert line["call"] is None
    assert "busy_since" not in line
    assert line["prompt"] == [{"role": "user", "content": ["What now?"]}]
    assert recorder.watcher.told == ["begins", "ended: "]


def test_outage_lasts_until_a_provider_answers(make, provider):
    provider(Fault(500), Fault("drop"), REPLY, Fault(401), Fault(400))
    recorder = make()
    seen = []
    for _ in range(5):
        with contextlib.suppress(openai.OpenAIError):
            complete(recorder)
        seen.append(recorder.models.shared.outage)
    assert [outage is not None for outage in seen] == [True, True, False, True, False]
    first, second, other = filter(None, seen)
    assert first.why == "openai:own: HTTP 500: a server error"
    assert first.since == second.since < other.since


CUT = {"model": "own", "choices": [{"index": 0, "delta": {"content": "Tap"}}]}
FULL = {"error": {"message": "Full.", "type": "overloaded_error"}}
LOST = {"choices": [{"delta": {}, "finish_reason": "network_error"}]}
FLAGGED = {"error": {"message": "No.", "code": 403, "metadata": {"reasons": ["violence"]}}}
EXPIRED = {"error": {"code": 400, "message": "API key expired.", "status": "INVALID_ARGUMENT"}}
EMPTY: dict[str, Any] = {"index": 0, "message": {"content": ""}, "finish_reason": "stop"}


@pytest.mark.parametrize(
    ("status", "body", "outage"),
    [
        (402, {"error": {"message": "Pay."}}, "HTTP 402: Pay."),
        (400, {"error": {"message": "Pay.", "code": "Arrearage"}}, "HTTP 400: Pay."),
        (429, {"error": {"message": "Pay.", "code": "1113"}}, "HTTP 429: Pay."),
        (429, {"error": {"message": "Slow.", "code": "1302"}}, "HTTP 429: Slow. *"),
        (400, {"error": {"message": "No.", "code": "1301"}}, ""),
        (403, FLAGGED, ""),
        (400, [EXPIRED], "HTTP 400: API key expired."),
        (200, {"error": {"message": "Down.", "code": 502}}, "failure: Down. *"),
        (200, FLAGGED, ""),
        (200, {"choices": [{**EMPTY, "error": {"message": "Down."}}]}, "failure: Down. *"),
        (200, events(CUT, FULL), "overload: Full. *"),
        (200, events(CUT, LOST), "failure: its reply ended with 'network_error' *"),
    ],
)  # fmt: skip
def test_an_error_of_the_provider_is_an_outage_and_a_refusal_is_not(
    make, monkeypatch, status, body, outage
):
    """A star after the outage stands for an error after which programs ask again."""
    with standing_in((status, body)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        recorder = make()
        asked = {"model": "own", "messages": ASKED, "stream": isinstance(body, str)}
        try:
            post(recorder.models.openai_chat_url, asked)
        except urllib.error.HTTPError as error:
            error.read()
    (line,) = recorder.lines
    assert (line["call"], "busy_since" in line) == (None, outage.endswith("*"))
    found = recorder.models.shared.outage
    assert (found.why if found else "").removeprefix("openai:own: ") == outage.removesuffix(" *")


def test_a_withheld_reply_is_a_call_of_the_agent(make, monkeypatch):
    choice = {"index": 0, "message": None, "finish_reason": "content_filter: PROHIBITED_CONTENT"}
    usage = {"prompt_tokens": 9, "completion_tokens": 0, "total_tokens": 9}
    with standing_in((200, {"model": "own", "choices": [choice], "usage": usage})) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        recorder = make()
        post(recorder.models.openai_chat_url, {"model": "own", "messages": ASKED})
    (line,) = recorder.lines
    assert (line["reply"]["stop"], line["call"]["input_tokens"]) == ("refusal", 9)
    assert recorder.models.shared.outage is None


def test_stream_cut_by_the_provider_is_recorded_as_failed(make, provider):
    provider(Fault("cut", after=3))
    recorder = make()
    with pytest.raises(openai.APIConnectionError):
        complete(recorder, stream=True)
    (line,) = recorder.lines
    assert line["call"] is None
    assert "broke off" in line["error"]
    assert line["reply"]["text"] == "This reply "


def test_exhausted_budget_ends_the_calls(make, provider):
    provider(REPLY)
    models = EpisodeModels(prices=PRICES, budget=Budget(tokens=Limit(task=100)))
    recorder = make(models)
    complete(recorder)
    with pytest.raises(openai.RateLimitError, match="--mobile-max-tokens"):
        complete(recorder, max_retries=2)
    assert len(recorder.lines) == 1
    assert len(recorder.over) == 1  # the SDK did not retry


def test_no_model_is_called_if_the_spending_is_unknown(make, provider, tmp_path):
    provider(REPLY)
    budget, ledger = Budget(tokens=Limit(100)), tmp_path / "spent.jsonl"
    nobody = tmp_path / "nobody"
    recorder = make(EpisodeModels(budget=budget, ledger=ledger, ledger_server=nobody))
    with pytest.raises(openai.PermissionDeniedError, match="is unknown"):
        complete(recorder)
    assert recorder.lines == []
    assert "what the run has spent is unknown" in str(recorder.models.failure)


def test_unpriced_model_is_not_called_within_a_dollar_budget(make, provider):
    provider(REPLY)
    recorder = make(EpisodeModels(prices=PRICES, budget=Budget(cost=Limit(task=1.0))))
    complete(recorder)
    with pytest.raises(openai.RateLimitError, match="no price is known"):
        complete(recorder, "our-tuned-one")
    assert len(recorder.lines) == 1
    assert recorder.over[0].startswith("openai:our-tuned-one: ")


def test_watcher_can_refuse_a_call(make, provider):
    import anthropic

    provider(REPLY)
    recorder = make()
    recorder.watcher.refusal = "the episode is over"
    with (
        anthropic.Anthropic(api_key="sk", base_url=recorder.models.anthropic_base_url) as client,
        pytest.raises(anthropic.PermissionDeniedError, match="the episode is over"),
    ):
        client.messages.create(model="claude-opus-4-5", max_tokens=9, messages=ASKED)
    assert recorder.lines == []


def test_websocket_is_refused_in_favour_of_http(make, provider):
    provider(REPLY)
    recorder = make()
    headers = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    url = f"{recorder.models.openai_base_url}/responses"
    with refused(426):
        urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=20)
    assert recorder.lines == []


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"messages":{"a":[1,null]}}', b"\xff" * 9])
def test_an_invalid_request_is_left_for_the_provider_to_refuse(make, provider, body):
    provider(REPLY)
    recorder = make()
    with refused(400):
        post(recorder.models.openai_chat_url, body)
    (line,) = recorder.lines
    assert line["call"] is None
