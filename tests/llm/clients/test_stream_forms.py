"""Servers speak the same API differently, and both routes read the same reply from a stream."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_mobileagent.llm.clients.anthropic_messages import AnthropicMessages
from pytest_mobileagent.llm.clients.openai import OpenAIChat, OpenAIResponses
from pytest_mobileagent.llm.model import Completion, Message, ProviderBusyError, Request
from pytest_mobileagent.llm.streams import Assembled, events, objects
from pytest_mobileagent.program.models.requests import APIS

from .conftest import Answering

KINDS: dict[str, Any] = {
    "chat": OpenAIChat,
    "anthropic": AnthropicMessages,
    "responses": OpenAIResponses,
}


def sse(*said: Any, end: str = "\n\n") -> bytes:
    texts = (each if isinstance(each, str) else f"data: {json.dumps(each)}" for each in said)
    return "".join(text + end for text in texts).encode()


def delta(content: Any = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"content": content, **more}, "finish_reason": finish}
    return {"choices": [choice]}


def call(arguments: Any, name: str | None = None, **more: Any) -> dict[str, Any]:
    return delta(tool_calls=[{"function": {"name": name, "arguments": arguments}, **more}])


def begun(item: dict[str, Any], *deltas: Any, **index: int) -> list[dict[str, Any]]:
    begins = {"type": "content_block_start", "content_block": item, **index}
    return [begins, *({"type": "content_block_delta", "delta": each, **index} for each in deltas)]


def json_delta(text: Any) -> dict[str, Any]:
    return {"type": "input_json_delta", "partial_json": text}


def done(*output: Any, **more: Any) -> dict[str, Any]:
    return {"type": "response.completed", "response": {"output": list(output), **more}}


FAILED = {"type": "response.failed", "response": {"error": {"code": "overloaded"}}}
A, B, END, DONE = delta("a"), delta("b"), delta(finish="stop"), "data: [DONE]"
TAP, KEY = '{"x": 1}', '{"key": "back"}'
START = {"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 9}}}
TEXT = begun({"type": "text", "text": ""}, {"type": "text_delta", "text": "a"}, index=0)
USE = {"type": "tool_use", "name": "tap", "input": {}}
STOP = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
SAID = {"type": "message", "content": [{"type": "output_text", "text": "a"}]}
CALL = {"type": "function_call", "call_id": "c", "name": "tap", "arguments": TAP}

# All of these say "a".
TEXTS: dict[str, bytes] = {
    "chat: comments and pings": sse(": OPENROUTER PROCESSING", A, "event: ping", END),
    "chat: no space after data:": sse(A, END, DONE).replace(b"data: ", b"data:"),
    "chat: CRLF": sse(A, ": on", END, DONE, end="\r\n\r\n"),
    "chat: CR": sse(A, END, end="\r\r"),
    "chat: one line end between events": sse(A, END, end="\n"),
    "chat: no DONE": sse(A, END),
    "chat: no line end at the end": sse(A, END).rstrip(),
    "chat: only DONE": sse(A, DONE),
    "chat: words after DONE": sse(A, END, DONE, B),
    "chat: empty choices": sse({"choices": []}, A, END, {"choices": None, "usage": None}),
    "chat: null delta": sse(A, {"choices": [{"delta": None}]}, END),
    "chat: no index": sse({"choices": [{"delta": {"content": "a"}}]}, END),
    "chat: nulls": sse(delta(), delta("a", tool_calls=None, refusal=None), END),
    "chat: not streamed": b'{"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]}',
    "anthropic: pings": sse(START, 'event: ping\ndata: {"type": "ping"}', *TEXT, STOP),
    "anthropic: no message_stop, CRLF": sse(START, *TEXT, STOP, end="\r\n\r\n"),
    "anthropic: no stop reason": sse(START, *TEXT, {"type": "message_stop"}),
    "anthropic: no index": sse(START, *({**each, "index": None} for each in TEXT), STOP),
    "responses: comments": sse(": on", done(SAID, status="completed"), DONE),
    "responses: no output at the end": sse(
        {"type": "response.output_item.done", "output_index": 0, "item": SAID}, done()
    ),
}
# All of these call `tap`, once or twice.
CALLS: dict[str, bytes] = {
    "chat 2: index 0, with ids": sse(
        call(TAP, "tap", index=0, id="a"), call(TAP, "tap", index=0, id="b"), END
    ),
    "chat 2: index 0, no ids": sse(call(TAP, "tap", index=0), call(TAP, "tap", index=0), END),
    "chat 2: no index": sse(call(TAP, "tap", id="a"), call(TAP, "tap", id="b"), END),
    "chat 2: no index, in pieces": sse(
        call("", "tap", id="a"), call('{"x"'), call(": 1}"), call(TAP, "tap"), END
    ),
    "chat 2: in pieces": sse(
        call("", "tap", index=0, id="a"),
        call('{"x": ', index=0),
        call("1}", index=0),
        call(TAP, "tap", index=1, id="b"),
        END,
    ),
    "chat 2: interleaved": sse(
        call('{"x"', "tap", index=0), call(TAP, "tap", index=1), call(": 1}", index=0), END
    ),
    "chat 1: name and id repeated": sse(
        call('{"x": ', "tap", index=0, id="a"), call("1}", "tap", index=0, id="a"), END
    ),
    "chat 1: another id in each piece": sse(
        call('{"x": ', "tap", index=0, id="a"), call("1}", "tap", index=0, id="b"), END
    ),
    "chat 1: null id": sse(
        call('{"x": ', "tap", index=0, id="a"), call("1}", None, index=0, id=None), END
    ),
    "chat 1: arguments as an object": sse(call({"x": 1}, "tap", index=0), END),
    "anthropic 2: no index, no id": sse(
        START,
        *begun(USE, json_delta(TAP)),
        *begun(USE, json_delta('{"x"'), json_delta(": 1}")),
        STOP,
    ),
    "anthropic 1: input at once": sse(START, *begun({**USE, "input": {"x": 1}}, index=0), STOP),
    "anthropic 1: input as object": sse(START, *begun(USE, json_delta({"x": 1}), index=0), STOP),
    "responses 1: no call_id": sse(done({**CALL, "call_id": None})),
    "responses 1: arguments as an object": sse(done({**CALL, "arguments": {"x": 1}})),
    "responses 2: only items": sse(
        {"type": "response.output_item.done", "output_index": 0, "item": CALL},
        {"type": "response.output_item.done", "item": {**CALL, "id": "f", "call_id": "d"}},
        done(),
    ),
}


def recorded(name: str, raw: bytes) -> tuple[Assembled, Completion]:
    api = next(each for each in APIS if each.name == name)
    assembled = api.assemble(said for _, said in objects(raw, "text/event-stream"))
    return assembled, api.answer(assembled.reply)


def asked(name: str, raw: bytes) -> Completion:
    client = KINDS[name]("m", "http://127.0.0.1:1/v1", "k" * 20)
    Answering(client, [raw.decode()])
    try:
        answer: Completion = client.ask(Request((Message("user", ("hi",)),), stream=True))
    finally:
        client.close()
    return answer


def by_both(name: str, raw: bytes) -> Completion:
    assembled, by_program = recorded(name, raw)
    by_client = asked(name, raw)
    assert assembled.is_whole
    assert by_client.text == by_program.text
    assert by_client.tool_calls == by_program.tool_calls
    assert by_client.stop == by_program.stop
    return by_client


@pytest.mark.parametrize("what", TEXTS)
def test_a_text_is_read_in_every_form(what: str) -> None:
    answer = by_both(what.partition(":")[0], TEXTS[what])
    assert (answer.text, answer.tool_calls, answer.stop) == ("a", (), "end")


@pytest.mark.parametrize("what", CALLS)
def test_calls_are_read_in_every_form(what: str) -> None:
    name, count = what.partition(":")[0].split()
    calls = by_both(name, CALLS[what]).tool_calls
    assert [(each.name, each.arguments) for each in calls] == [("tap", {"x": 1})] * int(count)
    assert len({each.id for each in calls} - {""}) == int(count)


@pytest.mark.parametrize(
    "calls", [[("tap", "", "a"), ("key", KEY, "b")], [("tap", "", "a"), ("tap", "", "b")]]
)
def test_calls_without_arguments_are_separate(calls: list[tuple[str, str, str]]) -> None:
    parts = [call(arguments, name, index=0, id=id_) for name, arguments, id_ in calls]
    answer = by_both("chat", sse(*parts, END))
    assert [each.name for each in answer.tool_calls] == [name for name, *_ in calls]
    assert answer.tool_calls[0].arguments == {}


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("chat", sse(A, {"error": {"message": "overloaded", "code": 503}})),
        ("chat", sse(A, 'event: error\ndata: {"message": "overloaded"}')),
        ("chat", sse(A, "event: error\ndata: overloaded")),
        ("chat", sse(A, 'data: {"choices": [{"overloaded', END)),
        ("anthropic", sse(START, *TEXT, {"type": "error", "error": {"message": "overloaded"}})),
        ("responses", sse({"type": "error", "message": "overloaded", "code": "server_error"})),
        ("responses", sse({"type": "error", "message": "overloaded", "error": None})),
        ("responses", sse(FAILED)),
    ],
)  # fmt: skip
def test_an_error_in_the_middle_of_a_stream_is_found(name: str, raw: bytes) -> None:
    assembled, _ = recorded(name, raw)
    assert "overloaded" in str(assembled.reply["error"])
    with pytest.raises(ProviderBusyError, match="overloaded"):
        asked(name, raw)


@pytest.mark.parametrize("raw", [sse(A), sse(A, 'data: {"choi')[:-2], b"", b": on\n\n"])
def test_a_stream_that_is_cut_is_not_whole(raw: bytes) -> None:
    assert not recorded("chat", raw)[0].is_whole
    with pytest.raises(ProviderBusyError):
        asked("chat", raw)


@given(cuts=st.lists(st.integers(0, 200)))
@settings(max_examples=20)
def test_events_do_not_depend_on_how_they_arrive(cuts: list[int]) -> None:
    for raw in TEXTS.values():
        places = sorted({0, len(raw), *(cut for cut in cuts if cut < len(raw))})
        pieces = [raw[begin:end] for begin, end in itertools.pairwise(places)]
        assert list(events(pieces)) == list(events([raw]))
