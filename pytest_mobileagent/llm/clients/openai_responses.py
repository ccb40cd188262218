"""A client for OpenAI's Responses API, with its computer-use tool."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm import replies, streams
from pytest_mobileagent.llm.clients.openai_chat import OpenAI, data_url
from pytest_mobileagent.llm.clients.sdk import SpokenApi

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_mobileagent.llm.model import Completion, Image, Message, Request, Tool, ToolCall

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
            "tools": [_tool(tool) for tool in request.tools] or None,
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
            content: Any = [_part(part) for part in message.content]
            if message.role == "assistant":  # parts of its messages would need an id
                content = message.text
            if content:
                yield {"role": message.role, "content": content}
            yield from (_call(call) for call in message.tool_calls)


def _part(part: str | Image) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "input_text", "text": part}
    image = {"type": "input_image", "image_url": data_url(part)}
    return {**image, "detail": part.detail or "auto"}


def _call(call: ToolCall) -> dict[str, Any]:
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
        output = [_part(part) for part in message.content]
    return {"type": "function_call_output", "call_id": message.answers, "output": output}


def _tool(tool: Tool) -> dict[str, Any]:
    if tool.provider is not None:
        return dict(tool.provider)
    parameters = dict(tool.parameters) or {"type": "object", "properties": {}}
    about = {"description": tool.description} if tool.description else {}
    # By default (strict), this API makes all parameters required.
    function = {"name": tool.name, **about, "parameters": parameters, "strict": False}
    return {"type": "function", **function}
