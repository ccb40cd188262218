"""Gemini's API: requests, computer use, returned signatures, endings, usage and errors."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_mobileagent.llm.clients.gemini import Gemini
from pytest_mobileagent.llm.model import (
    Completion,
    Image,
    Message,
    ProviderBusyError,
    ProviderError,
    Request,
    RequestRefusedError,
    Tool,
    ToolCall,
    Usage,
)

from .conftest import Answering

PNG = Image(b"\x89PNG picture")
PICTURE = {"inlineData": {"mimeType": "image/png", "data": "iVBORyBwaWN0dXJl"}}
GOAL = Message("user", ("Buy eggs.",))
MOBILE = Tool("computer", provider={"computerUse": {"environment": "ENVIRONMENT_MOBILE"}})
SIGNED = {"functionCall": {"name": "click", "args": {"x": 1, "y": 2}}, "thoughtSignature": "c2ln"}
THOUGHT = {"text": "Hm.", "thought": True}
CONFIRM = {"decision": "require_confirmation", "explanation": "This buys."}


def reply(*parts: Any, reason: str = "STOP", **usage: Any) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}}
    candidate |= {"finishReason": reason} if reason else {}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-1"}


def sse(*chunks: Any) -> str:
    return "".join(f"data: {json.dumps(chunk)}\r\n\r\n" for chunk in chunks)


def client(*answers: Any) -> tuple[Gemini, Answering]:
    made = Gemini("gemini-x", "http://127.0.0.1:1/v1beta", "sk-key")
    return made, Answering(made, list(answers))


def ask(answer: Any, **more: Any) -> Completion:
    return client(answer)[0].ask(Request((GOAL,), **more))


def check_types(body: dict[str, Any]) -> None:
    """Check a request against the types of Google's SDK, which have no other fields."""
    from google.genai import types  # slow to import

    for content in body["contents"]:
        types.Content.model_validate(content)
    config = {name: body[name] for name in ("tools", "systemInstruction") if name in body}
    types.GenerateContentConfig.model_validate({**config, **body.get("generationConfig", {})})


def test_request_matches_googles_documentation():
    made, heard = client(reply({"text": "so"}))
    messages = (
        Message("system", ("Be short.",)),
        Message("user", ("Look:", PNG, "")),
        Message("user", ("Well?",)),
        Message("assistant", ("I tap.",), (ToolCall("c1", "tap", {"x": 1}),)),
        Message("tool", ("tapped", PNG), (), "c1"),
        Message("user", ("Go on.",)),
        Message("system", ("And kind.",)),
    )
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    tools = (MOBILE, Tool("tap", "Taps.", schema), Tool("look"))
    extra = {"generationConfig": {"topK": 5}, "safetySettings": []}
    made.ask(Request(messages, 9, 0.0, 0.9, 7, ("END",), tools, extra=extra))
    call = {"id": "c1", "name": "tap", "args": {"x": 1}}
    result = {"name": "tap", "response": {"output": "tapped"}, "id": "c1", "parts": [PICTURE]}
    assert heard.bodies[0] == {
        "systemInstruction": {"parts": [{"text": "Be short.\n\nAnd kind."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Look:"}, PICTURE, {"text": "Well?"}]},
            {"role": "model", "parts": [{"text": "I tap."}, {"functionCall": call}]},
            {"role": "user", "parts": [{"functionResponse": result}]},
            {"role": "user", "parts": [{"text": "Go on."}]},
        ],
        "tools": [
            MOBILE.provider,
            {
                "functionDeclarations": [
                    {"name": "tap", "description": "Taps.", "parametersJsonSchema": schema},
                    {"name": "look"},
                ]
            },
        ],
        "generationConfig": {
            "maxOutputTokens": 9, "temperature": 0.0, "topP": 0.9, "seed": 7,
            "stopSequences": ["END"], "topK": 5,
        },
        "safetySettings": [],
    }  # fmt: skip
    check_types(heard.bodies[0])
    assert heard.paths == ["/v1beta/models/gemini-x:generateContent"]
    assert heard.headers[0]["x-goog-api-key"] == "sk-key"


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_thoughts_and_signatures_are_sent_back_as_they_came(stream):
    said = [THOUGHT, SIGNED, {"functionCall": {"name": "click", "args": {}, "id": "f2"}}]
    chunks = [reply(said[0], reason=""), reply(*said[1:])]
    made, heard = client(sse(*chunks) if stream else reply(*said), reply({"text": "so"}))
    answer = made.ask(Request((GOAL,), stream=stream))
    assert (answer.text, answer.stop) == ("", "tools")
    assert [call.id for call in answer.tool_calls] == ["call_0", "f2"]
    assistant = Message("assistant", (), answer.tool_calls, raw=answer.raw)
    results = [Message("tool", (f"r{number}",), (), call.id)
               for number, call in enumerate(answer.tool_calls)]  # fmt: skip
    made.ask(Request((GOAL, assistant, *results)))
    _, model, user = heard.bodies[1]["contents"]
    assert model == {"role": "model", "parts": said}
    responses = [part["functionResponse"] for part in user["parts"]]
    assert [(each["name"], each.get("id")) for each in responses] == [
        ("click", None),  # the model gave this call no id
        ("click", "f2"),
    ]
    check_types(heard.bodies[1])


@pytest.mark.parametrize(("is_error", "kind"), [(False, "output"), (True, "error")])
def test_a_confirmation_that_the_model_asks_for_is_acknowledged(is_error, kind):
    made, heard = client(reply({"text": "so"}))
    calls = (
        ToolCall("c1", "click", {"x": 1, "y": 2, "safety_decision": CONFIRM}),
        ToolCall("c2", "wait", {}),
    )
    results = (
        Message("tool", ("words",), (), "c1", is_error=is_error),
        Message("tool", (PNG,), (), "c2"),
    )
    made.ask(Request((GOAL, Message("assistant", (), calls), *results)))
    first, second = (
        part["functionResponse"]["response"] for part in heard.bodies[0]["contents"][2]["parts"]
    )
    assert first == {kind: "words", "safety_acknowledgement": "true"}
    assert second == {"output": ""}
    check_types(heard.bodies[0])


ENDINGS: list[tuple[Any, str]] = [
    (reply({"text": "so"}), "end"),
    (reply(SIGNED), "tools"),
    (reply({"text": "so"}, reason="MAX_TOKENS"), "length"),
    (reply(reason="SAFETY"), "refusal"),
    (reply(reason="PROHIBITED_CONTENT"), "refusal"),
    ({"candidates": [{"finishReason": "RECITATION"}]}, "refusal"),
    ({"promptFeedback": {"blockReason": "SAFETY"}}, "refusal"),
    (reply(reason="MALFORMED_FUNCTION_CALL"), "malformed"),
    (reply(reason="UNEXPECTED_TOOL_CALL"), "malformed"),
    (reply(reason="SOMETHING_NEW"), "end"),
]


def test_endings():
    made, _ = client(*(answer for answer, _ in ENDINGS))
    assert [made.ask(Request((GOAL,))).stop for _ in ENDINGS] == [stop for _, stop in ENDINGS]


FAILURES: list[tuple[Any, type[Exception]]] = [
        ({}, ProviderBusyError),
        ({"candidates": []}, ProviderBusyError),
        ({"candidates": [{"content": {"parts": [{"text": "so"}]}}]}, ProviderBusyError),
        ({"promptFeedback": {}}, ProviderBusyError),
        (reply(reason="MALFORMED_RESPONSE"), ProviderBusyError),
        ([], ProviderBusyError),
        (sse(reply({"text": "so"}, reason="")), ProviderBusyError),
        ((503, {"error": {"code": 503, "status": "UNAVAILABLE"}}), ProviderBusyError),
        ((400, {"error": {"code": 400, "message": "no", "status": "INVALID_ARGUMENT"}}),
         RequestRefusedError),
        ((400, {"error": {"code": 400, "message": "API key not valid."}}), ProviderError),
        ((404, {"error": {"code": 404, "status": "NOT_FOUND"}}), ProviderError),
        (sse({"error": {"code": 503, "message": "later", "status": "UNAVAILABLE"}}),
         ProviderBusyError),
]  # fmt: skip


def test_an_answer_that_is_none_says_whose_fault_it_is():
    made, _ = client(*(answer for answer, _ in FAILURES))
    for answer, error in FAILURES:
        with pytest.raises((ProviderError, RequestRefusedError)) as caught:
            made.ask(Request((GOAL,), stream=isinstance(answer, str)))
        assert type(caught.value) is error, answer


def test_a_busy_provider_says_in_the_body_when_to_ask_again():
    retry = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34s"}
    said = {"code": 429, "message": "No.", "status": "RESOURCE_EXHAUSTED", "details": [retry]}
    with pytest.raises(ProviderBusyError) as caught:
        ask((429, {"error": said}))
    assert caught.value.retry_after == 34


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_thinking_is_output_and_cached_tokens_are_input(stream):
    counts: dict[str, Any] = {
        "promptTokenCount": 100,
        "candidatesTokenCount": 7,
        "thoughtsTokenCount": 20,
    }
    counts |= {"cachedContentTokenCount": 40, "totalTokenCount": 127}
    whole = reply({"text": "so"}, **counts)
    answer = ask(sse(whole) if stream else whole, stream=stream)
    assert answer.usage == Usage(100, 27, 40)
    assert (answer.model, answer.text) == ("gemini-1", "so")
