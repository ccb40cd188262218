"""A client for Anthropic's Messages API, with its computer-use tools."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm.clients.sdk import Parameters, Sdk, mended, sound
from pytest_mobileagent.llm.model import Completion, Image, ToolCall
from pytest_mobileagent.llm.refusals import stop_of
from pytest_mobileagent.llm.streams import arguments_of, messages
from pytest_mobileagent.llm.usage import usage_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_mobileagent.llm.model import Message, Request, Tool

MAX_TOKENS = 4096  # the limit of a reply if a request does not set one, as the API requires it
_RAW = "anthropic_messages"  # the key of an answer's blocks in `raw`


class AnthropicMessages:
    """A `Client` for `POST BASE_URL/v1/messages`.

    System messages are joined and sent before all others. Consecutive messages from the same side
    are merged into one, with tool results first, as this API requires. Empty strings, which it
    refuses, are left out. A request without `max_tokens` gets `MAX_TOKENS`. A tool of the type
    `computer_YYYYMMDD` enables its beta version; `extra={"betas": […]}` enables others. This API
    has no seed. An answer's `raw` has its blocks, including the model's thinking and its
    signatures; they are sent back unchanged with the assistant's message.
    """

    def __init__(self, model: str, base_url: str, key: str = "", timeout: float = 300.0) -> None:
        import anthropic  # slow to import, and part of an extra

        self.model = model
        self._sdk = Sdk(anthropic, anthropic.Anthropic, base_url, key, timeout)
        self._parameters = Parameters()

    def close(self) -> None:
        """Close the connections."""
        self._sdk.close()

    def ask(self, request: Request) -> Completion:
        """Send a request, and return the answer (see `Client`)."""
        return self._parameters.fit(self._body(request), lambda body: self._send(request, body))

    def _send(self, request: Request, body: dict[str, Any]) -> Completion:
        body = dict(body)
        betas = [*_betas(request.tools), *body.pop("betas", ())]
        headers = {"anthropic-beta": ",".join(betas)} if betas else {}
        with self._sdk.reading("message"):
            if request.stream:
                streamed = self._sdk.stream("/v1/messages", body, messages, headers)
                if streamed.is_whole:
                    return sound(_answer(mended(streamed.reply), streamed.seconds))
            else:
                reply = self._sdk.post("/v1/messages", body, headers)
                if reply["stop_reason"]:
                    return sound(_answer(mended(reply), None))
        raise self._sdk.broken("its answer ended before the reply was complete")

    def _body(self, request: Request) -> dict[str, Any]:
        system = [m.text for m in request.messages if m.role == "system" and m.text.strip()]
        settings = {
            "system": "\n\n".join(system) or None,
            "temperature": request.temperature,
            "top_p": request.top_p,
            "stop_sequences": list(request.stop) or None,
            "tools": [_tool(tool) for tool in request.tools] or None,
        }
        given = {name: value for name, value in settings.items() if value is not None}
        limit = MAX_TOKENS if request.max_tokens is None else request.max_tokens
        messages = _sent([m for m in request.messages if m.role != "system"])
        body = {"model": self.model, "messages": messages, "max_tokens": limit}
        return {**body, **given, **request.extra}


def _betas(tools: Iterable[Tool]) -> list[str]:
    """Return the beta versions that computer-use tools need, by the dates in the tools' types."""
    types = [str(tool.provider.get("type", "")) for tool in tools if tool.provider]
    dates = [re.fullmatch(r"computer_(\d{4})(\d\d)(\d\d)", name) for name in types]
    return [f"computer-use-{date[1]}-{date[2]}-{date[3]}" for date in dates if date]


def _sent(messages: list[Message]) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []
    for message in messages:
        role = "assistant" if message.role == "assistant" else "user"
        blocks = _blocks(message)
        if sent and sent[-1]["role"] == role:
            sent[-1]["content"] += blocks
        elif blocks:
            sent.append({"role": role, "content": blocks})
    for each in sent:
        each["content"].sort(key=lambda block: block["type"] != "tool_result")
    if sent and sent[-1]["role"] == "assistant" and sent[-1]["content"][-1]["type"] == "text":
        last = sent[-1]["content"][-1]  # the reply's prefill, which must not end in a space
        sent[-1]["content"][-1] = {**last, "text": last["text"].rstrip()}
    return sent


def _blocks(message: Message) -> list[dict[str, Any]]:
    if isinstance(message.raw, dict) and _RAW in message.raw:
        return list(message.raw[_RAW])
    parts = [_part(part) for part in message.content if not isinstance(part, str) or part.strip()]
    if message.role == "tool":
        answered = {"type": "tool_result", "tool_use_id": message.answers}
        return [{**answered, **({"content": parts} if parts else {})}]
    calls = [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.arguments)}
        for call in message.tool_calls
    ]
    return [*parts, *calls]


def _part(part: str | Image) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    data = base64.b64encode(part.data).decode()
    source = {"type": "base64", "media_type": part.media_type, "data": data}
    return {"type": "image", "source": source}


def _tool(tool: Tool) -> dict[str, Any]:
    if tool.provider is not None:
        return dict(tool.provider)
    about = {"description": tool.description} if tool.description else {}
    schema = dict(tool.parameters) or {"type": "object", "properties": {}}
    return {"name": tool.name, **about, "input_schema": schema}


def _answer(reply: dict[str, Any], seconds: float | None) -> Completion:
    content = reply["content"]
    used = [block for block in content if block["type"] == "tool_use"]
    calls = tuple(
        ToolCall(block.get("id") or f"call_{number}", block["name"], arguments_of(block["input"]))
        for number, block in enumerate(used)
    )
    usage = usage_in(reply)
    stop = stop_of(reply.get("stop_reason"))
    return Completion(
        "".join(block["text"] for block in content if block["type"] == "text"),
        calls,
        "tools" if calls and stop == "end" else stop,
        usage,
        reply.get("model") or "",
        seconds,
        reply if usage.input is not None else None,
        {_RAW: content},
    )
