"""A client for OpenAI's Responses API, with its computer-use tool."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm.clients.openai_chat import data_url, openai_sdk
from pytest_mobileagent.llm.clients.sdk import Parameters, mended, sound
from pytest_mobileagent.llm.model import Completion, Image, ToolCall
from pytest_mobileagent.llm.refusals import stop_of
from pytest_mobileagent.llm.streams import arguments_of, responses
from pytest_mobileagent.llm.usage import usage_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_mobileagent.llm.model import Message, Request, Stop, Tool

_PREVIEW = "computer_use_preview"
_RAW = "openai_responses"  # the key of an answer's items in `raw`


class OpenAIResponses:
    """A `Client` for `POST BASE_URL/responses`.

    A call of the computer tool is a `ToolCall` of the kind "computer_call": its arguments are the
    action, or `{"actions": […]}` if the model asks for several at once. It is answered by a tool
    message with a picture of the screen. Safety checks that the provider wants a person to confirm
    (`pending_safety_checks`) are acknowledged, as a benchmark's devices are meant for testing.

    An answer's `raw` has its items, including reasoning items; they are sent back unchanged with
    the assistant's message. This API has no seed and no stop sequences, so texts are cut here.
    """

    def __init__(self, model: str, base_url: str, key: str = "", timeout: float = 300.0) -> None:
        self.model = model
        self._sdk = openai_sdk(base_url, key, timeout)
        self._parameters = Parameters()

    def close(self) -> None:
        """Close the connections."""
        self._sdk.close()

    def ask(self, request: Request) -> Completion:
        """Send a request, and return the answer (see `Client`)."""
        return self._parameters.fit(self._body(request), lambda body: self._send(request, body))

    def _send(self, request: Request, body: dict[str, Any]) -> Completion:
        seconds = None
        with self._sdk.reading("response"):
            if request.stream:
                streamed = self._sdk.stream("/responses", body, responses)
                reply, seconds = streamed.reply, streamed.seconds
            else:
                reply = self._sdk.post("/responses", body)
            if reply.get("status") in ("completed", "incomplete"):
                return sound(_answer(mended(reply), seconds, request.stop))
        raise self._sdk.broken("its answer ended before the reply was complete")

    def _body(self, request: Request) -> dict[str, Any]:
        settings: dict[str, Any] = {
            "max_output_tokens": request.max_tokens,
            "temperature": request.temperature,
            "top_p": request.top_p,
            "tools": [_tool(tool) for tool in request.tools] or None,
        }
        if any((tool.provider or {}).get("type") == _PREVIEW for tool in request.tools):
            settings["truncation"] = "auto"  # required by this tool
        given = {name: value for name, value in settings.items() if value is not None}
        items = list(_items(request.messages))
        return {"model": self.model, "input": items, **given, **request.extra}


def _items(messages: Iterable[Message]) -> Iterator[dict[str, Any]]:
    calls: dict[str, ToolCall] = {}
    checks: dict[str, list[Any]] = {}
    for message in messages:
        calls |= {call.id: call for call in message.tool_calls}
        if message.role == "tool":
            yield _output(message, calls.get(message.answers), checks.get(message.answers))
        elif isinstance(message.raw, dict) and _RAW in message.raw:
            items = message.raw[_RAW]
            checks |= {item.get("call_id"): item.get("pending_safety_checks") for item in items}
            yield from items
        else:
            kind = "output_text" if message.role == "assistant" else "input_text"
            if content := [_part(part, kind) for part in message.content]:
                yield {"role": message.role, "content": content}
            yield from (_call(call) for call in message.tool_calls)


def _part(part: str | Image, kind: str) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": kind, "text": part}
    image = {"type": "input_image", "image_url": data_url(part)}
    return {**image, "detail": part.detail or "auto"}


def _call(call: ToolCall) -> dict[str, Any]:
    arguments = dict(call.arguments)
    if call.kind != "computer_call":
        words = json.dumps(arguments, ensure_ascii=False)
        item = {"type": "function_call", "call_id": call.id, "name": call.name}
        return {**item, "arguments": words}
    item = {"type": "computer_call", "id": call.id, "call_id": call.id, "status": "completed"}
    did = arguments if "actions" in arguments else {"action": arguments}
    return {**item, **did, "pending_safety_checks": []}


def _output(message: Message, call: ToolCall | None, checks: list[Any] | None) -> dict[str, Any]:
    if call is not None and call.kind == "computer_call":
        item: dict[str, Any] = {"type": "computer_call_output", "call_id": message.answers}
        if message.images:
            screen = {"type": "computer_screenshot", "image_url": data_url(message.images[-1])}
            item["output"] = screen
        return item | ({"acknowledged_safety_checks": checks} if checks else {})
    output: Any = message.text
    if message.images:
        output = [_part(part, "input_text") for part in message.content]
    return {"type": "function_call_output", "call_id": message.answers, "output": output}


def _tool(tool: Tool) -> dict[str, Any]:
    if tool.provider is not None:
        return dict(tool.provider)
    parameters = dict(tool.parameters) or {"type": "object", "properties": {}}
    about = {"description": tool.description} if tool.description else {}
    # By default (strict), this API makes all parameters required.
    function = {"name": tool.name, **about, "parameters": parameters, "strict": False}
    return {"type": "function", **function}


def _answer(reply: dict[str, Any], seconds: float | None, stops: tuple[str, ...]) -> Completion:
    texts, refusals = [], []
    calls: list[ToolCall] = []
    items = reply.get("output") or []
    for item in items:
        called = item.get("call_id") or f"call_{len(calls)}"
        match item["type"]:
            case "message":
                texts += [part["text"] for part in item["content"] if "text" in part]
                refusals += [part["refusal"] for part in item["content"] if "refusal" in part]
            case "function_call":
                arguments = arguments_of(item["arguments"])
                calls.append(ToolCall(called, item["name"], arguments))
            case "computer_call":
                action = item.get("action") or {"actions": item["actions"]}
                calls.append(ToolCall(called, "computer", action, "computer_call"))
    text = "".join(texts)
    for stop in stops:
        text = text.partition(stop)[0]
    usage = usage_in(reply)
    return Completion(
        text or "".join(refusals),
        tuple(calls),
        "refusal" if refusals else _stop(reply, calls),
        usage,
        reply.get("model") or "",
        seconds,
        reply if usage.input is not None else None,
        {_RAW: items},
    )


def _stop(reply: dict[str, Any], calls: list[ToolCall]) -> Stop:
    if reply["status"] == "incomplete":
        why = (reply.get("incomplete_details") or {}).get("reason")
        return "refusal" if stop_of(why) == "refusal" else "length"
    return "tools" if calls else "end"
