"""Parses a model's reply in any API: its text, tool calls, tokens and their price.

Replies are not trusted: malformed or misplaced data is treated as absent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm.model import Completion, ToolCall, Usage
from pytest_mobileagent.llm.refusals import stop_of
from pytest_mobileagent.llm.streams import arguments_of, as_dict, as_dicts, as_text

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
    counts = _counts(reply.get("prompt_eval_count"), reply.get("eval_count", 0))
    return _answer({**reply, **counts}, text, calls, reply.get("done_reason"))


def dashscope(reply: dict[str, Any]) -> Completion:
    """Read a reply of Alibaba's own API."""
    output, usage = as_dict(reply.get("output")), as_dict(reply.get("usage"))
    counts = _counts(usage.get("input_tokens"), usage.get("output_tokens"))
    completion = {"choices": [{"message": {"content": output.get("text")}}], **output}
    return chat({**reply, **completion, **counts})


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


def _counts(given: Any, output: Any) -> dict[str, Any]:
    """Return token counts in the form of OpenAI's chat completions, which genai-prices reads."""
    return {"usage": {"prompt_tokens": given, "completion_tokens": output}} if given else {}


def _call(id: Any, name: Any, arguments: Any, kind: str = "function") -> ToolCall:
    return ToolCall(as_text(id), as_text(name), arguments_of(arguments), kind)


def _first(value: Any) -> dict[str, Any]:
    return next(iter(as_dicts(value)), {})


UNLIMITED = (
    "no price is known, so --mobile-max-cost cannot limit it. Set one with --mobile-prices=FILE, "
    "or use --mobile-max-tokens"
)
_MOST = 2**53  # the largest number in a record (see ModelCall)
_NAMES = ("model", "modelVersion")  # where replies name their model
_ODD = (LookupError, ValueError, TypeError, AttributeError, OverflowError)


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


def reported(data: dict[str, Any], place: tuple[str, str], *, is_whole: bool) -> Usage:
    """Return the tokens that a reply reports; None for counts that it does not report.

    Of an incomplete stream, at most the input counts are used.
    """
    read = _read(data, place)
    if read is None:
        return Usage()
    given, output, cached = map(
        _count, (read.input_tokens, read.output_tokens, read.cache_read_tokens)
    )
    if not given:  # every request has input tokens
        return Usage(None, output or None)
    usage = Usage(given, output, cached if cached is None or cached <= given else None)
    return usage if is_whole else replace(usage, output=None)


def price(
    prices: Prices, seller: Seller, data: dict[str, Any], place: tuple[str, str], usage: Usage
) -> float | None:
    """Return the price of tokens in US dollars; None if it is unknown.

    The user's own prices take precedence over genai-prices, which uses the details in `data`.
    """
    if seller.provider == "scripted":
        return 0.0
    if own := prices.own.get(seller.id):
        return own.of(usage)
    if usage.input is None or usage.output is None or not seller.table:
        return None
    from genai_prices import Usage as Tokens  # takes long to load
    from genai_prices import calc_price

    tokens = _read(data, place)
    if tokens is None or (tokens.input_tokens, tokens.output_tokens) != (usage.input, usage.output):
        tokens = Tokens(
            input_tokens=usage.input, output_tokens=usage.output, cache_read_tokens=usage.cached
        )
    answered = str(data.get("model") or data.get("modelVersion") or seller.name)
    for name in dict.fromkeys((answered, seller.name)):
        try:
            return float(calc_price(tokens, name, provider_id=seller.table).total_price)
        except _ODD:
            continue
    return None


def is_priced(prices: Prices, seller: Seller) -> bool:
    """Return whether the price of a model is known."""
    return (
        price(prices, seller, {"model": seller.name}, ("openai", "chat"), Usage(1, 1)) is not None
    )


def _read(data: dict[str, Any], place: tuple[str, str]) -> Any:
    """Return the tokens that a reply reports, as read by genai-prices; None if it reports none."""
    from genai_prices import extract_usage  # takes long to load

    # Without the model's name, because genai-prices refuses unknown models.
    counts = {name: value for name, value in data.items() if name not in _NAMES}
    try:
        return extract_usage(counts, provider_id=place[0], api_flavor=place[1]).usage
    except _ODD:
        return None


def _count(value: Any) -> int | None:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return value if is_whole and 0 <= value < _MOST else None
