"""Google's Gemini API: `generateContent`, and its stream as events or as one growing list."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm.model import Image, Message, Request, Tool, ToolCall
from pytest_mobileagent.llm.scripted import apis

if TYPE_CHECKING:
    from collections.abc import Iterator

_PATH = re.compile(r"/models/([^/:]+):(generateContent|streamGenerateContent)$")
_FINISH = {"end": "STOP", "tools": "STOP", "length": "MAX_TOKENS", "refusal": "SAFETY"}
_FINISH |= {"malformed": "MALFORMED_FUNCTION_CALL"}
_KNOWN = {"contents", "systemInstruction", "generationConfig", "tools"}
_FROM_URL_SAFE = str.maketrans("-_", "+/")  # Gemini accepts URL-safe base64, which its SDK sends
_STATUSES = {
    400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED",
}  # fmt: skip


class Gemini(apis.Api):
    """`POST …/models/NAME:generateContent` and `…:streamGenerateContent`."""

    def read(self, incoming: apis.Incoming) -> apis.ModelRequest | apis.Direct | None:
        """Return the request; field names may be in snake_case, as Google allows."""
        path = _PATH.search(incoming.path)
        if incoming.method != "POST" or path is None:
            return None
        body = _camel(incoming.body())
        settings = body.get("generationConfig") or {}
        instruction = body.get("systemInstruction") or {}
        system = tuple(part["text"] for part in instruction.get("parts") or ())
        first = (Message("system", system),) if system else ()
        request = Request(
            (*first, *(each for content in body["contents"] for each in _messages(content))),
            max_tokens=settings.get("maxOutputTokens"),
            temperature=settings.get("temperature"),
            top_p=settings.get("topP"),
            seed=settings.get("seed"),
            stop=apis.words(settings.get("stopSequences")),
            tools=tuple(each for tool in body.get("tools") or () for each in _tools(tool)),
            stream=path[2] == "streamGenerateContent",
            extra=apis.rest(body, _KNOWN),
        )
        return apis.ModelRequest(request, path[1], {**body, "alt": incoming.query.get("alt", "")})

    def whole(self, outgoing: apis.Outgoing) -> Any:
        """Return a candidate."""
        text = [{"text": outgoing.reply.text}] if outgoing.reply.text else []
        return _chunk(outgoing, [*text, *_calls(outgoing)], last=True)

    def stream(self, outgoing: apis.Outgoing) -> Iterator[bytes]:
        """Yield chunks, each with the usage, as events or as the parts of one list."""
        parts = [{"text": text} for text in apis.pieces(outgoing.reply.text)]
        chunks = [_chunk(outgoing, [part], last=False) for part in parts]
        chunks.append(_chunk(outgoing, _calls(outgoing) or [{"text": ""}], last=True))
        for number, chunk in enumerate(chunks):
            if outgoing.asked.body["alt"] == "sse":
                yield apis.event(chunk)
            else:
                yield (",\r\n" if number else "[").encode() + apis.as_json(chunk)
        if outgoing.asked.body["alt"] != "sse":
            yield b"]"

    def error(self, status: int, words: str, code: str) -> Any:
        """Return an error in Google's format."""
        name = _STATUSES.get(status, "UNKNOWN")
        return {"error": {"code": status, "message": words, "status": name}}

    def stream_type(self, asked: apis.ModelRequest) -> str:
        """Return the media type of a stream."""
        return "text/event-stream" if asked.body["alt"] == "sse" else "application/json"


def _camel(value: Any) -> Any:
    """Return data with field names in camelCase, except within the user's own data."""
    if isinstance(value, list):
        return [_camel(item) for item in value]
    if not isinstance(value, dict):
        return value
    named = {re.sub(r"_(\w)", lambda at: at[1].upper(), name): each for name, each in value.items()}
    own = {"args", "response", "parameters", "parametersJsonSchema", "properties"}
    return {name: each if name in own else _camel(each) for name, each in named.items()}


def _messages(content: dict[str, Any]) -> Iterator[Message]:
    """Yield the results of functions, each as a message, and then the rest of the content."""
    message = Message("assistant" if content.get("role") == "model" else "user")
    for part in content["parts"]:
        if answered := part.get("functionResponse"):
            result = json.dumps(answered["response"], ensure_ascii=False)
            pictures = map(_picture, answered.get("parts") or ())
            called = answered.get("id") or answered["name"]
            failed = "error" in answered["response"]
            yield Message("tool", (result, *pictures), (), called, is_error=failed)
        elif called := part.get("functionCall"):
            name = called["name"]
            call = ToolCall(called.get("id") or name, name, called.get("args") or {})
            message = replace(message, tool_calls=(*message.tool_calls, call))
        elif "inlineData" in part:
            message = replace(message, content=(*message.content, _picture(part)))
        elif "text" in part:
            message = replace(message, content=(*message.content, part["text"]))
    if message.content or message.tool_calls:
        yield message


def _picture(part: dict[str, Any]) -> Image:
    return Image(apis.decoded(part["inlineData"]["data"].translate(_FROM_URL_SAFE)))


def _tools(tool: dict[str, Any]) -> Iterator[Tool]:
    if "functionDeclarations" not in tool:
        yield Tool(next(iter(tool)), provider=tool)
    for function in tool.get("functionDeclarations") or ():
        about = function.get("description", "")
        schema = function.get("parametersJsonSchema") or function.get("parameters", {})
        yield Tool(function["name"], about, schema)


def _calls(outgoing: apis.Outgoing) -> list[dict[str, Any]]:
    return [
        {"functionCall": {"id": call.id, "name": call.name, "args": dict(call.arguments)}}
        for call in outgoing.reply.tool_calls
    ]


def _chunk(outgoing: apis.Outgoing, parts: list[dict[str, Any]], *, last: bool) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"parts": parts, "role": "model"}, "index": 0}
    if last:
        candidate["finishReason"] = _FINISH[outgoing.reply.stop]
    about = {"modelVersion": outgoing.model, "responseId": f"scripted-{outgoing.number}"}
    return {"candidates": [candidate], **_usage(outgoing), **about}


def _usage(outgoing: apis.Outgoing) -> dict[str, Any]:
    given, cached, output, both = apis.total(outgoing)
    counts = {"promptTokenCount": given, "candidatesTokenCount": output, "totalTokenCount": both}
    read = {"cachedContentTokenCount": cached} if cached else {}
    return {"usageMetadata": {**counts, **read}}
