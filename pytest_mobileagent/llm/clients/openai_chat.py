"""A client for OpenAI's Chat Completions API, which most providers and model servers speak."""

from __future__ import annotations

import base64
import json
import re
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm import replies, streams
from pytest_mobileagent.llm.clients.sdk import Parameters, Sdk, SpokenApi

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_mobileagent.llm.model import Image, Message, Request, Tool, ToolCall

# OpenAI's reasoning models only accept the newer name of the limit, other servers only the older.
_NEWER = re.compile(r"(?:.*/)?(gpt-[5-9]|o\d)")


class OpenAI(Sdk):
    """A client of OpenAI's SDK, in any of its APIs."""

    def __init__(self, model: str, base_url: str, key: str = "", timeout: float = 300.0) -> None:
        import openai  # slow to import, and part of an extra

        super().__init__(openai.OpenAI, model, base_url, key, timeout)


class OpenAIChat(OpenAI):
    """A `Client` for `POST BASE_URL/chat/completions`.

    `timeout` is the longest silence of the provider in seconds (see `ReplyWatch`). If a model
    refuses `max_tokens`, `temperature`, `top_p` or `stream_options` by name, it is asked again
    without that setting (see `Parameters`). A tool's pictures follow its text in a user message,
    because tool messages can only have text in this API.
    """

    api = SpokenApi(
        "/chat/completions", "chat completion", streams.chat, replies.chat, replies.is_answered
    )

    def __init__(self, model: str, base_url: str, key: str = "", timeout: float = 300.0) -> None:
        super().__init__(model, base_url, key, timeout)
        self._parameters = Parameters({"max_tokens": "max_completion_tokens"})
        if _NEWER.match(model):
            self._parameters.rename("max_tokens")

    def _body(self, request: Request) -> dict[str, Any]:
        settings = {
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "top_p": request.top_p,
            "seed": request.seed,
            "stop": list(request.stop) or None,
            "tools": [_tool(tool) for tool in request.tools] or None,
            "stream_options": {"include_usage": True} if request.stream else None,
        }
        given = {name: value for name, value in settings.items() if value is not None}
        return {
            "model": self.model,
            "messages": list(_sent(request.messages)),
            **given,
            **request.extra,
        }


def data_url(image: Image) -> str:
    """Return a picture as a data URL."""
    return f"data:{image.media_type};base64,{base64.b64encode(image.data).decode()}"


def _sent(messages: Iterable[Message]) -> Iterator[dict[str, Any]]:
    """Yield messages; tools' pictures follow the last of several consecutive tool messages."""
    pictures: list[Image] = []
    for message in messages:
        if message.role != "tool" and pictures:
            yield {"role": "user", "content": _content(pictures)}
            pictures = []
        match message.role:
            case "tool":
                pictures += message.images
                words = message.text or ("(a picture)" if message.images else "")
                yield {"role": "tool", "tool_call_id": message.answers, "content": words}
            case "assistant":
                calls = [_call(call) for call in message.tool_calls]
                content = message.text or (None if calls else "")
                sent: dict[str, Any] = {"role": "assistant", "content": content}
                yield sent | ({"tool_calls": calls} if calls else {})
            case role:
                yield {"role": role, "content": _content(message.content)}
    if pictures:
        yield {"role": "user", "content": _content(pictures)}


def _content(parts: Iterable[str | Image]) -> Any:
    sent = [_part(part) for part in parts]
    return sent[0]["text"] if len(sent) == 1 and "text" in sent[0] else sent


def _part(part: str | Image) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    detail = {"detail": part.detail} if part.detail else {}
    return {"type": "image_url", "image_url": {"url": data_url(part), **detail}}


def _call(call: ToolCall) -> dict[str, Any]:
    words = json.dumps(dict(call.arguments), ensure_ascii=False)
    function = {"name": call.name, "arguments": words}
    return {"id": call.id, "type": "function", "function": function}


def _tool(tool: Tool) -> dict[str, Any]:
    if tool.provider is not None:
        return dict(tool.provider)
    about = {"description": tool.description} if tool.description else {}
    function = {"name": tool.name, **about, "parameters": dict(tool.parameters) or _NOTHING}
    return {"type": "function", "function": function}


_NOTHING = {"type": "object", "properties": {}}
