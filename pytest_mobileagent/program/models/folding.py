"""Streams, folded: the pieces of a reply, put together into what it would be in one piece."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.program.models.sse import DONE

if TYPE_CHECKING:
    from collections.abc import Iterable

Event = dict[str, Any] | str


@dataclass(slots=True)
class Folded:
    """A reply in one piece; `is_whole` if its end has come; `first`: the index of its first token.

    `first` counts what the stream said, from 0; None if no token came.
    """

    reply: dict[str, Any] = field(default_factory=dict)
    is_whole: bool = False
    first: int | None = None

    def token(self, index: int) -> None:
        """Note that a token came with what was said at an index."""
        if self.first is None:
            self.first = index


def chat(stream: Iterable[Event]) -> Folded:
    """Fold a stream of OpenAI's chat completions."""
    folded = Folded()
    choices: dict[int, dict[str, Any]] = {}
    for index, said in enumerate(stream):
        if isinstance(said, str):
            folded.is_whole = folded.is_whole or said == DONE
            continue
        folded.reply |= {k: v for k, v in said.items() if v and k != "choices"}
        for choice in _dicts(said.get("choices")):
            number = choice.get("index")
            kept = choices.setdefault(number if isinstance(number, int) else 0, _choice())
            delta = _dict(choice.get("delta"))
            if any(value for name, value in delta.items() if name != "role"):
                folded.token(index)
            _grow_message(kept["message"], delta)
            if "text" in choice:  # the older completions
                folded.token(index)
                kept["message"]["content"] += _text(choice["text"])
            if finish := choice.get("finish_reason"):
                kept["finish_reason"] = finish
                folded.is_whole = True
    listed = [{"index": number, **choices[number]} for number in sorted(choices)]
    for choice in listed:
        choice["message"]["tool_calls"] = list(choice["message"]["tool_calls"].values())
    folded.reply["choices"] = listed
    return folded


def _choice() -> dict[str, Any]:
    message = {"role": "assistant", "content": "", "refusal": "", "tool_calls": {}}
    return {"message": message, "finish_reason": None}


def _grow_message(message: dict[str, Any], delta: dict[str, Any]) -> None:
    message["content"] += _text(delta.get("content"))
    message["refusal"] += _text(delta.get("refusal"))
    calls = message["tool_calls"]
    for part in _dicts(delta.get("tool_calls")):
        # Some servers send each call whole, and number none.
        number = part.get("index")
        key = number if isinstance(number, int) else len(calls)
        empty = {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
        call, function = calls.setdefault(key, empty), _dict(part.get("function"))
        call["id"] = _text(part.get("id")) or call["id"]
        call["function"]["name"] = _text(function.get("name")) or call["function"]["name"]
        call["function"]["arguments"] += _text(function.get("arguments"))


def responses(stream: Iterable[Event]) -> Folded:
    """Fold a stream of OpenAI's responses; of one that was cut, what came of its items."""
    folded = Folded()
    items: dict[Any, dict[str, Any]] = {}
    for index, event in enumerate(stream):
        if isinstance(event, str):
            continue
        kind, place = _text(event.get("type")), event.get("output_index")
        if kind in {"response.created", "response.in_progress"}:
            folded.reply = dict(_dict(event.get("response")))
        elif kind in {"response.completed", "response.incomplete", "response.failed"}:
            folded.reply, folded.is_whole = dict(_dict(event.get("response"))), True
            return folded
        elif kind in {"response.output_item.added", "response.output_item.done"}:
            items[str(place)] = dict(_dict(event.get("item")))
            if kind.endswith("done"):
                folded.token(index)
        elif kind.endswith(".delta"):
            folded.token(index)
            _grow_item(items.setdefault(str(place), {}), kind, _text(event.get("delta")))
    folded.reply["output"] = list(items.values())
    return folded


def _grow_item(item: dict[str, Any], kind: str, delta: str) -> None:
    if kind == "response.function_call_arguments.delta":
        item["arguments"] = _text(item.get("arguments")) + delta
    elif kind in {"response.output_text.delta", "response.refusal.delta"}:
        name = "refusal" if "refusal" in kind else "text"
        item["type"] = "message"
        before = _dict(next(iter(_dicts(item.get("content"))), {}))
        item["content"] = [{**before, name: _text(before.get(name)) + delta}]


def messages(stream: Iterable[Event]) -> Folded:
    """Fold a stream of Anthropic's messages."""
    folded = Folded({"content": [], "usage": {}})
    blocks: dict[Any, dict[str, Any]] = {}
    for index, event in enumerate(stream):
        if isinstance(event, str):
            continue
        place = str(event.get("index"))
        match event.get("type"):
            case "message_start":
                folded.reply |= _dict(event.get("message"))
                folded.reply["usage"] = dict(_dict(folded.reply.get("usage")))
            case "content_block_start":
                blocks[place] = dict(_dict(event.get("content_block")))
            case "content_block_delta":
                folded.token(index)
                _grow_block(blocks.setdefault(place, {}), _dict(event.get("delta")))
            case "message_delta":
                folded.reply |= _dict(event.get("delta"))
                # Counts are totals so far; those that did not change may be null.
                counts = _dict(event.get("usage")).items()
                folded.reply["usage"] |= {name: n for name, n in counts if n is not None}
            case "message_stop":
                folded.is_whole = True
    folded.is_whole = folded.is_whole or bool(folded.reply.get("stop_reason"))
    folded.reply["content"] = list(blocks.values())
    return folded


def _grow_block(block: dict[str, Any], delta: dict[str, Any]) -> None:
    """Add the texts of a delta to those of its block: words, thoughts, a tool's input."""
    for name, value in delta.items():
        if name != "type" and isinstance(value, str):
            block[name] = _text(block.get(name)) + value


def gemini(stream: Iterable[Event]) -> Folded:
    """Fold a stream of Gemini's: each piece has the counts so far, and some parts."""
    folded = Folded()
    parts: list[Any] = []
    finish = None
    for index, said in enumerate(stream):
        if isinstance(said, str):
            continue
        folded.reply |= {name: value for name, value in said.items() if name != "candidates"}
        for candidate in _dicts(said.get("candidates"))[:1]:
            come = _dicts(_dict(candidate.get("content")).get("parts"))
            if come:
                folded.token(index)
            parts += come
            finish = candidate.get("finishReason") or finish
    candidate = {"content": {"parts": parts, "role": "model"}, "finishReason": finish}
    folded.reply["candidates"] = [candidate]
    folded.is_whole = bool(finish) or "promptFeedback" in folded.reply
    return folded


def ollama(stream: Iterable[Event]) -> Folded:
    """Fold a stream of Ollama's own: lines, of which the last has the counts."""
    folded = Folded()
    text = ""
    calls: list[dict[str, Any]] = []
    for index, said in enumerate(stream):
        if isinstance(said, str):
            continue
        message = _dict(said.get("message"))
        piece = _text(message.get("content")) + _text(said.get("response"))
        called = _dicts(message.get("tool_calls"))
        if piece or called:
            folded.token(index)
        text, calls = text + piece, [*calls, *called]
        folded.reply |= said
        folded.is_whole = folded.is_whole or said.get("done") is True
    folded.reply["message"] = {"role": "assistant", "content": text, "tool_calls": calls}
    return folded


def last(stream: Iterable[Event]) -> Folded:
    """Take the last of a stream that says everything anew each time."""
    folded = Folded()
    for index, said in enumerate(stream):
        if isinstance(said, dict):
            folded.token(index)
            folded.reply, folded.is_whole = said, True
    return folded


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    """Return words, which Mistral's models that think give in parts."""
    if isinstance(value, list):
        return "".join(_text(part.get("text")) for part in _dicts(value))
    return value if isinstance(value, str) else ""
