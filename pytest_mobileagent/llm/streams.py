"""Streams of all APIs: their events, and the reply into which the events are joined.

Both routes to models use this: our clients, and the recording of programs. Servers that speak an
API differ in what they leave out or repeat, so fields may be missing, null or of the wrong type. An
error that a provider reports in the middle of a stream becomes the reply's `error`.
"""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm.replies import (
    arguments_of,
    as_dict,
    as_dicts,
    as_text,
    is_answered,
    is_candidate,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


Event = dict[str, Any] | str


@dataclass(slots=True)
class Assembled:
    """A reply assembled from a stream; `is_whole` if the stream was complete.

    `first` is the index of the first token's event, if any; `when` it came, by the monotonic clock.
    """

    reply: dict[str, Any] = field(default_factory=dict)
    is_whole: bool = False
    first: int | None = None
    when: float | None = None

    def token(self, index: int) -> None:
        """Record that the event at an index contained a token."""
        if self.first is None:
            self.first, self.when = index, time.monotonic()


def chat(stream: Iterable[Event]) -> Assembled:
    """Assemble a stream of OpenAI's chat completions."""
    assembled = Assembled()
    choices: dict[int, dict[str, Any]] = {}
    for index, event in enumerate(stream):
        if isinstance(event, str):
            assembled.is_whole = True
            break
        assembled.reply |= {k: v for k, v in event.items() if v and k != "choices"}
        for choice in as_dicts(event.get("choices")):
            number = choice.get("index")
            joined = choices.setdefault(number if isinstance(number, int) else 0, _choice())
            # A server that does not stream sends a whole message.
            delta = as_dict(choice.get("delta") or choice.get("message"))
            if any(value for name, value in delta.items() if name != "role") or choice.get("text"):
                assembled.token(index)
            _extend_message(joined["message"], delta)
            joined["message"]["content"] += as_text(choice.get("text"))  # completions API
            ended = {name: choice[name] for name in choice.keys() - _PIECES if choice[name]}
            joined |= ended
            assembled.is_whole = assembled.is_whole or "finish_reason" in ended
            if "usage" in ended:  # Moonshot
                assembled.reply["usage"] = ended["usage"]
    assembled.reply["choices"] = [{**choices[n], "index": n} for n in sorted(choices)]
    assembled.is_whole = assembled.is_whole and is_answered(assembled.reply)
    return assembled


_PIECES = {"delta", "message", "text", "index"}


def _choice() -> dict[str, Any]:
    message = {"role": "assistant", "content": "", "refusal": "", "tool_calls": []}
    return {"message": message, "finish_reason": None}


def _extend_message(message: dict[str, Any], delta: dict[str, Any]) -> None:
    message["content"] += as_text(delta.get("content"))
    message["refusal"] += as_text(delta.get("refusal"))
    for part in as_dicts(delta.get("tool_calls")):
        function, calls = as_dict(part.get("function")), message["tool_calls"]
        call_id, name = as_text(part.get("id")), as_text(function.get("name"))
        call = _continued(calls, part.get("index"), call_id, name)
        if call is None:
            call = {"index": part.get("index"), "id": "", "type": "function"}
            call["function"] = {"name": "", "arguments": ""}
            calls.append(call)
        arguments = function.get("arguments")
        if arguments and not isinstance(arguments, str):
            arguments = json.dumps(arguments)
        call["id"] = call["id"] or call_id
        call["function"]["name"] = call["function"]["name"] or name
        call["function"]["arguments"] += arguments or ""


def _continued(
    calls: list[dict[str, Any]], index: Any, call_id: str, name: str
) -> dict[str, Any] | None:
    """Return the call that a part of a stream continues; None if it begins another.

    Some servers send calls in one piece each, all with the index 0 (Gemini) or without any. Others
    repeat the name, or send another id, with each piece of one call.
    """
    call = next((each for each in reversed(calls) if index is None or each["index"] == index), None)
    if call is None or not name or (call_id and call_id == call["id"]):
        return call
    known, so_far = call["function"]["name"], call["function"]["arguments"]
    is_other = name != known or (call_id and call["id"] and not so_far)
    return None if known and (is_other or json_object(so_far) is not None) else call


def responses(stream: Iterable[Event]) -> Assembled:
    """Assemble a stream of OpenAI's responses; if it was cut off, from the items received."""
    assembled = Assembled()
    items: dict[str, dict[str, Any]] = {}
    for index, event in enumerate(stream):
        if isinstance(event, str):
            continue
        kind, item = as_text(event.get("type")), as_dict(event.get("item"))
        place = str(event.get("output_index", event.get("item_id") or item.get("id")))
        if kind in {"response.created", "response.in_progress"}:
            assembled.reply = dict(as_dict(event.get("response")))
        elif kind in {"response.completed", "response.incomplete", "response.failed"}:
            assembled.reply = {"status": kind.partition(".")[2], **as_dict(event.get("response"))}
            assembled.is_whole = True
            break
        elif kind in {"response.output_item.added", "response.output_item.done"}:
            items[place] = dict(item)
            if kind.endswith("done"):
                assembled.token(index)
        elif kind.endswith(".delta"):
            assembled.token(index)
            _extend_item(items.setdefault(place, {}), kind, as_text(event.get("delta")))
        elif kind == "error" or "error" in event:
            assembled.reply["error"] = event.get("error") or event
    if not assembled.reply.get("output"):
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
    blocks: dict[str, dict[str, Any]] = {}
    place = ""
    for index, event in enumerate(stream):
        if isinstance(event, str):
            continue
        kind = as_text(event.get("type"))
        if kind == "content_block_start":
            place = str(event.get("index", len(blocks)))
            blocks[place] = dict(as_dict(event.get("content_block")))
        elif kind == "content_block_delta":
            assembled.token(index)
            place = str(event.get("index", place))
            _extend_block(blocks.setdefault(place, {}), as_dict(event.get("delta")))
        elif kind in {"message_start", "message_delta"}:
            changed = as_dict(event.get("message" if kind == "message_start" else "delta"))
            # Counts are running totals; those that have not changed may be null.
            counts = {**as_dict(changed.get("usage")), **as_dict(event.get("usage"))}.items()
            usage = assembled.reply["usage"] | {name: n for name, n in counts if n is not None}
            assembled.reply |= {**changed, "usage": usage}
        elif kind == "message_stop":
            assembled.is_whole = True
            break
        elif "error" in event:
            assembled.reply["error"] = event["error"]
    for block in blocks.values():
        if "partial_json" in block:
            block["input"] = arguments_of(block.pop("partial_json"))
    assembled.is_whole = assembled.is_whole or bool(assembled.reply.get("stop_reason"))
    assembled.reply["content"] = list(blocks.values())
    return assembled


def _extend_block(block: dict[str, Any], delta: dict[str, Any]) -> None:
    """Append the strings of a delta to its block: text, thinking, a tool's input."""
    for name, value in delta.items():
        if name == "partial_json" and isinstance(value, dict):
            block["input"] = value
        elif name != "type" and isinstance(value, str):
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
    assembled.is_whole = is_candidate(assembled.reply)
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


_END = re.compile(rb"(?:\r\n|\n|\r(?!\n)){2}")
_LINE = re.compile(r"\r\n|\n|\r")
DONE = "[DONE]"  # the last event of OpenAI's streams


def split(raw: bytes) -> tuple[list[bytes], bytes]:
    """Return the complete server-sent events, including their ends, and the rest."""
    events, begin = [], 0
    for end in _END.finditer(raw):
        events.append(raw[begin : end.end()])
        begin = end.end()
    return events, raw[begin:]


def data_of(event: bytes, name: str = "data") -> str:
    """Return the data of a server-sent event, or another field; empty if it has none."""
    lines = _LINE.split(event.decode("utf-8", "replace"))
    begin = f"{name}:"
    data = (line[len(begin) :].removeprefix(" ") for line in lines if line.startswith(begin))
    return "\n".join(data)


def events(pieces: Iterable[bytes]) -> Iterator[Event]:
    """Yield the events of a stream as its pieces arrive (see `objects`)."""
    rest = b""
    for piece in pieces:
        complete, rest = split(rest + piece)
        for event in complete:
            yield from _said(event)
    yield from _said(rest, is_cut=True)


def objects(raw: bytes, media_type: str) -> Iterator[tuple[int, Event]]:
    """Yield the events of a stream, each with the number of bytes up to its end.

    Events are JSON objects, sent as server-sent events, as parts of one list (Gemini) or as lines
    (Ollama), and the word DONE. Comments, pings and an incomplete object at the end are skipped;
    another unreadable object is an event with an `error`.
    """
    if "event-stream" not in media_type and raw.lstrip()[:5] not in {b"data:", b"event"}:
        yield from _parts(raw)
        return
    complete, rest = split(raw)
    place = 0
    for event in (*complete, rest):  # some servers send no empty line after the last event
        place += len(event)
        yield from ((place, said) for said in _said(event, is_cut=event is rest))


def _said(event: bytes, *, is_cut: bool = False) -> Iterator[Event]:
    """Yield the events in a server-sent event, usually one; `is_cut` if its end is missing."""
    text = data_of(event)
    if not text and event.lstrip()[:1] == b"{":  # a server that does not stream
        text = event.decode("utf-8", "replace")
    if text.strip() == DONE:
        yield DONE
        return
    is_error = data_of(event, "event").strip() == "error"
    found = [each for _, each in _objects_in(text)]
    for each in found or ([None] if is_error and text else []):
        if each is not None:
            is_named = not is_error or "error" in each or each.get("type") == "error"
            yield each if is_named else {"error": each}
        elif not is_cut:
            said = text if is_error else f"unreadable data: {text}"
            yield {"error": {"message": said[:_SHOWN], "code": 502}}


_SHOWN = 500  # characters of unreadable data in an error


def _parts(raw: bytes) -> Iterator[tuple[int, Event]]:
    text = raw.decode("utf-8", "replace")
    at = place = 0
    for end, event in _objects_in(text):
        place += len(text[at:end].encode("utf-8", "replace"))
        at = end
        if event is not None:
            yield place, event


def _objects_in(text: str) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """Yield the JSON objects in a text, with the indices of their ends; None if unreadable."""
    decoder, at = json.JSONDecoder(), 0
    while (begin := text.find("{", at)) >= 0:
        try:
            found, at = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            yield len(text), None
            return
        yield at, found


def json_object(data: str | bytes) -> dict[str, Any] | None:
    """Parse a JSON object; return None if the data is not one."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
