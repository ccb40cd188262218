"""Reads a provider's reply in any API: its text, tool calls, tokens, and why it ended.

Our clients and the recording of programs use this. Replies are not trusted: malformed or misplaced
data is treated as absent, which `check` finds.
"""

from __future__ import annotations

from typing import Any

from pytest_mobileagent.llm.model import Completion, ToolCall
from pytest_mobileagent.llm.refusals import stop_of
from pytest_mobileagent.llm.streams import arguments_of, as_dict, as_dicts, as_text, is_answered
from pytest_mobileagent.llm.usage import usage_in

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
    used = [each for each in blocks if each.get("type") == "tool_use"]
    calls = [
        _call(
            as_text(each.get("id")) or f"call_{number}",
            each.get("name"),
            each.get("input"),
            as_text(each.get("toolset_name")) or "function",
        )
        for number, each in enumerate(used)
    ]
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
