"""Anthropic's Messages API."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm.model import Image, Message, Request, Tool, ToolCall
from pytest_mobileagent.llm.scripted import apis

if TYPE_CHECKING:
    from collections.abc import Iterator

_STOP = {"end": "end_turn", "tools": "tool_use", "length": "max_tokens", "refusal": "refusal"}
_STOP |= {"malformed": "end_turn"}  # only Gemini says this
_KNOWN = {"model", "messages", "system", "max_tokens", "temperature", "top_p", "stop_sequences"}
_KNOWN |= {"tools", "stream"}
_ERRORS = {
    400: "invalid_request_error", 401: "authentication_error", 403: "permission_error",
    404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error",
    529: "overloaded_error",
}  # fmt: skip


class AnthropicMessages(apis.Api):
    """`POST …/messages`."""

    def read(self, incoming: apis.Incoming) -> apis.ModelRequest | apis.Direct | None:
        """Return the request; `max_tokens` is required, as by Anthropic."""
        if incoming.method != "POST" or not incoming.path.endswith("/messages"):
            return None
        body = incoming.body()
        system = _parts(body.get("system") or ())
        first = (Message("system", system),) if system else ()
        request = Request(
            (*first, *(each for message in body["messages"] for each in _messages(message))),
            max_tokens=body["max_tokens"],
            temperature=body.get("temperature"),
            top_p=body.get("top_p"),
            stop=apis.words(body.get("stop_sequences")),
            tools=tuple(_tool(tool) for tool in body.get("tools") or ()),
            stream=bool(body.get("stream")),
            extra=apis.rest(body, _KNOWN),
        )
        return apis.ModelRequest(request, body["model"], body)

    def whole(self, outgoing: apis.Outgoing) -> Any:
        """Return a message."""
        text = [{"type": "text", "text": outgoing.reply.text}] if outgoing.reply.text else []
        calls = [
            {**_call(call), "input": dict(call.arguments)} for call in outgoing.reply.tool_calls
        ]
        return _message(outgoing, [*text, *calls], _STOP[outgoing.reply.stop], _usage(outgoing))

    def stream(self, outgoing: apis.Outgoing) -> Iterator[bytes]:
        """Yield events; the input tokens are in the first one, the output tokens near the end."""
        usage = {**_usage(outgoing), "output_tokens": 0}
        yield _event("message_start", message=_message(outgoing, [], None, usage))
        yield _event("ping")
        if outgoing.reply.text:
            deltas = [
                {"type": "text_delta", "text": text} for text in apis.pieces(outgoing.reply.text)
            ]
            yield from _block(0, {"type": "text", "text": ""}, deltas)
        for index, call in enumerate(outgoing.reply.tool_calls, 1 if outgoing.reply.text else 0):
            text = json.dumps(call.arguments, ensure_ascii=False)
            deltas = [
                {"type": "input_json_delta", "partial_json": part} for part in apis.pieces(text)
            ]
            yield from _block(index, {**_call(call), "input": {}}, deltas)
        ending = {"stop_reason": _STOP[outgoing.reply.stop], "stop_sequence": None}
        counted = {"output_tokens": _usage(outgoing)["output_tokens"]}
        yield _event("message_delta", delta=ending, usage=counted)
        yield _event("message_stop")

    def error(self, status: int, words: str, code: str) -> Any:
        """Return an error in Anthropic's format."""
        error = {"type": _ERRORS.get(status, "api_error"), "message": words}
        return {"type": "error", "error": error, "request_id": "req_scripted"}


def _messages(message: dict[str, Any]) -> Iterator[Message]:
    """Yield the results of tools, each as a message, and then the rest of the message."""
    content, role = message["content"], message["role"]
    if role not in {"user", "assistant", "system"}:  # "system" may occur within a conversation
        raise ValueError(f"no message has the role {role!r}")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    for block in content:
        if block["type"] == "tool_result":
            failed = bool(block.get("is_error"))
            answered = _parts(block.get("content") or ())
            yield Message("tool", answered, (), block["tool_use_id"], is_error=failed)
    calls = tuple(
        ToolCall(block["id"], block["name"], block["input"], block.get("toolset_name", "function"))
        for block in content
        if block["type"] == "tool_use"
    )
    parts = _parts([block for block in content if block["type"] in {"text", "image"}])
    if parts or calls:
        yield Message(role, parts, calls)


def _parts(content: Any) -> tuple[str | Image, ...]:
    if isinstance(content, str):
        return (content,)
    return tuple(_part(block) for block in content)


def _part(block: dict[str, Any]) -> str | Image:
    if block["type"] != "image":
        return str(block["text"])
    source = block["source"]
    return Image(apis.decoded(source["data"])) if source["type"] == "base64" else str(source["url"])


def _tool(tool: dict[str, Any]) -> Tool:
    if "input_schema" not in tool:
        return Tool(tool.get("name", tool["type"]), provider=tool)  # toolsets have no name
    return Tool(tool["name"], tool.get("description", ""), tool["input_schema"])


def _message(
    outgoing: apis.Outgoing, content: list[Any], stop: str | None, usage: dict[str, int]
) -> dict[str, Any]:
    head = {"id": f"msg_{outgoing.number}", "type": "message", "role": "assistant"}
    ending = {"stop_reason": stop, "stop_sequence": None, "usage": usage}
    return {**head, "model": outgoing.model, "content": content, **ending}


def _call(call: ToolCall) -> dict[str, Any]:
    toolset = {} if call.kind == "function" else {"toolset_name": call.kind}
    return {"type": "tool_use", "id": call.id, "name": call.name, **toolset}


def _block(index: int, block: dict[str, Any], deltas: list[dict[str, Any]]) -> Iterator[bytes]:
    yield _event("content_block_start", index=index, content_block=block)
    for delta in deltas:
        yield _event("content_block_delta", index=index, delta=delta)
    yield _event("content_block_stop", index=index)


def _event(name: str, **fields: Any) -> bytes:
    return apis.event({"type": name, **fields}, name)


def _usage(outgoing: apis.Outgoing) -> dict[str, int]:
    """Return the token counts; Anthropic's input count does not include cached tokens."""
    given, cached, output, _ = apis.total(outgoing)
    read = {"cache_creation_input_tokens": 0, "cache_read_input_tokens": cached}
    return {"input_tokens": given - cached, **read, "output_tokens": output}
