"""Parses a model's reply in any API: its text, tool calls, tokens and their price.

Replies are not trusted: malformed or misplaced data is treated as absent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm.model import Completion, ToolCall, Usage
from pytest_mobileagent.llm.refusals import stop_of
from pytest_mobileagent.llm.streams import arguments_of, as_dict, as_dicts, as_text
from pytest_mobileagent.llm.usage import usage_in

if TYPE_CHECKING:
    from pytest_mobileagent.llm.prices import Prices


def chat(reply: dict[str, Any]) -> Completion:
    """Read a chat completion, or an older completion."""
    choice = _first(reply.get("choices"))
    message = as_dict(choice.get("message"))
    calls = []
    for number, call in enumerate(as_dicts(message.get("tool_calls"))):
        function = as_dict(call.get("function"))
        named = as_text(call.get("id")) or f"call_{number}"
        calls.append(_call(named, function.get("name"), function.get("arguments")))
    refusal = as_text(message.get("refusal"))
    text = as_text(message.get("content")) or refusal or as_text(choice.get("text"))
    stop = choice.get("finish_reason")
    if stop_of(stop) == "end":
        stop = choice.get("native_finish_reason")
    return _answer(reply, text, calls, "refusal" if refusal else stop)


def responses(reply: dict[str, Any]) -> Completion:
    """Read a response of OpenAI's Responses API."""
    texts: list[str] = []
    refusals: list[str] = []
    calls: list[ToolCall] = []
    for item in as_dicts(reply.get("output")):
        called = as_text(item.get("call_id")) or f"call_{len(calls)}"
        match item.get("type"):
            case "message":
                parts = as_dicts(item.get("content"))
                texts += [as_text(part.get("text")) for part in parts]
                refusals += [as_text(part.get("refusal")) for part in parts]
            case "function_call":
                calls.append(_call(called, item.get("name"), item.get("arguments")))
            case "computer_call":
                action = item.get("action") or {"actions": item.get("actions")}
                calls.append(_call(called, "computer", action, "computer_call"))
    why = as_text(as_dict(reply.get("incomplete_details")).get("reason"))
    refusal = "".join(refusals)
    return _answer(reply, "".join(texts) or refusal, calls, "refusal" if refusal else why)


def messages(reply: dict[str, Any]) -> Completion:
    """Read a message of Anthropic's API."""
    blocks = as_dicts(reply.get("content"))
    text = "".join(as_text(each.get("text")) for each in blocks if each.get("type") == "text")
    used = [each for each in blocks if each.get("type") == "tool_use"]
    calls = [
        _call(as_text(each.get("id")) or f"call_{number}", each.get("name"), each.get("input"))
        for number, each in enumerate(used)
    ]
    return _answer(reply, text, calls, reply.get("stop_reason"))


def gemini(reply: dict[str, Any]) -> Completion:
    """Read a reply of Gemini's API; thoughts are not part of the text."""
    candidate = _first(reply.get("candidates"))
    parts = as_dicts(as_dict(candidate.get("content")).get("parts"))
    text = "".join(as_text(part.get("text")) for part in parts if not part.get("thought"))
    called = [as_dict(part["functionCall"]) for part in parts if "functionCall" in part]
    calls = [_call(c.get("id") or c.get("name"), c.get("name"), c.get("args")) for c in called]
    blocked = as_dict(reply.get("promptFeedback")).get("blockReason")
    stop = "refusal" if blocked else candidate.get("finishReason")
    return _answer(reply, text, calls, stop, as_text(reply.get("modelVersion")))


def ollama(reply: dict[str, Any]) -> Completion:
    """Read a reply of Ollama's own API."""
    message = as_dict(reply.get("message"))
    calls = []
    for number, call in enumerate(as_dicts(message.get("tool_calls"))):
        function = as_dict(call.get("function"))
        calls.append(_call(f"call_{number}", function.get("name"), function.get("arguments")))
    text = as_text(message.get("content")) or as_text(reply.get("response"))
    return _answer(reply, text, calls, reply.get("done_reason"))


def dashscope(reply: dict[str, Any]) -> Completion:
    """Read a reply of Alibaba's own API."""
    output = as_dict(reply.get("output"))
    completion = {"choices": [{"message": {"content": output.get("text")}}], **output}
    return chat({**reply, **completion})


def nothing(reply: dict[str, Any]) -> Completion:
    """Read a reply that has no text, such as embeddings."""
    return _answer(reply, "", [], "")


def _answer(
    reply: dict[str, Any], text: str, calls: list[ToolCall], stop: Any, model: str = ""
) -> Completion:
    ended = stop_of(stop)
    if calls and ended == "end":
        ended = "tools"
    model = model or as_text(reply.get("model"))
    return Completion(text, tuple(calls), ended, model=model, usage_data=reply)


def _call(id: Any, name: Any, arguments: Any, kind: str = "function") -> ToolCall:
    return ToolCall(as_text(id), as_text(name), arguments_of(arguments), kind)


def _first(value: Any) -> dict[str, Any]:
    return next(iter(as_dicts(value)), {})


UNLIMITED = (
    "no price is known, so --mobile-max-cost cannot limit it. Set one with --mobile-prices=FILE, "
    "or use --mobile-max-tokens"
)


@dataclass(frozen=True, slots=True)
class Seller:
    """The seller of a model's tokens: `provider:name` in records, `table` in genai-prices."""

    provider: str
    name: str
    table: str = ""

    @property
    def id(self) -> str:
        """PROVIDER:NAME."""
        return f"{self.provider}:{self.name}"


def reported(data: dict[str, Any], *, is_whole: bool) -> Usage:
    """Return the tokens that a reply reports (see `usage_in`); None for what it does not report.

    Of an incomplete stream, at most the input counts are used.
    """
    usage = usage_in(data)
    return usage if is_whole or usage.input is None else replace(usage, output=None)


def price(
    prices: Prices, seller: Seller, data: dict[str, Any], place: tuple[str, str], usage: Usage
) -> float | None:
    """Return the price of tokens in US dollars; None if it is unknown (see `Prices.cost`)."""
    if seller.provider == "scripted":
        return 0.0
    answered = as_text(data.get("model") or data.get("modelVersion"))
    return prices.cost(seller.id, seller.table, (answered, seller.name), usage, (data, place))


def is_priced(prices: Prices, seller: Seller) -> bool:
    """Return whether the price of a model is known."""
    return (
        price(prices, seller, {"model": seller.name}, ("openai", "chat"), Usage(1, 1)) is not None
    )
