"""A client for Google's Gemini API, with its computer-use tool."""

from __future__ import annotations

import base64
import contextlib
import json
import time
import weakref
from typing import TYPE_CHECKING, Any

import httpx2

from pytest_mobileagent.llm import replies, streams
from pytest_mobileagent.llm.clients.sdk import NO_KEY, Answers, SpokenApi, http_options, mended

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_mobileagent.llm.model import Completion, Image, Message, Request, Tool

_API = SpokenApi(
    ":generateContent", "Gemini reply", streams.gemini, replies.gemini, replies.is_candidate
)


class Gemini:
    """A `Client` for `POST BASE_URL/models/MODEL:generateContent`.

    System messages are joined and sent as the instruction. A tool message becomes the response of
    its function: its text is the `output`, or the `error` of a call that failed, and its pictures
    are parts of it. If the model asked to confirm the call (a `safety_decision` among its
    arguments), the response acknowledges this, as a benchmark's devices are meant for testing; an
    agent that does not confirm must end instead.

    An answer's `raw` has its content, with thoughts and their signatures; it is sent back unchanged
    with the assistant's message. The fields of `extra["generationConfig"]` are added to ours. The
    types of the SDK (google-genai) are only used for streams, in which it leaves out the fields
    that it does not know. It calls no functions, continues no replies and retries nothing itself.
    """

    def __init__(self, model: str, base_url: str, key: str = "", timeout: float = 300.0) -> None:
        from google.genai import Client, errors, types  # slow to import, and an extra

        self.model = model
        self._http = httpx2.Client(**http_options(base_url, timeout))
        self._answers = Answers(base_url, key)
        self._types, self._error = types, errors.APIError
        options = types.HttpOptions(
            base_url=base_url,
            api_version="",
            timeout=max(1, round(timeout * 1000)),
            httpx_client=self._http,
            async_client_args={"trust_env": False},  # not used: no proxy has to suit it
        )
        self._sdk = Client(vertexai=False, api_key=key or NO_KEY, http_options=options)
        weakref.finalize(self, self._http.close)

    def close(self) -> None:
        """Close the connections."""
        self._sdk.close()

    def ask(self, request: Request) -> Completion:
        """Send a request, and return the answer (see `Client`)."""
        body = mended(_body(request))
        began = time.monotonic()
        try:
            with self._answers.our_errors():
                answer = self._send(body, stream=request.stream)
        except self._error as error:  # its message may contain a key
            headers = getattr(error.response, "headers", None) or {}
            raise self._answers.refusal(error.code or 500, error.details, headers) from None
        return self._answers.completion(_API, answer, began)

    def _send(self, body: dict[str, Any], *, stream: bool) -> Any:
        types, models = self._types, self._sdk.models
        config = types.GenerateContentConfig(
            http_options=types.HttpOptions(extra_body=body),
            should_return_http_response=not stream,
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
            automatic_continuation=False,
        )
        asked: Any = {"model": self.model, "contents": "in the body", "config": config}
        if not stream:
            response = models.generate_content(**asked).sdk_http_response
            return json.loads((response and response.body) or "null")
        chunks: Any = models.generate_content_stream(**asked)
        with contextlib.closing(chunks):
            return _API.assemble(
                chunk.model_dump(mode="json", by_alias=True, exclude_none=True) for chunk in chunks
            )


def _body(request: Request) -> dict[str, Any]:
    system = [m.text for m in request.messages if m.role == "system" and m.text]
    config = {
        "maxOutputTokens": request.max_tokens,
        "temperature": request.temperature,
        "topP": request.top_p,
        "seed": request.seed,
        "stopSequences": list(request.stop) or None,
    }
    config = {name: value for name, value in config.items() if value is not None}
    extra = dict(request.extra)
    config |= extra.pop("generationConfig", None) or {}
    given = {
        "systemInstruction": {"parts": [{"text": "\n\n".join(system)}]} if system else None,
        "tools": _tools(request.tools),
        "generationConfig": config,
    }
    body = {"contents": _contents([m for m in request.messages if m.role != "system"])}
    return body | {name: value for name, value in given.items() if value} | extra


def _contents(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Return the contents of a conversation, with all responses to one turn's calls in one."""
    contents: list[dict[str, Any]] = []
    calls: dict[str, dict[str, Any]] = {}
    before = ""
    for message in messages:
        parts = _parts(message, calls)
        if message.role == before:
            contents[-1]["parts"] += parts
        elif parts:
            role = "model" if message.role == "assistant" else "user"
            contents.append({"role": role, "parts": parts})
            before = message.role
    return contents


def _parts(message: Message, calls: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a message's parts; `calls` has the function calls so far, by our ids for them."""
    if message.role == "tool":
        return [_response(message, calls.get(message.answers, {}))]
    parts = [_part(part) for part in message.content if part != ""]
    if message.role != "assistant":
        return parts
    parts += [
        {"functionCall": {"id": call.id, "name": call.name, "args": dict(call.arguments)}}
        for call in message.tool_calls
    ]
    if isinstance(message.raw, dict) and replies.CONTENT in message.raw:
        parts = list(message.raw[replies.CONTENT]["parts"])
    called = [replies.as_dict(part["functionCall"]) for part in parts if "functionCall" in part]
    calls |= {call.id: each for call, each in zip(message.tool_calls, called, strict=False)}
    return parts


def _response(message: Message, call: dict[str, Any]) -> dict[str, Any]:
    """Return a function's response; it has an id if the call, as the model wrote it, has one."""
    said: dict[str, Any] = {"error" if message.is_error else "output": message.text}
    if replies.SAFETY in replies.as_dict(call.get("args")):
        said["safety_acknowledgement"] = "true"
    answer = {"name": call.get("name") or message.answers, "response": said}
    if call.get("id"):
        answer["id"] = call["id"]
    if message.images:
        answer["parts"] = [_part(image) for image in message.images]
    return {"functionResponse": answer}


def _part(part: str | Image) -> dict[str, Any]:
    if isinstance(part, str):
        return {"text": part}
    data = base64.b64encode(part.data).decode()
    return {"inlineData": {"mimeType": part.media_type, "data": data}}


def _tools(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    own = [dict(tool.provider) for tool in tools if tool.provider is not None]
    functions = [_function(tool) for tool in tools if tool.provider is None]
    return [*own, {"functionDeclarations": functions}] if functions else own


def _function(tool: Tool) -> dict[str, Any]:
    about = {"description": tool.description} if tool.description else {}
    takes = {"parametersJsonSchema": dict(tool.parameters)} if tool.parameters else {}
    return {"name": tool.name, **about, **takes}
