"""Reads a provider's reply in any API: its text, tool calls, tokens, and why it ended.

Our clients and the recording of programs use this. Replies are not trusted: malformed or misplaced
data is treated as absent, which `check` finds.

Output tokens are those that are billed. OpenAI's count of the completion includes reasoning; xAI's
and Gemini's endpoint for OpenAI's clients leave it out, so there it is the rest of the total.
Anthropic counts tokens that are read from or written to its cache beside the other input
(docs.anthropic.com, "Tracking cache performance"); all others count cached tokens as input.
"""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm.model import Completion, ToolCall, Usage
from pytest_mobileagent.llm.refusals import stop_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

BLOCKS = "anthropic_messages"  # the key of a message's blocks in `Completion.raw`
ITEMS = "openai_responses"  # the key of a response's items
CONTENT = "gemini"  # the key of a candidate's content
CHECKS = "pending_safety_checks"  # what a person should confirm before a call of OpenAI's
SAFETY = "safety_decision"  # the same, among the arguments of a call of Gemini's
_TEXTS = ("text", "refusal", "id", "call_id")
_PARTS: dict[str, Any] = {
    "choices": list, "message": dict, "tool_calls": list, "function": dict, "output": list | str,
    "content": list | str,
}  # fmt: skip


def chat(reply: dict[str, Any]) -> Completion:
    """Read a chat completion, or an older completion."""
    choice = _first(reply.get("choices"))
    message = as_dict(choice.get("message"))
    refusal, reasons = as_text(message.get("refusal")), [choice.get("finish_reason")]
    text = as_text(message.get("content")) or refusal or as_text(choice.get("text"))
    if refusal or (not choice and is_answered(reply)):
        reasons = ["refusal"]
    reasons.append(choice.get("native_finish_reason"))
    return _answer(reply, text, _functions(message), *reasons)


def responses(reply: dict[str, Any]) -> Completion:
    """Read a response of OpenAI's Responses API."""
    texts: list[str] = []
    refusals: list[str] = []
    calls: list[ToolCall] = []
    items = as_dicts(reply.get("output"))
    for item in items:
        called = as_text(item.get("call_id")) or f"call_{len(calls)}"
        match item.get("type"):
            case "message":
                parts = as_dicts(item.get("content"))
                texts += [as_text(part.get("text")) for part in parts]
                refusals += [as_text(part.get("refusal")) for part in parts]
            case "function_call":
                calls.append(_call(called, item.get("name"), item.get("arguments")))
            case "computer_call":
                action = as_dict(item.get("action")) or {"actions": item.get("actions")}
                checks = as_dicts(item.get(CHECKS))
                did = {**action, CHECKS: checks} if checks else action
                calls.append(_call(called, "computer", did, "computer_call"))
    reason = as_text(as_dict(reply.get("incomplete_details")).get("reason"))
    if reply.get("status") == "incomplete" and stop_of(reason) != "refusal":
        reason = "length"
    if refusal := "".join(refusals):
        reason = "refusal"
    return _answer(reply, "".join(texts) or refusal, calls, reason, raw={ITEMS: items})


def messages(reply: dict[str, Any]) -> Completion:
    """Read a message of Anthropic's API."""
    blocks = as_dicts(reply.get("content"))
    text = "".join(as_text(each.get("text")) for each in blocks if each.get("type") == "text")
    calls = []
    for number, each in enumerate(each for each in blocks if each.get("type") == "tool_use"):
        called = as_text(each.get("id")) or f"call_{number}"
        kind = as_text(each.get("toolset_name")) or "function"
        calls.append(_call(called, each.get("name"), each.get("input"), kind))
    return _answer(reply, text, calls, reply.get("stop_reason"), raw={BLOCKS: blocks})


def gemini(reply: dict[str, Any]) -> Completion:
    """Read a reply of Gemini's API; thoughts are not part of the text."""
    candidate = _first(reply.get("candidates"))
    parts = as_dicts(as_dict(candidate.get("content")).get("parts"))
    text = "".join(as_text(part.get("text")) for part in parts if not part.get("thought"))
    called = [as_dict(part["functionCall"]) for part in parts if "functionCall" in part]
    calls = [
        _call(as_text(each.get("id")) or f"call_{number}", each.get("name"), each.get("args"))
        for number, each in enumerate(called)
    ]
    blocked = as_dict(reply.get("promptFeedback")).get("blockReason")
    reason = "refusal" if blocked else candidate.get("finishReason")
    raw = {CONTENT: {"role": "model", "parts": parts}} if parts else None
    return _answer(reply, text, calls, reason, raw=raw)


def ollama(reply: dict[str, Any]) -> Completion:
    """Read a reply of Ollama's own API."""
    message = as_dict(reply.get("message"))
    text = as_text(message.get("content")) or as_text(reply.get("response"))
    return _answer(reply, text, _functions(message), reply.get("done_reason"))


def dashscope(reply: dict[str, Any]) -> Completion:
    """Read a reply of Alibaba's own API."""
    output = as_dict(reply.get("output"))
    completion = {"choices": [{"message": {"content": output.get("text")}}], **output}
    return chat({**reply, **completion})


def nothing(reply: dict[str, Any]) -> Completion:
    """Read a reply that has no text, such as embeddings."""
    return _answer(reply, "", [], "")


def check(reply: Any, within: str = "") -> None:
    """Check the types of a reply's parts, as a server may get them wrong.

    Raises:
        TypeError: if a part has the wrong type, or a call has no name.
    """
    for each in reply if isinstance(reply, list) else [reply]:
        if not isinstance(each, dict):
            raise TypeError(f"{each!r} is not an object")
        is_call = within == "function" or each.get("type") in {"tool_use", "function_call"}
        needed = {"name": str} if is_call else {"function": dict} if within == "tool_calls" else {}
        texts = dict.fromkeys(_TEXTS if within else (), str | None)
        for name, kind in {**{n: k | None for n, k in _PARTS.items()}, **texts, **needed}.items():
            if not isinstance(part := each.get(name), kind):
                raise TypeError(f"its {name} is {part!r}")
            if name in _PARTS and isinstance(part, dict | list):
                check(part, name)


def _answer(
    reply: dict[str, Any], text: str, calls: list[ToolCall], *reasons: Any, raw: Any = None
) -> Completion:
    ended, usage = stop_of(*reasons), usage_in(reply)
    return Completion(
        text,
        tuple(calls),
        "tools" if calls and ended == "end" else ended,
        usage,
        as_text(reply.get("model") or reply.get("modelVersion")),
        usage_data=reply if usage.input is not None else None,
        raw=raw,
    )


def _functions(message: dict[str, Any]) -> list[ToolCall]:
    calls = []
    for number, call in enumerate(as_dicts(message.get("tool_calls"))):
        function, named = as_dict(call.get("function")), as_text(call.get("id"))
        name, arguments = as_text(function.get("name")), function.get("arguments")
        name = name.partition("<|")[0] or name  # gpt-oss continues it with tokens on some servers
        calls.append(_call(named or f"call_{number}", name, arguments))
    return calls


def _call(id: Any, name: Any, arguments: Any, kind: str = "function") -> ToolCall:
    return ToolCall(as_text(id), as_text(name), arguments_of(arguments), kind)


def _first(value: Any) -> dict[str, Any]:
    return next(iter(as_dicts(value)), {})


def is_answered(reply: dict[str, Any]) -> bool:
    """Return whether a chat completion has a message, or a filter has withheld it.

    Gemini's endpoint then counts the prompt, and returns no choice at all.
    """
    for choice in as_dicts(reply.get("choices")):
        return choice.get("message") is not None or stop_of(choice.get("finish_reason")) != "end"
    usage = usage_in(reply)
    return bool(usage.input and not usage.output)


def is_candidate(reply: dict[str, Any]) -> bool:
    """Return whether a reply of Gemini's API has a finished candidate, or its prompt is blocked."""
    finished = [each.get("finishReason") for each in as_dicts(reply.get("candidates"))]
    return any(finished) or bool(as_dict(reply.get("promptFeedback")).get("blockReason"))


def as_dict(value: Any) -> dict[str, Any]:
    """Return a value if it is a dictionary, else an empty dictionary."""
    return value if isinstance(value, dict) else {}


def as_dicts(value: Any) -> list[dict[str, Any]]:
    """Return the dictionaries in a value if it is a list, else an empty list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """Return text, which Mistral's thinking models send in parts; empty for other values."""
    if isinstance(value, list):
        return "".join(as_text(part.get("text")) for part in as_dicts(value))
    return value if isinstance(value, str) else ""


def arguments_of(given: Any) -> dict[str, Any]:
    """Return a call's arguments from JSON; what is not a JSON object becomes `arguments`."""
    if isinstance(given, str):
        with contextlib.suppress(ValueError, RecursionError):
            given = _loaded(given)
            given = _loaded(given) if isinstance(given, str) else given  # a model's own JSON
    return given if isinstance(given, dict) else {} if given is None else {"arguments": given}


def _loaded(text: str) -> Any:
    """Return the first value of JSON in which strings may contain line breaks."""
    return json.JSONDecoder(strict=False).raw_decode(text.strip())[0] if text.strip() else {}


_MOST = 2**53  # the largest count that a record can represent (see ModelCall)
# The names of the counts that make up the input, and the output, and of the total.
_FORMATS = (
    (("prompt_tokens",), ("completion_tokens",), "total_tokens"),
    (
        ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"),
        ("output_tokens",),
        "total_tokens",
    ),
    (
        ("promptTokenCount", "toolUsePromptTokenCount"),
        ("candidatesTokenCount", "thoughtsTokenCount"),
        "totalTokenCount",
    ),
    (("prompt_eval_count",), ("eval_count",), ""),  # Ollama
)
# cached_tokens: OpenAI, and Moonshot in another place. prompt_cache_hit_tokens: DeepSeek.
_CACHED = (
    "cached_tokens", "prompt_cache_hit_tokens", "cache_read_input_tokens",
    "cachedContentTokenCount",
)  # fmt: skip


def usage_in(reply: Mapping[str, Any]) -> Usage:
    """Return the tokens that a reply reports; None for counts that it does not report.

    If they contradict each other, none counts: a total below its parts, a part above its whole, or
    what is no count of tokens at all.
    """
    try:
        return _read(_reported(reply))
    except ValueError:
        return Usage()


def checked(usage: Usage) -> Usage:
    """Return a usage if its counts fit together; otherwise, return one without counts."""
    try:
        given, _, cached = map(_count, (usage.input, usage.output, usage.cached))
    except ValueError:
        return Usage()
    return Usage() if given is not None and (cached or 0) > given else usage


def _reported(reply: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a reply that has counts: at its end, in a choice (Moonshot), or itself."""
    choices = reply.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    for place in (reply, reply.get("x_groq"), choice):
        for name in ("usage", "usageMetadata"):
            if isinstance(place, dict) and isinstance(found := place.get(name), dict) and found:
                return found
    return dict(reply) if "prompt_eval_count" in reply else {}


def _read(counts: dict[str, Any]) -> Usage:
    """Return the usage in counts.

    Raises:
        ValueError: if the counts contradict each other.
    """
    given = output = total = None
    for asked, answered, whole in _FORMATS:
        if any(counts.get(name) is not None for name in (*asked, *answered)):
            given, output = _sum(counts, asked), _sum(counts, answered)
            total = _count(counts.get(whole))
            break
    if not given:  # every request has input tokens
        return Usage(None, output or None)
    sent = _details(counts, "prompt_tokens_details", "input_tokens_details")
    received = _details(counts, "completion_tokens_details", "output_tokens_details")
    cached = next((n for n in map(_count, map(sent.get, _CACHED)) if n is not None), None)
    reasoning = _count(received.get("reasoning_tokens")) or 0
    if total is not None:
        if total < given + (output or 0):
            raise ValueError(counts)
        output = total - given
    elif output is not None and reasoning > output:
        output += reasoning
    parts = ((cached, given), (_count(sent.get("audio_tokens")), given), (reasoning, output))
    if any((part or 0) > all_of_it for part, all_of_it in parts if all_of_it is not None):
        raise ValueError(counts)
    return Usage(given, output, cached)


def _details(counts: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return the counts, with those of the first of several tables of details that exists."""
    tables = (counts[name] for name in names if isinstance(counts.get(name), dict))
    return {**counts, **next(tables, {})}


def _sum(counts: Mapping[str, Any], names: Iterable[str]) -> int | None:
    known = [n for name in names if (n := _count(counts.get(name))) is not None]
    return sum(known) if known else None


def _count(value: Any) -> int | None:
    """Return a number of tokens; None if there is none.

    Raises:
        ValueError: if the value is not a number of tokens.
    """
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST:
        return value
    raise ValueError(value)
