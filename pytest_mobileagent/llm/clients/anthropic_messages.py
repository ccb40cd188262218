"""A client for Anthropic's Messages API, with its computer-use tools."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm import replies, streams
from pytest_mobileagent.llm.clients.sdk import Parameters, Sdk, SpokenApi

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_mobileagent.llm.model import Completion, Image, Message, Request, Tool

# Models that accept only the default temperature, top_p and top_k ("Migration guide", 2026-11).
_SAMPLES_ALONE = re.compile(r"claude-(sonnet|opus)-5(?!\d)")
_SAMPLING = ("temperature", "top_p", "top_k")
MAX_TOKENS = 4096  # the limit of a reply if a request does not set one, as the API requires it


class AnthropicMessages(Sdk):
    """A `Client` for `POST BASE_URL/v1/messages`.

    System messages are joined and sent before all others. Consecutive messages from the same side
    are merged into one, with tool results first, as this API requires. Empty strings, which it
    refuses, are left out; pictures of a result that is an error follow all results, as an error may
    only have text. A request without `max_tokens` gets `MAX_TOKENS`. A tool of the type
    `computer_YYYYMMDD` enables its beta version; `extra={"betas": […]}` enables others. Settings of
    sampling are not sent to models that refuse them (`_SAMPLES_ALONE`). This API has no seed. An
    answer's `raw` has its blocks, including the model's thinking and its signatures; they are sent
    back unchanged with the assistant's message. A toolset's calls and results have its name.
    """

    api = SpokenApi(
        "/v1/messages",
        "message",
        streams.messages,
        replies.messages,
        lambda reply: bool(reply["stop_reason"]),
    )

    def __init__(self, model: str, base_url: str, key: str = "", timeout: float = 300.0) -> None:
        import anthropic  # slow to import, and part of an extra

        super().__init__(anthropic.Anthropic, model, base_url, key, timeout)
        self._parameters = Parameters(refused=_SAMPLING if _SAMPLES_ALONE.search(model) else ())

    def _send(
        self, body: dict[str, Any], headers: Mapping[str, str], *, stream: bool
    ) -> Completion:
        betas = ",".join(body.get("betas", ()))
        rest = {name: value for name, value in body.items() if name != "betas"}
        more = {"anthropic-beta": betas} if betas else {}
        return super()._send(rest, {**headers, **more}, stream=stream)

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
        betas = [*_betas(request.tools), *request.extra.get("betas", ())]
        return {**body, **given, **request.extra, "betas": betas}


def _betas(tools: Iterable[Tool]) -> list[str]:
    """Return the beta versions that computer-use tools need, by the dates in the tools' types."""
    types = [str(tool.provider.get("type", "")) for tool in tools if tool.provider]
    dates = [re.fullmatch(r"computer_(\d{4})(\d\d)(\d\d)", name) for name in types]
    return [f"computer-use-{date[1]}-{date[2]}-{date[3]}" for date in dates if date]


def _sent(messages: list[Message]) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []
    kinds: dict[str, str] = {}
    for message in messages:
        role = "assistant" if message.role == "assistant" else "user"
        kinds |= {call.id: call.kind for call in message.tool_calls}
        blocks = _blocks(message, kinds)
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


def _blocks(message: Message, kinds: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return a message's blocks; `kinds` has the kinds of the calls so far, by their ids."""
    if isinstance(message.raw, dict) and replies.BLOCKS in message.raw:
        return [each for each in message.raw[replies.BLOCKS] if not _is_empty(each)]
    parts = [_part(part) for part in message.content if not isinstance(part, str) or part.strip()]
    if message.role == "tool":
        result: dict[str, Any] = {"type": "tool_result", "tool_use_id": message.answers}
        result |= _toolset(kinds.get(message.answers, "function"))
        within = [each for each in parts if each["type"] == "text" or not message.is_error]
        beside = [each for each in parts if each not in within]
        if message.is_error and not within:  # which is refused
            within = [{"type": "text", "text": "The call failed."}]
        result |= {"content": within} if within else {}
        return [result | ({"is_error": True} if message.is_error else {}), *beside]
    calls = [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.arguments)}
        | _toolset(call.kind)
        for call in message.tool_calls
    ]
    return [*parts, *calls]


def _is_empty(block: dict[str, Any]) -> bool:
    return block.get("type") == "text" and not replies.as_text(block.get("text")).strip()


def _toolset(kind: str) -> dict[str, str]:
    return {} if kind in {"function", "computer_call"} else {"toolset_name": kind}


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
