"""The events of a stream in the bytes that came of it: whole or cut off anywhere."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

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
