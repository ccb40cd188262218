"""Parses requests to models, and extends them to ask for token counts.

`RecordedApi` contains everything that differs between APIs. A request that violates its API goes to
a fallback parser. A streamed request is extended to ask for token counts, which the program does
not see unless it has asked for them itself.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm import replies, streams
from pytest_mobileagent.llm.model import Image, Message, Request, Role
from pytest_mobileagent.llm.scripted.apis import Api, Incoming, ModelRequest
from pytest_mobileagent.llm.scripted.apis.anthropic_messages import AnthropicMessages
from pytest_mobileagent.llm.scripted.apis.gemini import Gemini
from pytest_mobileagent.llm.scripted.apis.openai import OpenAIChat, OpenAIResponses
from pytest_mobileagent.llm.streams import data_of, json_object, split

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_mobileagent.llm.model import Completion
    from pytest_mobileagent.llm.streams import Assembled, Event


_IN_PATH = re.compile(r"/(?:models|deployments)/([^/:?]+)")
# A generator that stops too early raises a RuntimeError, as does data that is nested too deeply.
_MALFORMED = (ValueError, TypeError, LookupError, AttributeError, RuntimeError)


@dataclass(frozen=True, slots=True)
class RecordedApi:
    """One API of a provider.

    - `path`: matches the end of its paths. `api`: parses requests strictly, and formats errors.
    - `assemble`, `answer`: turn a stream into a reply, and a reply into a completion.
    - `usage`: the provider and flavour by which genai-prices finds the tokens in a reply.
    - `role`: the role of its calls; empty if it depends on the model.
    """

    name: str
    path: re.Pattern[str]
    api: Api
    assemble: Callable[[Iterable[Event]], Assembled]
    answer: Callable[[dict[str, Any]], Completion]
    usage: tuple[str, str]
    role: str = ""

    def read(self, path: str, body: dict[str, Any], data: bytes) -> Request:
        """Parse a request; one that violates the API goes to the fallback parser."""
        try:
            asked = self.api.read(Incoming("POST", path, data=data))
            if isinstance(asked, ModelRequest):
                return asked.request
        except _MALFORMED:
            pass
        return fallback_request(body)

    def streams(self, path: str, body: dict[str, Any]) -> bool:
        """Return whether a request asks for a streamed answer."""
        return path.endswith(":streamGenerateContent") or body.get("stream") is True


def model_of(path: str, body: dict[str, Any]) -> str:
    """Return the name of the model in a request; empty if there is none."""
    if isinstance(name := body.get("model"), str) and name:
        return name.removeprefix("models/")
    named = _IN_PATH.search(path)
    return named[1] if named else ""


def _path(end: str) -> re.Pattern[str]:
    return re.compile(rf"(^|/){end}$")


_CHAT = OpenAIChat()
APIS = (
    RecordedApi(
        "chat", _path("chat/completions"), _CHAT, streams.chat, replies.chat, ("openai", "chat")
    ),
    RecordedApi(
        "responses", _path("responses"), OpenAIResponses(), streams.responses, replies.responses,
        ("openai", "responses"),
    ),
    RecordedApi(
        "anthropic", _path("messages"), AnthropicMessages(), streams.messages, replies.messages,
        ("anthropic", "default"),
    ),
    RecordedApi(
        "gemini", re.compile(r":(generateContent|streamGenerateContent)$"), Gemini(),
        streams.gemini, replies.gemini, ("google", "default"),
    ),
    RecordedApi(
        "embeddings", _path("embeddings"), _CHAT, streams.last, replies.nothing,
        ("openai", "embeddings"), "embedding",
    ),
    RecordedApi(
        "gemini embeddings", re.compile(r":(embedContent|batchEmbedContents)$"), Gemini(),
        streams.last, replies.nothing, ("google", "default"), "embedding",
    ),
    RecordedApi(
        "completions", _path("completions"), _CHAT, streams.chat, replies.chat, ("openai", "chat")
    ),
    RecordedApi(
        "ollama", _path("api/(chat|generate)"), _CHAT, streams.ollama, replies.ollama,
        ("openai", "chat"),
    ),
    RecordedApi(
        "ollama embeddings", _path("api/embed"), _CHAT, streams.last, replies.ollama,
        ("openai", "chat"), "embedding",
    ),
    RecordedApi(
        "dashscope", _path("(text|multimodal)-generation/generation"), _CHAT, streams.last,
        replies.dashscope, ("openai", "chat"),
    ),
)  # fmt: skip


def api_of(method: str, path: str) -> RecordedApi | None:
    """Return the API of a request; None if it is not a model call."""
    if method != "POST":
        return None
    return next((api for api in APIS if api.path.search(path)), None)


# What `Decoder` understands; "" means no compression.
COMPRESSIONS = {"", "identity", "gzip", "x-gzip", "deflate"}
_UNPACKED = 2**18  # bytes that are uncompressed at once


class Decoder:
    """Uncompresses a body as its pieces arrive; what it does not understand stays as it is."""

    def __init__(self, encoding: str) -> None:
        names = [name.strip().lower() for name in encoding.split(",")]
        self._steps = [_Inflater() for name in names if name in {"gzip", "x-gzip", "deflate"}]

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """Yield the uncompressed data in small pieces, so that they can be counted."""
        found: Iterator[bytes] = iter([data])
        for step in self._steps:
            found = step.each(found)
        return found


class _Inflater:
    def __init__(self) -> None:
        self._zlib, self._is_raw, self._has_begun = zlib.decompressobj(47), False, False

    def each(self, received: Iterator[bytes]) -> Iterator[bytes]:
        for data in received:
            rest = data
            while rest:
                try:
                    yield self._zlib.decompress(rest, _UNPACKED)
                except zlib.error:
                    if self._is_raw or self._has_begun:
                        return
                    self._zlib, self._is_raw = zlib.decompressobj(-zlib.MAX_WBITS), True
                    continue
                self._has_begun = True
                rest = self._zlib.unconsumed_tail
                if self._zlib.eof and (rest := self._zlib.unused_data):  # another member
                    self._zlib = zlib.decompressobj(47)


def decoded(data: bytes, encoding: str) -> bytes:
    """Return an uncompressed body, even if it is incomplete; empty if the encoding is unknown."""
    is_known = all(name.strip() in COMPRESSIONS for name in encoding.lower().split(","))
    return b"".join(Decoder(encoding).pieces(data)) if is_known else b""


_ROLES: dict[str, Role] = {
    "system": "system", "developer": "system", "assistant": "assistant", "model": "assistant",
    "tool": "tool", "function": "tool",
}  # fmt: skip
_MESSAGES = ("messages", "contents", "input", "prompt", "content")  # the keys of messages in APIs
_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"RIFF", b"GIF8", b"BM")
_ABOUT = {"type", "role", "id", "mime_type", "media_type", "mimeType", "detail", "cache_control"}
_DEEPEST = 12


def fallback_request(body: dict[str, Any]) -> Request:
    """Return the request in a body, as far as it can be understood."""
    read = {*_MESSAGES, "model", "stream", "system", "instructions", "images"}
    extra = {name: value for name, value in body.items() if name not in read}
    system = body.get("system") or body.get("instructions")
    first = (Message("system", tuple(_parts(system))),) if system else ()
    stream = body.get("stream") is True
    return Request((*first, *_messages(body)), stream=stream, extra=extra)


def _messages(body: dict[str, Any]) -> Iterator[Message]:
    found: Any = next((body[name] for name in _MESSAGES if body.get(name)), ())
    if isinstance(found, dict):
        found = found.get("messages") or [found]
    images = tuple(_parts(body.get("images") or ()))
    for message in found if isinstance(found, list) else [found]:
        role = message.get("role") if isinstance(message, dict) else "user"
        parts = (*_parts(message), *images)
        images = ()
        if parts:
            yield Message(_ROLES.get(str(role), "user"), parts)


def _parts(value: Any, depth: int = 0) -> Iterator[str | Image]:
    """Yield the strings and pictures in JSON-able data, in order."""
    if isinstance(value, str):
        if value:
            yield _picture(value) or value
    elif depth < _DEEPEST and isinstance(value, list):
        for each in value:
            yield from _parts(each, depth + 1)
    elif depth < _DEEPEST and isinstance(value, dict):
        for name, each in value.items():
            if name not in _ABOUT:
                yield from _parts(each, depth + 1)


def _picture(text: str) -> Image | None:
    head, _, data = text.rpartition(",")
    if head and not head.startswith("data:image/"):
        return None
    try:
        beginning = base64.b64decode(data[:16], validate=True)
        is_picture = len(data) > 64 and beginning.startswith(_PICTURES)
        return Image(base64.b64decode(data, validate=True)) if is_picture else None
    except (binascii.Error, ValueError):
        return None


def with_usage(body: dict[str, Any], data: bytes) -> bytes | None:
    """Return a chat completions request (`body`, sent as `data`) that also asks for token counts.

    The result is None if the request is not streamed, or already says whether it wants them.
    """
    options = body.get("stream_options") or {}
    may_ask = isinstance(options, dict) and "include_usage" not in options
    if body.get("stream") is not True or not may_ask:
        return None
    if "stream_options" not in body:  # leave all other bytes unchanged
        return data.replace(b"{", b'{"stream_options":{"include_usage":true},', 1)
    asked = {**body, "stream_options": {**options, "include_usage": True}}
    return json.dumps(asked, ensure_ascii=False).encode("utf-8", "surrogatepass")


def refuses_usage(status: int, body: bytes) -> bool:
    """Return whether a server refuses a request because it asks for token counts."""
    return 400 <= status < 500 and (b"stream_options" in body or b"include_usage" in body)


class WithoutUsage:
    """Removes token counts that the program did not request from a stream.

    A client that requests counts gets an event with them, and `"usage": null` in all other events
    (OpenAI's API reference, "stream_options"); other clients get neither.
    """

    def __init__(self) -> None:
        self._rest = b""

    def pass_on(self, data: bytes, *, is_last: bool) -> bytes:
        """Return the part of the stream that can be passed on to the program now."""
        events, self._rest = split(self._rest + data)
        visible = b"".join(_without_null(event) for event in events if not _is_count(event))
        if is_last and not _is_count(self._rest):
            visible += _without_null(self._rest)
        return visible


_NULL = re.compile(rb',\s*"usage"\s*:\s*null|"usage"\s*:\s*null\s*,')


def _without_null(event: bytes) -> bytes:
    """Return an event without `"usage": null`; all other bytes are unchanged."""
    if (null := _NULL.search(event)) is None:
        return event
    content = json_object(data_of(event))
    if content is None or content.pop("usage", 0) is not None:
        return event
    without = event[: null.start()] + event[null.end() :]
    return without if json_object(data_of(without)) == content else event


def _is_count(event: bytes) -> bool:
    """Return whether an event of a stream contains only token counts."""
    if b'"usage"' not in event:
        return False
    content = json_object(data_of(event))
    if content is None or content.get("choices") != [] or "usage" not in content:
        return False
    # Servers that cannot count send null; Azure's first event is about the prompt instead.
    return bool(content["usage"]) or "prompt_filter_results" not in content
