"""Stream assembly: the pieces of a streamed reply, put together into the reply in one piece."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


Event = dict[str, Any] | str


@dataclass(slots=True)
class Assembled:
    """A reply in one piece; `is_whole` if its end has come; `first` is where its first token came.

    `first` counts what the stream said, from 0; None if no token came.
    """

    reply: dict[str, Any] = field(default_factory=dict)
    is_whole: bool = False
    first: int | None = None

    def token(self, index: int) -> None:
        """Note that a token came with what was said at an index."""
        if self.first is None:
            self.first = index


def chat(stream: Iterable[Event]) -> Assembled:
    """Assemble a stream of OpenAI's chat completions."""
    assembled = Assembled()
    choices: dict[int, dict[str, Any]] = {}
    for index, said in enumerate(stream):
        if isinstance(said, str):
            assembled.is_whole = assembled.is_whole or said == DONE
            continue
        assembled.reply |= {k: v for k, v in said.items() if v and k != "choices"}
        for choice in _dicts(said.get("choices")):
            number = choice.get("index")
            kept = choices.setdefault(number if isinstance(number, int) else 0, _choice())
            delta = _dict(choice.get("delta"))
            if any(value for name, value in delta.items() if name != "role"):
                assembled.token(index)
            _grow_message(kept["message"], delta)
            if "text" in choice:  # the older completions
                assembled.token(index)
                kept["message"]["content"] += _text(choice["text"])
            if finish := choice.get("finish_reason"):
                kept["finish_reason"] = finish
                assembled.is_whole = True
    listed = [{"index": number, **choices[number]} for number in sorted(choices)]
    for choice in listed:
        choice["message"]["tool_calls"] = list(choice["message"]["tool_calls"].values())
    assembled.reply["choices"] = listed
    return assembled


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


def responses(stream: Iterable[Event]) -> Assembled:
    """Assemble a stream of OpenAI's responses; of one that was cut, what came of its items."""
    assembled = Assembled()
    items: dict[Any, dict[str, Any]] = {}
    for index, event in enumerate(stream):
        if isinstance(event, str):
            continue
        kind, place = _text(event.get("type")), event.get("output_index")
        if kind in {"response.created", "response.in_progress"}:
            assembled.reply = dict(_dict(event.get("response")))
        elif kind in {"response.completed", "response.incomplete", "response.failed"}:
            assembled.reply, assembled.is_whole = dict(_dict(event.get("response"))), True
            return assembled
        elif kind in {"response.output_item.added", "response.output_item.done"}:
            items[str(place)] = dict(_dict(event.get("item")))
            if kind.endswith("done"):
                assembled.token(index)
        elif kind.endswith(".delta"):
            assembled.token(index)
            _grow_item(items.setdefault(str(place), {}), kind, _text(event.get("delta")))
    assembled.reply["output"] = list(items.values())
    return assembled


def _grow_item(item: dict[str, Any], kind: str, delta: str) -> None:
    if kind == "response.function_call_arguments.delta":
        item["arguments"] = _text(item.get("arguments")) + delta
    elif kind in {"response.output_text.delta", "response.refusal.delta"}:
        name = "refusal" if "refusal" in kind else "text"
        item["type"] = "message"
        before = _dict(next(iter(_dicts(item.get("content"))), {}))
        item["content"] = [{**before, name: _text(before.get(name)) + delta}]


def messages(stream: Iterable[Event]) -> Assembled:
    """Assemble a stream of Anthropic's messages."""
    assembled = Assembled({"content": [], "usage": {}})
    blocks: dict[Any, dict[str, Any]] = {}
    for index, event in enumerate(stream):
        if isinstance(event, str):
            continue
        place = str(event.get("index"))
        match event.get("type"):
            case "message_start":
                assembled.reply |= _dict(event.get("message"))
                assembled.reply["usage"] = dict(_dict(assembled.reply.get("usage")))
            case "content_block_start":
                blocks[place] = dict(_dict(event.get("content_block")))
            case "content_block_delta":
                assembled.token(index)
                _grow_block(blocks.setdefault(place, {}), _dict(event.get("delta")))
            case "message_delta":
                assembled.reply |= _dict(event.get("delta"))
                # Counts are totals so far; those that did not change may be null.
                counts = _dict(event.get("usage")).items()
                assembled.reply["usage"] |= {name: n for name, n in counts if n is not None}
            case "message_stop":
                assembled.is_whole = True
    assembled.is_whole = assembled.is_whole or bool(assembled.reply.get("stop_reason"))
    assembled.reply["content"] = list(blocks.values())
    return assembled


def _grow_block(block: dict[str, Any], delta: dict[str, Any]) -> None:
    """Add the texts of a delta to those of its block: words, thoughts, a tool's input."""
    for name, value in delta.items():
        if name != "type" and isinstance(value, str):
            block[name] = _text(block.get(name)) + value


def gemini(stream: Iterable[Event]) -> Assembled:
    """Assemble a stream of Gemini's: each piece has the counts so far, and some parts."""
    assembled = Assembled()
    parts: list[Any] = []
    finish = None
    for index, said in enumerate(stream):
        if isinstance(said, str):
            continue
        assembled.reply |= {name: value for name, value in said.items() if name != "candidates"}
        for candidate in _dicts(said.get("candidates"))[:1]:
            come = _dicts(_dict(candidate.get("content")).get("parts"))
            if come:
                assembled.token(index)
            parts += come
            finish = candidate.get("finishReason") or finish
    candidate = {"content": {"parts": parts, "role": "model"}, "finishReason": finish}
    assembled.reply["candidates"] = [candidate]
    assembled.is_whole = bool(finish) or "promptFeedback" in assembled.reply
    return assembled


def ollama(stream: Iterable[Event]) -> Assembled:
    """Assemble a stream of Ollama's own: lines, of which the last has the counts."""
    assembled = Assembled()
    text = ""
    calls: list[dict[str, Any]] = []
    for index, said in enumerate(stream):
        if isinstance(said, str):
            continue
        message = _dict(said.get("message"))
        piece = _text(message.get("content")) + _text(said.get("response"))
        called = _dicts(message.get("tool_calls"))
        if piece or called:
            assembled.token(index)
        text, calls = text + piece, [*calls, *called]
        assembled.reply |= said
        assembled.is_whole = assembled.is_whole or said.get("done") is True
    assembled.reply["message"] = {"role": "assistant", "content": text, "tool_calls": calls}
    return assembled


def last(stream: Iterable[Event]) -> Assembled:
    """Return the last piece of a stream whose every piece repeats everything so far."""
    assembled = Assembled()
    for index, said in enumerate(stream):
        if isinstance(said, dict):
            assembled.token(index)
            assembled.reply, assembled.is_whole = said, True
    return assembled


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    """Return the text, which Mistral's thinking models send in parts."""
    if isinstance(value, list):
        return "".join(_text(part.get("text")) for part in _dicts(value))
    return value if isinstance(value, str) else ""


_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LINE = re.compile(r"\r\n|\n|\r")
DONE = "[DONE]"  # with which OpenAI's streams end


def split(raw: bytes) -> tuple[list[bytes], bytes]:
    """Return the server-sent events that are whole, each with its end, and what follows them."""
    events, begin = [], 0
    for end in _END.finditer(raw):
        events.append(raw[begin : end.end()])
        begin = end.end()
    return events, raw[begin:]


def data_of(event: bytes) -> str:
    """Return the data of a server-sent event; empty if it has none."""
    lines = _LINE.split(event.decode("utf-8", "replace"))
    data = (line[5:].removeprefix(" ") for line in lines if line.startswith("data:"))
    return "\n".join(data)


def objects(raw: bytes, media_type: str) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """Yield what a stream said, each with the number of bytes by whose end it was there.

    Objects of JSON, be they server-sent events, the parts of one list (Gemini), or lines (Ollama),
    and the word DONE. What is neither is left out, so is what is not whole.
    """
    if "event-stream" in media_type or raw.lstrip()[:5] in {b"data:", b"event"}:
        yield from _events(raw)
    else:
        yield from _parts(raw)


def _events(raw: bytes) -> Iterator[tuple[int, dict[str, Any] | str]]:
    events, rest = split(raw)
    place = 0
    for event in (*events, rest):  # the last event of a sloppy server has no empty line behind it
        place += len(event)
        text = data_of(event)
        if text.strip() == DONE:
            yield place, DONE
        elif isinstance(said := _read(text), dict):
            yield place, said


def _parts(raw: bytes) -> Iterator[tuple[int, dict[str, Any] | str]]:
    text = raw.decode("utf-8", "replace")
    decoder = json.JSONDecoder()
    at = place = 0
    while (begin := text.find("{", at)) >= 0:
        try:
            said, end = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            return
        place += len(text[at:end].encode("utf-8", "replace"))
        at = end
        if isinstance(said, dict):
            yield place, said


def _read(text: str) -> Any:
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
