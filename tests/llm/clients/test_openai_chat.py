"""Chat completions: requests, settings that a model refuses, and differences between servers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_mobileagent.llm.clients.openai import OpenAIChat
from pytest_mobileagent.llm.model import (
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
from pytest_mobileagent.llm.replies import arguments_of

from .conftest import Answering

PNG = Image(b"\x89PNG picture", "low")
WHOLE = {
    "model": "m-1",
    "choices": [{"message": {"content": "so"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 1},
}


def asked(**more: Any) -> Request:
    return Request((Message("user", ("What now?",)),), **more)


def refusal(words: str, param: str = "", code: str = "unsupported_parameter") -> tuple[int, Any]:
    return 400, {"error": {"message": words, "param": param, "code": code}}


def client(answers: list[Any], name: str = "m") -> tuple[OpenAIChat, Answering]:
    made = OpenAIChat(name, "http://127.0.0.1:1/v1", "sk-key")
    return made, Answering(made, answers)


def test_request_matches_openais_documentation():
    made, heard = client([WHOLE])
    call = ToolCall("c1", "tap", {"x": "日"})
    messages = (
        Message("system", ("Be short.",)),
        Message("user", ("Look:", PNG, "Well?")),
        Message("assistant", (), (call,)),
        Message("tool", ("tapped", PNG), (), "c1"),
        Message("tool", ("waited",), (), "c2"),
        Message("assistant", ("Then",)),
    )
    tool = Tool("tap", "", {"type": "object"})
    made.ask(Request(messages, 9, 0.0, None, 7, ("END",), (tool,), extra={"user": "u"}))
    [body] = heard.bodies
    picture = {"url": "data:image/png;base64,iVBORyBwaWN0dXJl", "detail": "low"}
    function = {"name": "tap", "arguments": '{"x": "日"}'}
    assert body == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be short."},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "Look:"},
                    {"type": "image_url", "image_url": picture},
                    {"type": "text", "text": "Well?"},
                ],
            },
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "c1", "type": "function", "function": function}],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "tapped"},
            {"role": "tool", "tool_call_id": "c2", "content": "waited"},
            {"role": "user", "content": [{"type": "image_url", "image_url": picture}]},
            {"role": "assistant", "content": "Then"},
        ],
        "max_tokens": 9,
        "temperature": 0.0,
        "seed": 7,
        "stop": ["END"],
        "tools": [
            {"type": "function", "function": {"name": "tap", "parameters": {"type": "object"}}}
        ],
        "user": "u",
    }
    assert heard.headers[0]["authorization"] == "Bearer sk-key"


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("gpt-4o", "max_tokens"),
        ("gpt-5-mini", "max_completion_tokens"),
        ("o3", "max_completion_tokens"),
        ("openai/o4-mini", "max_completion_tokens"),
        ("qwen2.5-vl", "max_tokens"),
        ("our/o-model", "max_tokens"),
    ],
)
def test_token_limit_uses_the_name_the_model_knows(name, field):
    made, heard = client([WHOLE], name)
    made.ask(asked(max_tokens=9))
    assert heard.bodies[0][field] == 9


@pytest.mark.parametrize(
    ("settings", "words", "dropped", "sent"),
    [
        (
            {"max_tokens": 9},
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            "max_tokens",
            {"max_completion_tokens": 9},
        ),
        (
            {"temperature": 0.0},
            "Unsupported value: 'temperature' does not support 0 with this model.",
            "temperature",
            {},
        ),
        (
            {"temperature": 0.0, "top_p": 0.5},
            "`temperature` and `top_p` cannot both be specified for this model.",
            "top_p",
            {"temperature": 0.0},
        ),
    ],
)
def test_rejected_setting_is_never_sent_again(settings, words, dropped, sent):
    made, heard = client([refusal(words), WHOLE, WHOLE])
    assert made.ask(asked(**settings)).text == "so"
    assert made.ask(asked(**settings)).text == "so"
    assert len(heard.bodies) == 3
    for body in heard.bodies[1:]:
        assert dropped not in body
        assert sent.items() <= body.items()


def test_server_that_knows_only_the_old_name_gets_it():
    made, heard = client([refusal("Unrecognized: max_completion_tokens"), WHOLE], "gpt-5")
    made.ask(asked(max_tokens=9))
    assert heard.bodies[1]["max_tokens"] == 9


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        {"prompt_tokens": None, "completion_tokens": None, "prompt_tokens_details": None},
        {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    ],
)
def test_a_server_that_does_not_count_is_read_anyway(usage: Any) -> None:
    piece = {"choices": [{"delta": {"content": "so"}, "finish_reason": "stop"}], "usage": None}
    last = {"choices": [], "usage": usage}
    stream = "".join(f"data: {json.dumps(each)}\n\n" for each in (piece, last))
    made, _ = client([{**WHOLE, "usage": usage}, stream])
    for streams in (False, True):
        answer = made.ask(asked(stream=streams))
        assert (answer.text, answer.usage, answer.usage_data) == ("so", Usage(), None)


def test_stream_options_are_dropped_if_rejected():
    stream = 'data: {"choices": [{"delta": {"content": "so"}, "finish_reason": "stop"}]}\n\n'
    no = 422, {"detail": [{"loc": ["stream_options"], "msg": "Extra inputs are not permitted"}]}
    made, heard = client([no, stream])
    answer = made.ask(asked(stream=True))
    assert (answer.text, answer.usage_data) == ("so", None)
    assert [("stream_options" in body) for body in heard.bodies] == [True, False]


@pytest.mark.parametrize(
    "words",
    [
        "max_tokens is too large: 99999",
        "Unsupported parameter: 'logit_bias' is not supported",
        "This model's maximum context length is 8192 tokens",
    ],
)
def test_any_other_refusal_is_reported(words):
    made, heard = client([refusal(words)])
    with pytest.raises(RequestRefusedError, match=words):
        made.ask(asked(max_tokens=9, temperature=0.0))
    assert len(heard.bodies) == 1


def test_both_names_of_a_setting_are_tried_once():
    no = refusal("max_tokens and max_completion_tokens are not supported")
    made, heard = client([no, no])
    with pytest.raises(RequestRefusedError):
        made.ask(asked(max_tokens=9))
    assert len(heard.bodies) == 2


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"error": {"message": "Provider overloaded", "code": 502}}, ProviderBusyError),
        ({"error": {"message": "Too many", "code": 429}}, ProviderBusyError),
        ({"error": {"message": "Too long", "code": 400}}, RequestRefusedError),
        ({"error": {"message": "No credit", "code": 402}}, ProviderError),
        ({"error": "something"}, ProviderBusyError),
        ({"choices": []}, ProviderBusyError),
        ({"choices": [{"message": {"content": 3}, "finish_reason": "stop"}]}, ProviderBusyError),
    ],
)
def test_errors_with_status_200_are_raised(body, error):
    made, _ = client([body])
    with pytest.raises((ProviderError, RequestRefusedError)) as caught:
        made.ask(asked())
    assert type(caught.value) is error


@pytest.mark.parametrize(
    ("message", "finish", "text", "stop"),
    [
        ({"content": [{"type": "thinking"}, {"type": "text", "text": "so"}]}, "stop", "so", "end"),
        ({"content": None, "refusal": "I cannot"}, "stop", "I cannot", "refusal"),
        ({"content": "half"}, "content_filter", "half", "refusal"),
        ({"content": "half"}, "length", "half", "length"),
        ({"content": "so"}, None, "so", "end"),
        ({"content": "", "tool_calls": None}, "eos", "", "end"),
    ],
)
def test_replies_of_various_servers_are_parsed(message, finish, text, stop):
    made, _ = client([{"choices": [{"message": message, "finish_reason": finish}]}])
    answer = made.ask(asked())
    assert (answer.text, answer.stop) == (text, stop)


def test_nonstandard_tool_calls_are_parsed():
    look = {"name": "look<|channel|>json", "arguments": None}
    functions = [{"function": {"name": "tap", "arguments": "{oops"}}, {"id": "b", "function": look}]
    message = {"content": None, "tool_calls": functions}
    made, _ = client([{"choices": [{"message": message, "finish_reason": "stop"}]}])
    answer = made.ask(asked())
    assert answer.stop == "tools"
    assert [(call.id, call.name, call.arguments) for call in answer.tool_calls] == [
        ("call_0", "tap", {"arguments": "{oops"}),
        ("b", "look", {}),
    ]


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('{"x": 1}', {"x": 1}), ("", {}), (None, {}), ("[1]", {"arguments": [1]}), ("{", None),
        ('{"x": "a\nb"}', {"x": "a\nb"}), (json.dumps('{"x": 1}'), {"x": 1}),
        ('{"x": 1}{"x": 2}', {"x": 1}), ('"so"', {"arguments": "so"}),
    ],
)  # fmt: skip
def test_tool_arguments_are_parsed_or_kept_as_text(text, arguments):
    assert arguments_of(text) == ({"arguments": text} if arguments is None else arguments)
