"""The table of providers' refusals, row by row, and through the client that asks the provider."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.llm.clients.anthropic_messages import AnthropicMessages
from pytest_mobileagent.llm.clients.openai import OpenAIChat
from pytest_mobileagent.llm.model import Message, ProviderError, Request, RequestRefusedError
from pytest_mobileagent.llm.provider_errors import failure_in, kind_of
from pytest_mobileagent.llm.refusals import MEANS, TABLE, Row, has_failed, stop_of
from tests.llm.clients.conftest import Answering

if TYPE_CHECKING:
    from collections.abc import Callable

MOONSHOT = '{"error": {"type": "exceeded_current_quota_error", "message": "recharge"}}'
QWEN = "{'error': {'code': 'Arrearage', 'message': 'Access denied'}}"
BILLING = "exceeded your current quota, please check your plan and billing details."
LIMIT = "See https://help.aliyun.com/zh/model-studio/error-code#token-limit"
AZURE = "ResponsibleAIPolicyViolation"
STATUS = 400  # which says no more than that there is an error


def openai(row: Row) -> Any:
    kind = row.code or "invalid_request_error"
    return {"error": {"message": row.words.title(), "type": kind, "param": None, "code": row.code}}


def moonshot(row: Row) -> Any:
    return {"error": {"type": row.code or "invalid_request_error", "message": row.words.upper()}}


def anthropic(row: Row) -> Any:
    return {"type": "error", "request_id": "req_1", **moonshot(row)}


def google(row: Row) -> Any:
    status = row.code if row.code.isupper() and "_INVALID" not in row.code else "INVALID_ARGUMENT"
    violations = [{"quotaId": row.words}]
    details = [{"@type": "…/ErrorInfo", "reason": row.code}, {"violations": violations}]
    error = {"code": STATUS, "message": row.words, "status": status, "details": details}
    return [{"error": error}]


def alibaba(row: Row) -> Any:
    return {"request_id": "1", "code": row.code or "InvalidParameter", "message": row.words or "m"}


def zhipu(row: Row) -> Any:
    return {"error": {"code": row.code or "500", "message": "…"}}


def openrouter(row: Row) -> Any:
    more = {"metadata": {"reasons": ["violence"]}} if "reasons" in row.words else {}
    return {"error": {"code": row.code or STATUS, "message": row.words, **more}}


def xai(row: Row) -> Any:
    return {"code": "The caller may not do this", "error": f"Sorry: {row.words}."}


def vllm(row: Row) -> Any:
    error = {"message": row.words, "type": row.code or "BadRequestError", "code": STATUS}
    return {"object": "error", **error}


def ollama(row: Row) -> Any:
    return {"error": row.words or "it says so"}


BODIES: dict[str, tuple[Callable[[Row], Any], ...]] = {
    "anthropic": (anthropic,), "gemini": (google,), "dashscope": (alibaba, openai),
    "zhipu": (zhipu,), "moonshot": (moonshot,), "openrouter": (openrouter,), "xai": (xai,),
    "vllm": (vllm, openai), "ollama": (ollama, openai), "lmstudio": (ollama, openai),
}  # fmt: skip


def sent_by(provider: str) -> list[tuple[Row, Any]]:
    """Return the provider's rows, each with every body that means it."""
    makers = BODIES.get(provider, (openai,))
    return [
        (row, make(row))
        for row in TABLE[provider]
        for make in makers
        if row.words or make != ollama
    ]


@pytest.mark.parametrize("provider", TABLE)
def test_every_row_is_told_by_what_the_provider_sends(provider: str) -> None:
    for row, body in sent_by(provider):
        assert kind_of(STATUS, body) == row.kind, body
        found = failure_in(body[0] if isinstance(body, list) else body)
        assert found is not None, "within an answer"
        assert kind_of(200, found) == row.kind, body


@pytest.mark.parametrize("provider", TABLE)
def test_the_client_raises_what_a_row_means(provider: str) -> None:
    kind = AnthropicMessages if provider == "anthropic" else OpenAIChat
    client = kind("m", "http://model/v1", "sk-not-a-real-key")
    sent = sent_by(provider)
    Answering(client, [(STATUS, body) for _, body in sent])
    for row, _ in sent:
        with pytest.raises((ProviderError, RequestRefusedError)) as caught:
            client.ask(Request((Message("user", ("hi",)),)))
        assert type(caught.value) is MEANS[row.kind], row
    client.close()


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        # What says no more than its status, also if a gateway has its own words for it.
        (400, {"error": {"message": "No.", "type": "invalid_request_error"}}, "request"),
        (401, "", "key"), (402, "", "money"), (403, "", "key"), (404, "<html>", "model"),
        (408, "", "failure"), (409, "", "overload"), (413, "", "length"), (418, "", "key"),
        (422, {"detail": [{"type": "extra_forbidden"}]}, "request"), (425, "", "overload"),
        (429, {"error": {"message": "No.", "code": "429"}}, "rate"), (451, "", "moderation"),
        (500, "", "failure"), (503, None, "overload"), (529, [], "overload"),
        # Mistral's number for a rate limit is Zhipu's for a filter.
        (429, {"object": "error", "type": "rate_limited", "code": "1300", "message": "m"}, "rate"),
        # A gateway quotes the error of a provider.
        (429, {"error": {"code": 429, "message": "m", "metadata": {"raw": MOONSHOT}}}, "money"),
        (400, {"error": {"code": "400", "message": f"litellm.BadRequestError: {QWEN}"}}, "money"),
        # Alibaba's limit of tokens a minute has OpenAI's code for an empty account.
        (429, {"error": {"code": "insufficient_quota", "message": f"You {BILLING}"}}, "money"),
        (429, {"error": {"code": "insufficient_quota", "message": f"{BILLING} {LIMIT}"}}, "rate"),
        # Azure names the filter twice.
        (400, {"error": {"code": "BadRequest", "innererror": {"code": AZURE}}}, "moderation"),
        # Errors in an answer of status 200: by their own status, or their type, or not at all.
        (200, {"error": {"code": 429, "message": "m"}}, "rate"),
        (200, {"error": {"code": "403", "message": "m"}}, "key"),
        (200, {"error": {"type": "invalid_request_error", "message": "m"}}, "request"),
        (200, {"error": {"type": "BadRequestError", "code": 400, "message": "m"}}, "request"),
        (200, {"error": {"code": "something new", "message": "m"}}, "failure"),
        (200, {"error": "Upstream error"}, "failure"),
        (200, {"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}}, "money"),
        (200, {"base_resp": {"status_code": 1027, "status_msg": "new_sensitive"}}, "moderation"),
        (200, {"status": "434", "msg": "invalid apiKey", "body": None}, "key"),
        # Words say more than a code that calls everything a failure.
        (500, {"error": {"type": "api_error", "message": "insufficient balance (1008)"}}, "money"),
    ],
)  # fmt: skip
def test_other_errors_are_told_by_their_status_or_type(status: int, body: Any, kind: str) -> None:
    assert kind_of(status, body) == kind


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("stop", "end"), ("end_turn", "end"), ("STOP", "end"), (None, "end"), (7, "end"),
        ("tool_calls", "tools"), ("tool_use", "tools"), ("function_call", "tools"),
        ("length", "length"), ("MAX_TOKENS", "length"), ("max_output_tokens", "length"),
        ("model_context_window_exceeded", "length"), ("pause_turn", "length"),
        ("content_filter", "refusal"), ("content_filter: PROHIBITED_CONTENT", "refusal"),
        ("sensitive", "refusal"), ("SAFETY", "refusal"), ("IMAGE_SAFETY", "refusal"),
        ("RECITATION", "refusal"), ("refusal", "refusal"), ("MALFORMED_FUNCTION_CALL", "malformed"),
        ("CONTINUATION", "length"), ("ESCALATION", "refusal"),
    ],
)  # fmt: skip
def test_finish_reasons_of_all_providers_are_known(reason: Any, stop: str) -> None:
    assert stop_of(reason) == stop
    assert not has_failed(reason)


@pytest.mark.parametrize(
    ("reason", "native"),
    [
        ("network_error", None), ("error", None), ("insufficient_system_resource", None),
        ("abort", None), ("stop", "network_error"), ("ERROR", "completed"),
    ],
)  # fmt: skip
def test_a_reason_of_the_provider_itself_is_a_failure(reason: str, native: str | None) -> None:
    assert has_failed(reason, native)


def test_the_native_reason_counts_where_the_other_says_less() -> None:
    assert stop_of("stop", "SAFETY") == "refusal"
    assert stop_of("stop", "MAX_TOKENS") == "length"
    assert stop_of("length", "stop") == "length"


@pytest.mark.parametrize(
    ("reply", "fails"),
    [
        ({"choices": [{"message": {}, "finish_reason": "stop"}], "error": None}, False),
        ({"choices": [], "usage": {}}, False), ({"choices": None}, False), ({}, False),
        ({"status": "completed", "error": None, "output": []}, False),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, False),
        ({"type": "message", "stop_reason": "refusal", "content": []}, False),
        ({"output": {"text": "Hi"}, "code": "", "message": ""}, False),
        ({"error": "model runner has stopped"}, True), ({"error": {"code": 502}}, True),
        ({"type": "error", "error": {"type": "overloaded_error"}}, True),
        ({"type": "error", "code": "server_error", "message": "m"}, True),
        ({"status": "failed", "error": None}, True), ({"status": "cancelled"}, True),
        ({"object": "error", "message": "m"}, True),
        ({"choices": [{"error": {"code": 502}, "finish_reason": "stop"}]}, True),
        ({"choices": [{"delta": {}, "finish_reason": "network_error"}]}, True),
        ({"code": "DataInspectionFailed", "message": "m", "request_id": "1"}, True),
        ({"code": "DataInspectionFailed", "message": "m", "choices": []}, True),
        ({"output": {"choices": [{"finish_reason": "error"}]}}, True),
        ({"message": {"role": "assistant", "content": ""}, "done": True}, False),  # Ollama
        ({"choices": [{}], "base_resp": {"status_code": 0, "status_msg": "success"}}, False),
        ({"choices": None, "base_resp": {"status_code": 1002, "status_msg": "m"}}, True),
        ({"status": "449", "msg": "m", "body": None}, True), ({"detail": "m"}, True),
    ],
)  # fmt: skip
def test_a_failure_within_a_reply_is_found(reply: dict[str, Any], fails: bool) -> None:
    assert (failure_in(reply) is not None) == fails
