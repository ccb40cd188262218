"""Anthropic's Messages API: requests, computer use, returned thinking blocks, and errors."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_mobileagent.llm.clients.anthropic_messages import MAX_TOKENS, AnthropicMessages
from pytest_mobileagent.llm.model import Image, Message, Request, Tool, ToolCall, Usage

from .conftest import Answering

PNG = Image(b"\x89PNG picture")
SOURCE = {"type": "base64", "media_type": "image/png", "data": "iVBORyBwaWN0dXJl"}
PICTURE = {"type": "image", "source": SOURCE}
GOAL = Message("user", ("Buy eggs.",))
COMPUTER = Tool("computer", provider={"type": "computer_20250124", "name": "computer"})


def reply(*content: Any, stop: str = "end_turn", **usage: Any) -> dict[str, Any]:
    head = {"type": "message", "role": "assistant", "model": "claude-1", "stop_reason": stop}
    return {**head, "content": list(content), "usage": usage}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def client(*answers: Any) -> tuple[AnthropicMessages, Answering]:
    made = AnthropicMessages("claude", "http://127.0.0.1:1", "sk-key")
    return made, Answering(made, list(answers))


def test_request_matches_anthropics_documentation():
    made, heard = client(reply(text("so")))
    call = ToolCall("c1", "tap", {"x": 1})
    messages = (
        Message("system", ("Be short.",)),
        Message("user", ("Look:", PNG, " ")),
        Message("user", ("Well?",)),
        Message("assistant", ("I tap.",), (call,)),
        Message("tool", ("tapped", PNG), (), "c1"),
        Message("tool", (), (), "c2"),
        Message("user", ("",)),
        Message("system", ("And kind.",)),
        Message("assistant", ("Then \n",)),
    )
    tools = (Tool("tap", "Taps.", {"type": "object"}),)
    made.ask(Request(messages, None, 0.0, 0.9, 7, ("END",), tools, extra={"top_k": 5}))
    assert heard.bodies[0] == {
        "model": "claude",
        "system": "Be short.\n\nAnd kind.",
        "messages": [
            {"role": "user", "content": [text("Look:"), PICTURE, text("Well?")]},
            {
                "role": "assistant",
                "content": [
                    text("I tap."),
                    {"type": "tool_use", "id": "c1", "name": "tap", "input": {"x": 1}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "c1",
                        "content": [text("tapped"), PICTURE],
                    },
                    {"type": "tool_result", "tool_use_id": "c2"},
                ],
            },
            {"role": "assistant", "content": [text("Then")]},
        ],
        "max_tokens": MAX_TOKENS,
        "temperature": 0.0,
        "top_p": 0.9,
        "stop_sequences": ["END"],
        "tools": [{"name": "tap", "description": "Taps.", "input_schema": {"type": "object"}}],
        "top_k": 5,
    }
    # Depending on its version, the SDK sends the key in one header or the other.
    sent = [heard.headers[0].get(name) for name in ("x-api-key", "authorization")]
    assert {"sk-key", "Bearer sk-key"} & set(sent)
    assert "anthropic-beta" not in heard.headers[0]


def test_tool_results_precede_other_text():
    made, heard = client(reply(text("so")))
    call = ToolCall("c1", "tap", {})
    said = Message("assistant", (), (call,))
    after = (Message("user", ("Go on.",)), Message("tool", ("ok",), (), "c1"))
    made.ask(Request((GOAL, said, *after)))
    kinds = [block["type"] for block in heard.bodies[0]["messages"][2]["content"]]
    assert kinds == ["tool_result", "text"]


def test_calls_of_a_toolset_and_their_results_name_it():
    from anthropic.types.beta.message_create_params import MessageCreateParamsNonStreaming
    from pydantic import TypeAdapter  # both are slow to import

    named = {"type": "tool_use", "id": "c1", "name": "zoom", "toolset_name": "computer"}
    used = {**named, "input": {"region": [0, 0, 9, 9]}}
    made, heard = client(reply(used, stop="tool_use"), reply(text("so")))
    toolset = (Tool("computer", provider={"type": "computer_toolset_20260801"}),)
    (zoom,) = made.ask(Request((GOAL,), tools=toolset)).tool_calls
    assert zoom == ToolCall("c1", "zoom", {"region": [0, 0, 9, 9]}, "computer")
    calls = Message("assistant", (), (zoom, ToolCall("c2", "tap", {})))
    results = (
        Message("tool", (PNG,), (), "c1"),
        Message("tool", ("not done",), (), "c2", is_error=True),
    )
    made.ask(Request((GOAL, calls, *results), tools=toolset))
    body = heard.bodies[1]
    said, answered = body["messages"][1:]
    assert said["content"][0] == used
    assert answered["content"] == [
        {"type": "tool_result", "tool_use_id": "c1", "toolset_name": "computer",
         "content": [PICTURE]},
        {"type": "tool_result", "tool_use_id": "c2", "content": [text("not done")],
         "is_error": True},
    ]  # fmt: skip
    assert "anthropic-beta" not in heard.headers[1]
    TypeAdapter(MessageCreateParamsNonStreaming).validate_python(body)


@pytest.mark.parametrize("words", [(), ("not done",)])
def test_a_result_that_is_an_error_has_only_text(words):
    made, heard = client(reply(text("so")))
    calls = Message("assistant", (), (ToolCall("c1", "tap", {}),))
    made.ask(Request((GOAL, calls, Message("tool", (*words, PNG), (), "c1", is_error=True))))
    result, beside = heard.bodies[0]["messages"][2]["content"]
    assert result["content"] == [text(*words or ("The call failed.",))]
    assert beside == PICTURE


def test_empty_texts_of_a_reply_are_not_sent_back():
    used = {"type": "tool_use", "id": "c1", "name": "tap", "input": {}}
    made, heard = client(reply(text(""), used, stop="tool_use"), reply(text("so")))
    answer = made.ask(Request((GOAL,)))
    said = Message("assistant", (), answer.tool_calls, raw=answer.raw)
    made.ask(Request((GOAL, said, Message("tool", ("done",), (), "c1"))))
    assert heard.bodies[1]["messages"][1]["content"] == [used]


@pytest.mark.parametrize(
    ("model", "sent"),
    [("claude-sonnet-4-6", True), ("claude-sonnet-5", False), ("claude-opus-5-5", False)],
)
def test_sampling_is_not_sent_to_models_that_refuse_it(model, sent):
    made = AnthropicMessages(model, "http://127.0.0.1:1", "sk-key")
    heard = Answering(made, [reply(text("so"))])
    made.ask(Request((GOAL,), temperature=0.0, top_p=0.5, extra={"top_k": 5}))
    assert [name in heard.bodies[0] for name in ("temperature", "top_p", "top_k")] == [sent] * 3


def test_computer_use_sends_its_beta_header():
    made, heard = client(reply(text("so")), reply(text("so")))
    newer = Tool("computer", provider={"type": "computer_20251124", "name": "computer"})
    made.ask(Request((GOAL,), tools=(COMPUTER,)))
    made.ask(Request((GOAL,), tools=(newer,), extra={"betas": ["more-2026-01-01"]}))
    betas = [headers["anthropic-beta"] for headers in heard.headers]
    assert betas == ["computer-use-2025-01-24", "computer-use-2025-11-24,more-2026-01-01"]
    assert heard.bodies[0]["tools"] == [COMPUTER.provider]
    assert "betas" not in heard.bodies[1]


@pytest.mark.parametrize("stream", [False, True])
def test_thinking_blocks_are_returned_unchanged(stream):
    thought = {"type": "thinking", "thinking": "Hm, so.", "signature": "s1gn"}
    use = {"type": "tool_use", "id": "c1", "name": "computer", "input": {"action": "key"}}
    whole: Any = reply(thought, use, stop="tool_use", input_tokens=3, output_tokens=2)
    if stream:
        deltas = [
            (0, {"type": "thinking", "thinking": "", "signature": ""}, [
                {"type": "thinking_delta", "thinking": "Hm,"},
                {"type": "thinking_delta", "thinking": " so."},
                {"type": "signature_delta", "signature": "s1gn"},
            ]),
            (1, {**use, "input": {}}, [
                {"type": "input_json_delta", "partial_json": '{"action": '},
                {"type": "input_json_delta", "partial_json": '"key"}'},
            ]),
        ]  # fmt: skip
        whole = streamed(deltas)
    made, heard = client(whole, reply(text("so")))
    answer = made.ask(Request((GOAL,), tools=(COMPUTER,), stream=stream))
    assert answer.tool_calls == (ToolCall("c1", "computer", {"action": "key"}),)
    assert (answer.stop, answer.usage) == ("tools", Usage(3, 2, None))
    assert answer.raw == {"anthropic_messages": [thought, use]}
    said = Message("assistant", (), answer.tool_calls, raw=answer.raw)
    made.ask(Request((GOAL, said, Message("tool", (PNG,), (), "c1"))))
    assert heard.bodies[1]["messages"][1]["content"] == [thought, use]


def streamed(blocks: list[Any]) -> str:
    start = {"model": "claude-1", "content": [], "usage": {"input_tokens": 3, "output_tokens": 1}}
    events: list[Any] = [{"type": "message_start", "message": start}]
    for index, block, deltas in blocks:
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += [{"type": "content_block_delta", "index": index, "delta": d} for d in deltas]
        events.append({"type": "content_block_stop", "index": index})
    counts = {"input_tokens": None, "output_tokens": 2}
    events.append({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": counts})
    return "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events)


def test_mutually_exclusive_settings_are_not_both_sent():
    words = "`temperature` and `top_p` cannot both be specified for this model."
    no = 400, {"type": "error", "error": {"type": "invalid_request_error", "message": words}}
    made, heard = client(no, reply(text("so")))
    assert made.ask(Request((GOAL,), temperature=0.0, top_p=0.9)).text == "so"
    assert "top_p" not in heard.bodies[1]
    assert heard.bodies[1]["temperature"] == 0.0
