"""The tokens and the price of a reply are the same, whether a client or a program has asked."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_mobileagent.llm.clients.anthropic_messages import AnthropicMessages
from pytest_mobileagent.llm.clients.openai import OpenAIChat, OpenAIResponses
from pytest_mobileagent.llm.metered import EpisodeModels
from pytest_mobileagent.llm.model import Message, Request
from pytest_mobileagent.llm.prices import Prices
from pytest_mobileagent.llm.reference import parse_reference
from tests.llm.standin import events, standing_in

from .conftest import ASKED, post

COUNTS = {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 3010}
MESSAGE = {"role": "assistant", "content": "Tap it."}
CHAT: dict[str, Any] = {
    "model": "gpt-4o",
    "choices": [{"index": 0, "message": MESSAGE, "finish_reason": "stop"}],
    "usage": {**COUNTS, "prompt_tokens_details": {"cached_tokens": 400}},
}
PIECE = {"index": 0, "delta": MESSAGE, "finish_reason": None}
END = {"index": 0, "delta": {}, "finish_reason": "stop"}
SOME = {"prompt_tokens": 1000, "completion_tokens": 3, "total_tokens": 1003}
# Counts of all tokens so far in each piece; in the last choice, as Moonshot; odd ones.
PIECES: list[dict[str, Any]] = [
    {"choices": [PIECE], "usage": SOME},
    {"choices": [END], "usage": CHAT["usage"]},
    {"choices": [], "usage": None},
]
EACH = events(*({"model": "gpt-4o", **piece} for piece in PIECES))
INSIDE = events(
    {"model": "gpt-4o", "choices": [{**PIECE, **END, "usage": COUNTS, "delta": MESSAGE}]}
)
LESS = {**CHAT, "usage": {**COUNTS, "total_tokens": 500}}
NONE = {**CHAT, "usage": None}
RESPONSE = {
    "model": "gpt-4o", "status": "completed",
    "output": [{"type": "message", "content": [{"type": "output_text", "text": "Tap it."}]}],
    "usage": {"input_tokens": 1000, "output_tokens": 2010, "total_tokens": 3010,
              "input_tokens_details": {"cached_tokens": 400}},
}  # fmt: skip
APIS: dict[str, tuple[Any, str]] = {
    "chat": (OpenAIChat, "/chat/completions"),
    "responses": (OpenAIResponses, "/responses"),
    "messages": (AnthropicMessages, "/v1/messages"),
}
BLOCKS = {
    "model": "claude-sonnet-4-5", "type": "message", "stop_reason": "end_turn",
    "content": [{"type": "text", "text": "Tap it."}],
    "usage": {"input_tokens": 500, "cache_creation_input_tokens": 100,
              "cache_read_input_tokens": 400, "output_tokens": 2010},
}  # fmt: skip


@pytest.mark.parametrize(
    ("api", "body", "output"),
    [
        ("chat", CHAT, 2010),
        ("chat", EACH, 2010),
        ("chat", INSIDE, 2010),
        ("chat", LESS, None),
        ("chat", NONE, None),
        ("responses", RESPONSE, 2010),
        ("messages", BLOCKS, 2010),
    ],
)
def test_both_routes_count_the_same(make, monkeypatch, api, body, output):
    kind, path = APIS[api]
    provider = "anthropic" if kind is AnthropicMessages else "openai"
    start = "" if kind is AnthropicMessages else "/v1"
    reference = parse_reference(f"{provider}:{'claude-sonnet-4-5' if not start else 'gpt-4o'}")
    stream = isinstance(body, str)
    with standing_in((200, body)) as server:
        client = kind(reference.name, f"{server.url}{start}")
        answer = client.ask(Request((Message("user", ("What now?",)),), stream=stream))
        client.close()
        monkeypatch.setenv(f"{provider.upper()}_BASE_URL", f"{server.url}{start}")
        recorder = make(EpisodeModels(prices=Prices()))
        base = recorder.environment[f"{provider.upper()}_BASE_URL"]
        post(f"{base}{path}", {"model": reference.name, "messages": ASKED, "stream": stream})
    usage, price = Prices().metered(reference, answer)
    (line,) = recorder.lines
    call = line["call"]
    assert (usage.output, call["estimated"]) == (output, output is None)
    if output is not None:
        counted = (call["input_tokens"], call["output_tokens"], call["cached_tokens"])
        assert counted == (usage.input, usage.output, usage.cached) == (1000, output, usage.cached)
        assert call["price_usd"] == pytest.approx(price)
        assert price
