"""Streams of all APIs are reassembled, wherever they are cut."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_mobileagent.llm.model import Request
from pytest_mobileagent.llm.scripted.apis import ModelRequest, Outgoing
from pytest_mobileagent.llm.streams import objects, split
from pytest_mobileagent.program.models.requests import APIS, RecordedApi, WithoutUsage, with_usage
from pytest_mobileagent.testing import ScriptedReply, ToolCall

BY_NAME = {api.name: api for api in APIS}
REPLIES = st.builds(
    ScriptedReply,
    st.text(),
    st.lists(
        st.builds(
            ToolCall,
            st.text("abc", min_size=1),
            st.text("abc", min_size=1),
            st.dictionaries(st.text(), st.integers()),
        ),
        max_size=2,
    ),
    input_tokens=st.integers(1, 99),
    output_tokens=st.integers(0, 99),
)
STREAMED = ["chat", "responses", "anthropic", "gemini"]


def streamed(name: str, reply: ScriptedReply, alt: str = "sse") -> tuple[RecordedApi, bytes, str]:
    api = BY_NAME[name]
    body = {"stream": True, "stream_options": {"include_usage": True}, "alt": alt}
    outgoing = Outgoing(reply, ModelRequest(Request(()), "gpt-4o", body), "gpt-4o", 1)
    return api, b"".join(api.api.stream(outgoing)), api.api.stream_type(outgoing.asked)


def read(api: RecordedApi, raw: bytes, kind: str) -> Any:
    assembled = api.assemble(said for _, said in objects(raw, kind))
    return assembled, api.answer(assembled.reply)


@pytest.mark.parametrize("name", STREAMED)
@settings(max_examples=15, deadline=None)
@given(reply=REPLIES, alt=st.sampled_from(["sse", ""]))
def test_a_complete_stream_gives_the_reply(name, reply, alt):
    assembled, answer = read(*streamed(name, reply, alt))
    assert assembled.is_whole
    assert answer.text == reply.text
    assert [(c.name, c.arguments) for c in answer.tool_calls] == [
        (c.name, c.arguments) for c in reply.tool_calls
    ]


@pytest.mark.parametrize("name", STREAMED)
@settings(max_examples=15, deadline=None)
@given(reply=REPLIES, data=st.data(), alt=st.sampled_from(["sse", ""]))
def test_a_truncated_stream_gives_the_beginning(name, reply, data, alt):
    api, raw, kind = streamed(name, reply, alt)
    _, answer = read(api, raw[: data.draw(st.integers(0, len(raw)))], kind)
    assert reply.text.startswith(answer.text)
    assert len(answer.tool_calls) <= len(reply.tool_calls)


NAMES = ["choices", "delta", "content", "type", "index", "tool_calls", "function", "usage", "text"]
NAMES += ["candidates", "parts", "output", "message", "item", "response", "model"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize("name", [*STREAMED, "ollama", "dashscope"])
@settings(max_examples=15, deadline=None)
@given(said=st.lists(st.dictionaries(st.sampled_from(["type", "choices", "content"]), JSON)))
def test_any_stream_can_be_parsed(name, said):
    api = BY_NAME[name]
    assembled = api.assemble(said)
    answer = api.answer(assembled.reply)
    assert isinstance(answer.text, str)
    for reply in said:
        assert isinstance(api.answer(reply).text, str)


@pytest.mark.parametrize("name", [*STREAMED, "ollama"])
@settings(max_examples=15, deadline=None)
@given(
    body=st.dictionaries(
        st.sampled_from(["messages", "input", "contents", "prompt", "system", "tools"]), JSON
    )
)
def test_any_request_can_be_parsed(name, body):
    api = BY_NAME[name]
    request = api.read("/v1/models/x:generateContent", body, json.dumps(body).encode())
    assert isinstance(request.text, str)
    assert isinstance(request.settings, dict)


@settings(max_examples=15, deadline=None)
@given(reply=REPLIES, data=st.data())
def test_only_requested_usage_is_hidden(reply, data):
    _, raw, _ = streamed("chat", reply)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=5)))
    pieces = [raw[a:b] for a, b in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    filtered = WithoutUsage()
    shown = [filtered.pass_on(piece, is_last=False) for piece in pieces[:-1]]
    shown.append(filtered.pass_on(pieces[-1], is_last=True))
    events, rest = split(raw)
    assert rest == b""
    kept = [each for each in events if b'"choices": []' not in each]
    assert b"".join(shown) == b"".join(each.replace(b', "usage": null', b"") for each in kept)


@pytest.mark.parametrize(
    ("event", "shown"),
    [
        ('{"choices": [], "usage": null, "filter": []}', b""),
        (
            '{"choices": [], "usage": null, "prompt_filter_results": []}',
            b'{"choices": [], "prompt_filter_results": []}',
        ),
        ('{"usage":null,"choices":[1],"x": 1.0}', b'{"choices":[1],"x": 1.0}'),
        ('{"choices":[{"usage":null}]}', b'{"choices":[{"usage":null}]}'),
        (
            r'{"choices":[{"text":", \"usage\": null"}]}',
            rb'{"choices":[{"text":", \"usage\": null"}]}',
        ),
        ('{"choices":[1],"usage":null', b'{"choices":[1],"usage":null'),
    ],
)
def test_null_usage_is_hidden_and_nothing_else(event, shown):
    data = f"data: {event}\n\n".encode()
    expected = b"data: " + shown + b"\n\n" if shown else b""
    assert WithoutUsage().pass_on(data, is_last=True) == expected


@pytest.mark.parametrize(
    ("data", "asked"),
    [
        (
            b'{"stream":true,"x":1}',
            b'{"stream_options":{"include_usage":true},"stream":true,"x":1}',
        ),
        (b'{"stream":false}', None),
        (b'{"stream":true,"stream_options":{"include_usage":false}}', None),
        (
            b'{"stream":true,"stream_options":null}',
            b'{"stream": true, "stream_options": {"include_usage": true}}',
        ),
    ],
)
def test_counts_are_requested_unless_refused(data, asked):
    assert with_usage(json.loads(data), data) == asked
