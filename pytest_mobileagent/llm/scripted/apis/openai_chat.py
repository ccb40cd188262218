"""OpenAI's Chat Completions API, which most other providers and servers also speak."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm.model import Message, Request, Tool, ToolCall
from pytest_mobileagent.llm.scripted.apis import (
    Api,
    Direct,
    Incoming,
    ModelRequest,
    Outgoing,
    event,
    image_of,
    pieces,
    rest,
    total,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.llm.model import Image

_FINISH = {"end": "stop", "tools": "tool_calls", "length": "length", "refusal": "stop"}
_FINISH |= {"malformed": "stop"}  # only Gemini says this
_KNOWN = {"model", "messages", "max_tokens", "max_completion_tokens", "temperature", "top_p"}
_KNOWN |= {"seed", "stop", "tools", "stream", "stream_options"}


class OpenAIChat(Api):
    """`POST …/chat/completions`."""

    def read(self, incoming: Incoming) -> ModelRequest | Direct | None:
        """Return the request."""
        if incoming.method != "POST" or not incoming.path.endswith("/chat/completions"):
            return None
        body = incoming.body()
        limit = body.get("max_completion_tokens") or body.get("max_tokens")
        request = Request(
            tuple(_message(message) for message in body["messages"]),
            max_tokens=limit,
            temperature=body.get("temperature"),
            top_p=body.get("top_p"),
            seed=body.get("seed"),
            stop=words(body.get("stop")),
            tools=tuple(_tool(tool) for tool in body.get("tools") or ()),
            stream=bool(body.get("stream")),
            extra=rest(body, _KNOWN),
        )
        return ModelRequest(request, body["model"], body)

    def whole(self, outgoing: Outgoing) -> Any:
        """Return a chat completion."""
        calls = [_call(call) for call in outgoing.reply.tool_calls]
        message = {
            "role": "assistant",
            **_content(outgoing),
            **({"tool_calls": calls} if calls else {}),
        }
        choice = {
            "index": 0,
            "message": message,
            "logprobs": None,
            "finish_reason": _finish(outgoing),
        }
        return {
            **_head(outgoing, "chat.completion"),
            "choices": [choice],
            "usage": _usage(outgoing),
        }

    def stream(self, outgoing: Outgoing) -> Iterator[bytes]:
        """Yield chunks, followed by the usage if the request asks for it."""
        counted = (outgoing.asked.body.get("stream_options") or {}).get("include_usage")
        head = _head(outgoing, "chat.completion.chunk") | ({"usage": None} if counted else {})
        for delta in _deltas(outgoing):
            yield event({**head, "choices": [_choice(delta)]})
        yield event({**head, "choices": [_choice({}, _finish(outgoing))]})
        if counted:
            yield event({**head, "choices": [], "usage": _usage(outgoing)})
        yield event("[DONE]")


def arguments_of(text: str) -> dict[str, Any]:
    """Return a call's arguments from JSON; a value that is not an object becomes `arguments`."""
    arguments = json.loads(text or "{}")
    return arguments if isinstance(arguments, dict) else {"arguments": arguments}


def _message(message: dict[str, Any]) -> Message:
    role: Any = "system" if message["role"] == "developer" else message["role"]
    if role not in {"system", "user", "assistant", "tool"}:
        raise ValueError(f"no message has the role {role!r}")
    content = message.get("content") or ()
    parts = (content,) if isinstance(content, str) else tuple(_part(part) for part in content)
    calls = tuple(
        ToolCall(call["id"], call["function"]["name"], arguments_of(call["function"]["arguments"]))
        for call in message.get("tool_calls") or ()
    )
    return Message(role, parts, calls, message.get("tool_call_id") or "")


def _part(part: dict[str, Any]) -> str | Image:
    if part["type"] == "image_url":
        return image_of(part["image_url"]["url"], part["image_url"].get("detail") or "")
    return str(part.get("text") or part.get("refusal") or "")


def _tool(tool: dict[str, Any]) -> Tool:
    if tool["type"] != "function":
        return Tool(tool.get("name") or tool["type"], provider=tool)
    function = tool["function"]
    return Tool(function["name"], function.get("description", ""), function.get("parameters", {}))


def _head(outgoing: Outgoing, kind: str) -> dict[str, Any]:
    head = {"id": f"chatcmpl-{outgoing.number}", "object": kind, "created": int(time.time())}
    return {**head, "model": outgoing.model, "system_fingerprint": "fp_scripted"}


def _content(outgoing: Outgoing) -> dict[str, Any]:
    if outgoing.reply.stop == "refusal":
        return {"content": None, "refusal": outgoing.reply.text}
    return {"content": outgoing.reply.text or None, "refusal": None}


def _finish(outgoing: Outgoing) -> str:
    return _FINISH[outgoing.reply.stop]


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)}
    return {"id": call.id, "type": "function", "function": function}


def _deltas(outgoing: Outgoing) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": "", "refusal": None}
    field = "refusal" if outgoing.reply.stop == "refusal" else "content"
    for piece in pieces(outgoing.reply.text):
        yield {field: piece}
    for index, call in enumerate(outgoing.reply.tool_calls):
        whole = _call(call)
        begun = {**whole, "index": index, "function": {"name": call.name, "arguments": ""}}
        yield {"tool_calls": [begun]}
        for piece in pieces(whole["function"]["arguments"]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _choice(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}


def _usage(outgoing: Outgoing) -> dict[str, Any]:
    given, cached, output, both = total(outgoing)
    usage: dict[str, Any] = {"prompt_tokens": given, "completion_tokens": output}
    details = {"prompt_tokens_details": {"cached_tokens": cached, "audio_tokens": 0}}
    reasoning = {"completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0}}
    return {**usage, "total_tokens": both, **details, **reasoning}
