"""Stream assembly: the pieces of a streamed reply, joined into one reply."""

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
    """A reply assembled from a stream; `is_whole` if the stream was complete.

    `first` is the index of the event with the first token; None if there was no token.
    """

    reply: dict[str, Any] = field(default_factory=dict)
    is_whole: bool = False
    first: int | None = None

    def token(self, index: int) -> None:
        """Record that the event at an index contained a token."""
        if self.first is None:
            self.first = index


def chat(stream: Iterable[Event]) -> Assembled:
    """Assemble a stream of OpenAI's chat completions."""
    assembled = Assembled()
    choices: dict[int, dict[str, Any]] = {}
    for index, event in enumerate(stream):
        if isinstance(event, str):
            assembled.is_whole = assembled.is_whole or event == DONE
            continue
        assembled.reply |= {k: v for k, v in event.items() if v and k != "choices"}
        for choice in as_dicts(event.get("choices")):
            number = choice.get("index")
            joined = choices.setdefault(number if isinstance(number, int) else 0, _choice())
            delta = as_dict(choice.get("delta"))
            if any(value for name, value in delta.items() if name != "role"):
                assembled.token(index)
            _extend_message(joined["message"], delta)
            if "text" in choice:  # the older completions API
                assembled.token(index)
                joined["message"]["content"] += as_text(choice["text"])
            if finish := choice.get("finish_reason"):
                joined["finish_reason"] = finish
                joined |= {n: choice[n] for n in ("native_finish_reason", "usage") if choice.get(n)}
                assembled.is_whole = True
    listed = [{"index": number, **choices[number]} for number in sorted(choices)]
    for choice in listed:
        choice["message"]["tool_calls"] = list(choice["message"]["tool_calls"].values())
    assembled.reply["choices"] = listed
    return assembled


def _choice() -> dict[str, Any]:
    message = {"role": "assistant", "content": "", "refusal": "", "tool_calls": {}}
    return {"message": message, "finish_reason": None}


def _extend_message(message: dict[str, Any], delta: dict[str, Any]) -> None:
    message["content"] += as_text(delta.get("content"))
    message["refusal"] += as_text(delta.get("refusal"))
    calls = message["tool_calls"]
    for part in as_dicts(delta.get("tool_calls")):
        # Some servers send each call in one piece, without an index.
        number = part.get("index")
        key = number if isinstance(number, int) else len(calls)
        empty = {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
        call, function = calls.setdefault(key, empty), as_dict(part.get("function"))
        call["id"] = as_text(part.get("id")) or call["id"]
        call["function"]["name"] = as_text(function.get("name")) or call["function"]["name"]
        call["function"]["arguments"] += as_text(function.get("arguments"))


def responses(stream: Iterable[Event]) -> Assembled:
    """Assemble a stream of OpenAI's responses; if it was cut off, from the items received."""
    assembled = Assembled()
    items: dict[Any, dict[str, Any]] = {}
    for index, event in enumerate(stream):
        if isinstance(event, str):
            continue
        kind, place = as_text(event.get("type")), event.get("output_index")
        if kind in {"response.created", "response.in_progress"}:
            assembled.reply = dict(as_dict(event.get("response")))
        elif kind in {"response.completed", "response.incomplete", "response.failed"}:
            assembled.reply, assembled.is_whole = dict(as_dict(event.get("response"))), True
            return assembled
        elif kind in {"response.output_item.added", "response.output_item.done"}:
            items[str(place)] = dict(as_dict(event.get("item")))
            if kind.endswith("done"):
                assembled.token(index)
        elif kind.endswith(".delta"):
            assembled.token(index)
            _extend_item(items.setdefault(str(place), {}), kind, as_text(event.get("delta")))
    assembled.reply["output"] = list(items.values())
    return assembled


def _extend_item(item: dict[str, Any], kind: str, delta: str) -> None:
    if kind == "response.function_call_arguments.delta":
        item["arguments"] = as_text(item.get("arguments")) + delta
    elif kind in {"response.output_text.delta", "response.refusal.delta"}:
        name = "refusal" if "refusal" in kind else "text"
        item["type"] = "message"
        before = as_dict(next(iter(as_dicts(item.get("content"))), {}))
        item["content"] = [{**before, name: as_text(before.get(name)) + delta}]


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
                assembled.reply |= as_dict(event.get("message"))
                assembled.reply["usage"] = dict(as_dict(assembled.reply.get("usage")))
            case "content_block_start":
                blocks[place] = dict(as_dict(event.get("content_block")))
            case "content_block_delta":
                assembled.token(index)
                _extend_block(blocks.setdefault(place, {}), as_dict(event.get("delta")))
            case "message_delta":
                assembled.reply |= as_dict(event.get("delta"))
                # Counts are running totals; those that have not changed may be null.
                counts = as_dict(event.get("usage")).items()
                assembled.reply["usage"] |= {name: n for name, n in counts if n is not None}
            case "message_stop":
                assembled.is_whole = True
    assembled.is_whole = assembled.is_whole or bool(assembled.reply.get("stop_reason"))
    assembled.reply["content"] = list(blocks.values())
    return assembled


def _extend_block(block: dict[str, Any], delta: dict[str, Any]) -> None:
    """Append the strings of a delta to its block: text, thinking, a tool's input."""
    for name, value in delta.items():
        if name != "type" and isinstance(value, str):
            block[name] = as_text(block.get(name)) + value


def gemini(stream: Iterable[Event]) -> Assembled:
    """Assemble a stream of Gemini's API: each piece has the counts so far, and some parts."""
    assembled = Assembled()
    parts: list[Any] = []
    finish = None
    for index, event in enumerate(stream):
        if isinstance(event, str):
            continue
        assembled.reply |= {name: value for name, value in event.items() if name != "candidates"}
        for candidate in as_dicts(event.get("candidates"))[:1]:
            received = as_dicts(as_dict(candidate.get("content")).get("parts"))
            if received:
                assembled.token(index)
            parts += received
            finish = candidate.get("finishReason") or finish
    candidate = {"content": {"parts": parts, "role": "model"}, "finishReason": finish}
    assembled.reply["candidates"] = [candidate]
    assembled.is_whole = bool(finish) or "promptFeedback" in assembled.reply
    return assembled


def ollama(stream: Iterable[Event]) -> Assembled:
    """Assemble a stream of Ollama's own API: lines, the last of which has the counts."""
    assembled = Assembled()
    text = ""
    calls: list[dict[str, Any]] = []
    for index, event in enumerate(stream):
        if isinstance(event, str):
            continue
        message = as_dict(event.get("message"))
        piece = as_text(message.get("content")) + as_text(event.get("response"))
        called = as_dicts(message.get("tool_calls"))
        if piece or called:
            assembled.token(index)
        text, calls = text + piece, [*calls, *called]
        assembled.reply |= event
        assembled.is_whole = assembled.is_whole or event.get("done") is True
    assembled.reply["message"] = {"role": "assistant", "content": text, "tool_calls": calls}
    return assembled


def last(stream: Iterable[Event]) -> Assembled:
    """Return the last piece of a stream in which each piece repeats all earlier ones."""
    assembled = Assembled()
    for index, event in enumerate(stream):
        if isinstance(event, dict):
            assembled.token(index)
            assembled.reply, assembled.is_whole = event, True
    return assembled


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


_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LINE = re.compile(r"\r\n|\n|\r")
DONE = "[DONE]"  # the last event of OpenAI's streams


def split(raw: bytes) -> tuple[list[bytes], bytes]:
    """Return the complete server-sent events, including their ends, and the rest."""
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


def objects(raw: bytes, media_type: str) -> Iterator[tuple[int, Event]]:
    """Yield the events of a stream, each with the number of bytes up to its end.

    Events are JSON objects, sent as server-sent events, as parts of one list (Gemini) or as lines
    (Ollama), and the word DONE. Everything else, and incomplete objects, are skipped.
    """
    if "event-stream" in media_type or raw.lstrip()[:5] in {b"data:", b"event"}:
        yield from _events(raw)
    else:
        yield from _parts(raw)


def _events(raw: bytes) -> Iterator[tuple[int, Event]]:
    events, rest = split(raw)
    place = 0
    for raw_event in (*events, rest):  # some servers send no empty line after the last event
        place += len(raw_event)
        text = data_of(raw_event)
        if text.strip() == DONE:
            yield place, DONE
        elif (event := json_object(text)) is not None:
            yield place, event


def _parts(raw: bytes) -> Iterator[tuple[int, Event]]:
    text = raw.decode("utf-8", "replace")
    decoder = json.JSONDecoder()
    at = place = 0
    while (begin := text.find("{", at)) >= 0:
        try:
            event, end = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            return
        place += len(text[at:end].encode("utf-8", "replace"))
        at = end
        if isinstance(event, dict):
            yield place, event


def json_object(data: str | bytes) -> dict[str, Any] | None:
    """Parse a JSON object; return None if the data is not one."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
