"""OpenAI's APIs: Chat Completions, which most servers also speak, and Responses."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm.model import Message, Request, Tool, ToolCall
from pytest_mobileagent.llm.replies import CHECKS
from pytest_mobileagent.llm.scripted import apis

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_mobileagent.llm.model import Image

_FINISH = {"end": "stop", "tools": "tool_calls", "length": "length", "refusal": "stop"}
_FINISH |= {"malformed": "stop"}  # only Gemini says this
_KNOWN = {"model", "messages", "max_tokens", "max_completion_tokens", "temperature", "top_p"}
_KNOWN |= {"seed", "stop", "tools", "stream", "stream_options"}


class OpenAIChat(apis.Api):
    """`POST …/chat/completions`."""

    def read(self, incoming: apis.Incoming) -> apis.ModelRequest | apis.Direct | None:
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
            stop=apis.words(body.get("stop")),
            tools=tuple(_tool(tool) for tool in body.get("tools") or ()),
            stream=bool(body.get("stream")),
            extra=apis.rest(body, _KNOWN),
        )
        return apis.ModelRequest(request, body["model"], body)

    def whole(self, outgoing: apis.Outgoing) -> Any:
        """Return a chat completion."""
        calls = [_call(call) for call in outgoing.reply.tool_calls]
        message = {"role": "assistant", **_content(outgoing)}
        message |= {"tool_calls": calls} if calls else {}
        ended = {"logprobs": None, "finish_reason": _finish(outgoing)}
        choices = [{"index": 0, "message": message, **ended}]
        head = _head(outgoing, "chat.completion")
        return {**head, "choices": choices, "usage": _usage(outgoing)}

    def stream(self, outgoing: apis.Outgoing) -> Iterator[bytes]:
        """Yield chunks, followed by the usage if the request asks for it."""
        counted = (outgoing.asked.body.get("stream_options") or {}).get("include_usage")
        head = _head(outgoing, "chat.completion.chunk") | ({"usage": None} if counted else {})
        for delta in _deltas(outgoing):
            yield apis.event({**head, "choices": [_choice(delta)]})
        yield apis.event({**head, "choices": [_choice({}, _finish(outgoing))]})
        if counted:
            yield apis.event({**head, "choices": [], "usage": _usage(outgoing)})
        yield apis.event("[DONE]")


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
        return apis.image_of(part["image_url"]["url"], part["image_url"].get("detail") or "")
    return str(part.get("text") or part.get("refusal") or "")


def _tool(tool: dict[str, Any]) -> Tool:
    if tool["type"] != "function":
        return Tool(tool.get("name") or tool["type"], provider=tool)
    function = tool["function"]
    return Tool(function["name"], function.get("description", ""), function.get("parameters", {}))


def _head(outgoing: apis.Outgoing, kind: str) -> dict[str, Any]:
    head = {"id": f"chatcmpl-{outgoing.number}", "object": kind, "created": int(time.time())}
    return {**head, "model": outgoing.model, "system_fingerprint": "fp_scripted"}


def _content(outgoing: apis.Outgoing) -> dict[str, Any]:
    if outgoing.reply.stop == "refusal":
        return {"content": None, "refusal": outgoing.reply.text}
    return {"content": outgoing.reply.text or None, "refusal": None}


def _finish(outgoing: apis.Outgoing) -> str:
    return _FINISH[outgoing.reply.stop]


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)}
    return {"id": call.id, "type": "function", "function": function}


def _deltas(outgoing: apis.Outgoing) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": "", "refusal": None}
    field = "refusal" if outgoing.reply.stop == "refusal" else "content"
    for piece in apis.pieces(outgoing.reply.text):
        yield {field: piece}
    for index, call in enumerate(outgoing.reply.tool_calls):
        whole = _call(call)
        begun = {**whole, "index": index, "function": {"name": call.name, "arguments": ""}}
        yield {"tool_calls": [begun]}
        for piece in apis.pieces(whole["function"]["arguments"]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _choice(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}


def _usage(outgoing: apis.Outgoing) -> dict[str, Any]:
    given, cached, output, both = apis.total(outgoing)
    usage: dict[str, Any] = {"prompt_tokens": given, "completion_tokens": output}
    details = {"prompt_tokens_details": {"cached_tokens": cached, "audio_tokens": 0}}
    reasoning = {"completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0}}
    return {**usage, "total_tokens": both, **details, **reasoning}


_KNOWN_RESPONSE = {"model", "input", "instructions", "max_output_tokens", "temperature", "top_p"}
_KNOWN_RESPONSE |= {"tools", "stream"}
_ROLES = {"developer": "system", "system": "system", "user": "user", "assistant": "assistant"}


class OpenAIResponses(apis.Api):
    """`POST …/responses`."""

    def read(self, incoming: apis.Incoming) -> apis.ModelRequest | apis.Direct | None:
        """Return the request; reasoning items are not messages."""
        if incoming.method != "POST" or not incoming.path.endswith("/responses"):
            return None
        body = incoming.body()
        system = body.get("instructions")
        given = body["input"]
        items = [{"role": "user", "content": given}] if isinstance(given, str) else given
        request = Request(
            (*((Message("system", (system,)),) if system else ()), *_conversation(items)),
            max_tokens=body.get("max_output_tokens"),
            temperature=body.get("temperature"),
            top_p=body.get("top_p"),
            tools=tuple(_flat_tool(tool) for tool in body.get("tools") or ()),
            stream=bool(body.get("stream")),
            extra=apis.rest(body, _KNOWN_RESPONSE),
        )
        return apis.ModelRequest(request, body["model"], body)

    def whole(self, outgoing: apis.Outgoing) -> Any:
        """Return a response."""
        status = "incomplete" if outgoing.reply.stop == "length" else "completed"
        return _response(outgoing, status, _items(outgoing), _counts(outgoing))

    def stream(self, outgoing: apis.Outgoing) -> Iterator[bytes]:
        """Yield numbered events; the last one has the whole response."""
        numbers = count()

        def server_event(name: str, /, **fields: Any) -> bytes:
            return apis.event({"type": name, "sequence_number": next(numbers), **fields}, name)

        begun = _response(outgoing, "in_progress", [], None)
        yield server_event("response.created", response=begun)
        yield server_event("response.in_progress", response=begun)
        for index, item in enumerate(_items(outgoing)):
            place = {"output_index": index}
            yield server_event("response.output_item.added", **place, item=_begun(item))
            for name, fields in _item_events(item):
                yield server_event(name, **place, item_id=item["id"], **fields)
            yield server_event("response.output_item.done", **place, item=item)
        whole = self.whole(outgoing)
        yield server_event(f"response.{whole['status']}", response=whole)


def _conversation(items: Iterable[dict[str, Any]]) -> Iterator[Message]:
    """Yield messages; calls that follow an assistant's text become part of its message."""
    waiting: Message | None = None
    for item in items:
        kind = item.get("type", "message")
        if kind in {"function_call", "computer_call"}:
            before = waiting or Message("assistant")
            waiting = replace(before, tool_calls=(*before.tool_calls, _called(item)))
            continue
        if waiting and kind != "reasoning":
            yield waiting
            waiting = None
        if kind == "message":
            message = Message(_role(item["role"]), _content_of(item["content"]))
            if message.role == "assistant":
                waiting = message
            else:
                yield message
        elif kind in {"function_call_output", "computer_call_output"}:
            yield Message("tool", _content_of(item["output"]), (), item["call_id"])
    if waiting:
        yield waiting


def _role(role: str) -> Any:
    if role not in _ROLES:
        raise ValueError(f"no message has the role {role!r}")
    return _ROLES[role]


def _content_of(content: Any) -> tuple[str | Image, ...]:
    if isinstance(content, str):
        return (content,)
    parts = [content] if isinstance(content, dict) else content
    return tuple(
        apis.image_of(part["image_url"], part.get("detail") or "")
        if "image_url" in part
        else str(part.get("text") or part.get("refusal") or "")
        for part in parts
    )


def _called(item: dict[str, Any]) -> ToolCall:
    if item["type"] == "function_call":
        return ToolCall(item["call_id"], item["name"], arguments_of(item["arguments"]))
    action = item.get("action") or {"actions": item["actions"]}
    action |= {CHECKS: item[CHECKS]} if item.get(CHECKS) else {}
    return ToolCall(item["call_id"], "computer", action, "computer_call")


def _flat_tool(tool: dict[str, Any]) -> Tool:
    if tool["type"] != "function":
        return Tool(tool["type"], provider=tool)
    return Tool(tool["name"], tool.get("description") or "", tool.get("parameters") or {})


def _response(
    outgoing: apis.Outgoing, status: str, output: list[dict[str, Any]], usage: dict[str, Any] | None
) -> dict[str, Any]:
    body = outgoing.asked.body
    reason = {"reason": "max_output_tokens"} if status == "incomplete" else None
    head = {"id": f"resp_{outgoing.number}", "object": "response", "created_at": int(time.time())}
    asked = {"tools": body.get("tools") or [], "instructions": body.get("instructions")}
    asked |= {"temperature": body.get("temperature"), "top_p": body.get("top_p")}
    fixed: dict[str, Any] = {"error": None, "metadata": {}, "parallel_tool_calls": True}
    fixed |= {"tool_choice": "auto"}
    fields = {"status": status, "incomplete_details": reason, "output": output, "usage": usage}
    return {**head, "model": outgoing.model, **fields, **asked, **fixed}


def _items(outgoing: apis.Outgoing) -> list[dict[str, Any]]:
    """Return the answer's items, beginning with reasoning if the request asks for it."""
    reply = outgoing.reply
    items: list[dict[str, Any]] = []
    if outgoing.asked.body.get("reasoning"):
        secret = {"summary": [], "encrypted_content": f"thought {outgoing.number}"}
        items.append({"type": "reasoning", "id": f"rs_{outgoing.number}", **secret})
    if reply.text:
        part: dict[str, Any] = {"type": "output_text", "text": reply.text, "annotations": []}
        if reply.stop == "refusal":
            part = {"type": "refusal", "refusal": reply.text}
        status = "incomplete" if reply.stop == "length" else "completed"
        message = {"type": "message", "id": f"msg_{outgoing.number}", "role": "assistant"}
        items.append({**message, "status": status, "content": [part]})
    for number, call in enumerate(reply.tool_calls):
        end = {"id": f"{outgoing.number}_{number}", "call_id": call.id, "status": "completed"}
        if call.kind == "computer_call":
            arguments = dict(call.arguments)
            checks = {CHECKS: arguments.pop(CHECKS, [])}
            did: dict[str, Any] = arguments if "actions" in arguments else {"action": arguments}
            items.append({"type": call.kind, **end, **did, **checks})
        else:
            words = json.dumps(call.arguments, ensure_ascii=False)
            named = _named(call.name, outgoing.asked.body.get("tools") or ())
            items.append({"type": "function_call", **named, "arguments": words, **end})
    return items


def _named(name: str, tools: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Return the fields with a tool's name: alone, or split into its namespace and the rest."""
    for space in (tool["name"] for tool in tools if tool.get("type") == "namespace"):
        if name.startswith(f"{space}__"):
            return {"namespace": space, "name": name.removeprefix(f"{space}__")}
    return {"name": name}


def _begun(item: dict[str, Any]) -> dict[str, Any]:
    match item["type"]:
        case "message":
            return {**item, "content": [], "status": "in_progress"}
        case "function_call":
            return {**item, "arguments": "", "status": "in_progress"}
    return item


def _item_events(item: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    if item["type"] == "message":
        part, place = item["content"][0], {"content_index": 0}
        field = "refusal" if part["type"] == "refusal" else "text"
        name = "response.refusal" if field == "refusal" else "response.output_text"
        yield "response.content_part.added", {**place, "part": {**part, field: ""}}
        logs: dict[str, Any] = {"logprobs": []} if field == "text" else {}
        for piece in apis.pieces(part[field]):
            yield f"{name}.delta", {**place, "delta": piece, **logs}
        yield f"{name}.done", {**place, field: part[field], **logs}
        yield "response.content_part.done", {**place, "part": part}
    elif item["type"] == "function_call":
        words = item["arguments"]
        for piece in apis.pieces(words):
            yield "response.function_call_arguments.delta", {"delta": piece}
        done = {"arguments": words, "name": item["name"]}
        yield "response.function_call_arguments.done", done


def _counts(outgoing: apis.Outgoing) -> dict[str, Any]:
    given, cached, output, both = apis.total(outgoing)
    details = {"input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": 0}}
    reasoning = {"output_tokens_details": {"reasoning_tokens": 0}}
    counts = {"input_tokens": given, "output_tokens": output, "total_tokens": both}
    return {**counts, **details, **reasoning}
