"""Clients for OpenAI's APIs: Chat Completions, which most servers speak, and Responses."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm import replies, streams
from pytest_mobileagent.llm.clients.sdk import Parameters, Sdk, SpokenApi

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_mobileagent.llm.model import Completion, Image, Message, Request, Tool, ToolCall

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
        messages = list(_sent(request.messages))
        return {"model": self.model, "messages": messages, **given, **request.extra}


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
    return {"type": "function", "function": _function(tool)}


def _function(tool: Tool) -> dict[str, Any]:
    about = {"description": tool.description} if tool.description else {}
    parameters = dict(tool.parameters) or {"type": "object", "properties": {}}
    return {"name": tool.name, **about, "parameters": parameters}


_PREVIEW = "computer_use_preview"


class OpenAIResponses(OpenAI):
    """A `Client` for `POST BASE_URL/responses`.

    A call of the computer tool is a `ToolCall` of the kind "computer_call": its arguments are the
    action, or `{"actions": […]}` if the model asks for several at once. It is answered by a tool
    message with a picture of the screen, in its original size. Safety checks that the provider
    wants a person to confirm (`pending_safety_checks`) are among the arguments, and are
    acknowledged, as a benchmark's devices are meant for testing.

    An answer's `raw` has its items, including reasoning items; they are sent back unchanged with
    the assistant's message, except reasoning at the end of a reply that was cut off. This API has
    no seed and no stop sequences, so texts are cut here.
    """

    api = SpokenApi(
        "/responses",
        "response",
        streams.responses,
        replies.responses,
        lambda reply: reply.get("status") in {"completed", "incomplete"},
    )

    def ask(self, request: Request) -> Completion:
        """Send a request, and return the answer (see `Client`)."""
        answer = super().ask(request)
        text = answer.text
        for stop in request.stop if answer.stop != "refusal" else ():
            text = text.partition(stop)[0]
        return replace(answer, text=text)

    def _body(self, request: Request) -> dict[str, Any]:
        settings: dict[str, Any] = {
            "max_output_tokens": request.max_tokens,
            "temperature": request.temperature,
            "top_p": request.top_p,
            "tools": [_function_tool(tool) for tool in request.tools] or None,
        }
        is_preview = any((tool.provider or {}).get("type") == _PREVIEW for tool in request.tools)
        if is_preview:
            settings["truncation"] = "auto"  # required by this tool
        given = {name: value for name, value in settings.items() if value is not None}
        items = list(_items(request.messages, {} if is_preview else {"detail": "original"}))
        return {"model": self.model, "input": items, **given, **request.extra}


def _items(messages: Iterable[Message], shown: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the items of a conversation; `shown` has further fields of a picture of the screen."""
    calls: dict[str, ToolCall] = {}
    for message in messages:
        calls |= {call.id: call for call in message.tool_calls}
        if message.role == "tool":
            yield _output(message, calls.get(message.answers), shown)
        elif isinstance(message.raw, dict) and replies.ITEMS in message.raw:
            items = list(message.raw[replies.ITEMS])
            while items and items[-1].get("type") == "reasoning":  # refused without what follows it
                items.pop()
            yield from items
        else:
            content: Any = [_input_part(part) for part in message.content]
            if message.role == "assistant":  # parts of its messages would need an id
                content = message.text
            if content:
                yield {"role": message.role, "content": content}
            yield from (_item(call) for call in message.tool_calls)


def _input_part(part: str | Image) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "input_text", "text": part}
    image = {"type": "input_image", "image_url": data_url(part)}
    return {**image, "detail": part.detail or "auto"}


def _item(call: ToolCall) -> dict[str, Any]:
    arguments = dict(call.arguments)
    if call.kind != "computer_call":
        words = json.dumps(arguments, ensure_ascii=False)
        item = {"type": "function_call", "call_id": call.id, "name": call.name}
        return {**item, "arguments": words}
    checks = arguments.pop(replies.CHECKS, [])
    item = {"type": "computer_call", "id": call.id, "call_id": call.id, "status": "completed"}
    did = arguments if "actions" in arguments else {"action": arguments}
    return {**item, **did, replies.CHECKS: checks}


def _output(message: Message, call: ToolCall | None, shown: dict[str, str]) -> dict[str, Any]:
    if call is not None and call.kind == "computer_call":
        item: dict[str, Any] = {"type": "computer_call_output", "call_id": message.answers}
        if message.images:
            screen = {"type": "computer_screenshot", "image_url": data_url(message.images[-1])}
            item["output"] = screen | shown
        checks = call.arguments.get(replies.CHECKS)
        return item | ({"acknowledged_safety_checks": checks} if checks else {})
    output: Any = message.text
    if message.images:
        output = [_input_part(part) for part in message.content]
    return {"type": "function_call_output", "call_id": message.answers, "output": output}


def _function_tool(tool: Tool) -> dict[str, Any]:
    if tool.provider is not None:
        return dict(tool.provider)
    # By default (strict), this API makes all parameters required.
    return {"type": "function", **_function(tool), "strict": False}
