"""Requests to models: their API, their contents, and what is added to them.

`RecordedApi` holds all that differs between APIs. A request that breaks its API's rules goes to a
fallback parser. A request for a stream is made to ask for token counts; the program does not see
them unless it asked for them itself.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm.model import Image, Message, Request, Role
from pytest_mobileagent.llm.scripted.apis import Api, Asked, Incoming
from pytest_mobileagent.llm.scripted.apis.anthropic_messages import AnthropicMessages
from pytest_mobileagent.llm.scripted.apis.gemini import Gemini
from pytest_mobileagent.llm.scripted.apis.openai_chat import OpenAIChat
from pytest_mobileagent.llm.scripted.apis.openai_responses import OpenAIResponses
from pytest_mobileagent.program.models import assembly, replies
from pytest_mobileagent.program.models.assembly import data_of, json_object, split

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_mobileagent.llm.model import Completion
    from pytest_mobileagent.program.models.assembly import Assembled, Event


_IN_PATH = re.compile(r"/(?:models|deployments)/([^/:?]+)")
# A generator that stops too early raises a RuntimeError, as does data that is nested too deeply.
_ODD = (ValueError, TypeError, LookupError, AttributeError, RuntimeError)


@dataclass(frozen=True, slots=True)
class RecordedApi:
    """One API of a provider.

    - `path`: how its paths end. `api`: reads requests strictly, and words errors.
    - `assemble`, `answer`: how streams become replies, and replies answers.
    - `usage`: where genai-prices finds the tokens in a reply: provider and flavour.
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
        """Return the request; data that breaks the API's rules goes to the fallback parser."""
        try:
            asked = self.api.read(Incoming("POST", path, data=data))
            if isinstance(asked, Asked):
                return asked.request
        except _ODD:
            pass
        return fallback_request(body)

    def streams(self, path: str, body: dict[str, Any]) -> bool:
        """Whether the request asks for a streamed answer."""
        return path.endswith(":streamGenerateContent") or body.get("stream") is True


def model_of(path: str, body: dict[str, Any]) -> str:
    """Return the name of the model that a request names; empty if there is none."""
    if isinstance(name := body.get("model"), str) and name:
        return name.removeprefix("models/")
    named = _IN_PATH.search(path)
    return named[1] if named else ""


def _path(end: str) -> re.Pattern[str]:
    return re.compile(rf"(^|/){end}$")


_CHAT = OpenAIChat()
APIS = (
    RecordedApi(
        "chat", _path("chat/completions"), _CHAT, assembly.chat, replies.chat, ("openai", "chat")
    ),
    RecordedApi(
        "responses", _path("responses"), OpenAIResponses(), assembly.responses, replies.responses,
        ("openai", "responses"),
    ),
    RecordedApi(
        "anthropic", _path("messages"), AnthropicMessages(), assembly.messages, replies.messages,
        ("anthropic", "default"),
    ),
    RecordedApi(
        "gemini", re.compile(r":(generateContent|streamGenerateContent)$"), Gemini(),
        assembly.gemini, replies.gemini, ("google", "default"),
    ),
    RecordedApi(
        "embeddings", _path("embeddings"), _CHAT, assembly.last, replies.nothing,
        ("openai", "embeddings"), "embedding",
    ),
    RecordedApi(
        "gemini embeddings", re.compile(r":(embedContent|batchEmbedContents)$"), Gemini(),
        assembly.last, replies.nothing, ("google", "default"), "embedding",
    ),
    RecordedApi(
        "completions", _path("completions"), _CHAT, assembly.chat, replies.chat, ("openai", "chat")
    ),
    RecordedApi(
        "ollama", _path("api/(chat|generate)"), _CHAT, assembly.ollama, replies.ollama,
        ("openai", "chat"),
    ),
    RecordedApi(
        "ollama embeddings", _path("api/embed"), _CHAT, assembly.last, replies.ollama,
        ("openai", "chat"), "embedding",
    ),
    RecordedApi(
        "dashscope", _path("(text|multimodal)-generation/generation"), _CHAT, assembly.last,
        replies.dashscope, ("openai", "chat"),
    ),
)  # fmt: skip


def api_of(method: str, path: str) -> RecordedApi | None:
    """Return the API of a request; None if it does not ask a model."""
    if method != "POST":
        return None
    return next((api for api in APIS if api.path.search(path)), None)


_GZIP = zlib.MAX_WBITS | 16
# What `decoded` understands; "" means no compression.
COMPRESSIONS = {"", "identity", "gzip", "x-gzip", "deflate"}
COMPRESSIONS |= {"br"} if find_spec("brotli") else set()


def decoded(data: bytes, encoding: str) -> bytes:
    """Return a body uncompressed, as far as it came; empty if the compression is unknown."""
    match encoding:
        case "" | "identity":
            return data
        case "gzip" | "x-gzip":
            return _inflated(data, _GZIP)
        case "deflate":
            return _inflated(data, zlib.MAX_WBITS) or _inflated(data, -zlib.MAX_WBITS)
        case "br" if encoding in COMPRESSIONS:
            import brotli  # type: ignore[import-not-found,unused-ignore]

            try:
                return bytes(brotli.Decompressor().process(data))
            except brotli.error:
                return b""
    return b""


def _inflated(data: bytes, format: int) -> bytes:
    try:
        return zlib.decompressobj(format).decompress(data)
    except zlib.error:
        return b""


_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "assistant": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
}
_MESSAGES = ("messages", "contents", "input", "prompt", "content")  # where APIs hold them
_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"RIFF", b"GIF8", b"BM")
_ABOUT = {"type", "role", "id", "mime_type", "media_type", "mimeType", "detail", "cache_control"}
_DEEPEST = 12


def fallback_request(body: dict[str, Any]) -> Request:
    """Return the request that a body makes, as far as it can be understood."""
    extra = {name: value for name, value in body.items() if name not in {*_MESSAGES, "model"}}
    system = body.get("system") or body.get("instructions")
    first = (Message("system", tuple(_parts(system))),) if system else ()
    stream = extra.pop("stream", False) is True
    for name in ("system", "instructions", "images"):
        extra.pop(name, None)
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
    """Yield the texts and pictures in JSON-able data, in order."""
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
    """Return a request for chat completions (`body`, sent as `data`) that also asks for counts.

    None if it is not streamed, or says itself whether it wants them.
    """
    options = body.get("stream_options") or {}
    if (
        body.get("stream") is not True
        or not isinstance(options, dict)
        or "include_usage" in options
    ):
        return None
    if "stream_options" not in body:  # all other bytes stay as they are
        return data.replace(b"{", b'{"stream_options":{"include_usage":true},', 1)
    asked = {**body, "stream_options": {**options, "include_usage": True}}
    return json.dumps(asked, ensure_ascii=False).encode("utf-8", "surrogatepass")


def refuses_usage(status: int, body: bytes) -> bool:
    """Whether a server refuses a request because that asks for counts."""
    named = b"stream_options" in body or b"include_usage" in body
    return 400 <= status < 500 and named


class WithoutUsage:
    """Removes counts that the program did not ask for from a stream, event by event.

    A client that asks for them gets an event with the counts, and `"usage": null` in all others
    (OpenAI's API reference, "stream_options"); any other client gets neither.
    """

    def __init__(self) -> None:
        self._rest = b""

    def pass_on(self, data: bytes, *, is_last: bool) -> bytes:
        """Return the part of the stream that can go to the program now."""
        events, self._rest = split(self._rest + data)
        visible = b"".join(_without_null(event) for event in events if not _is_count(event))
        if is_last and not _is_count(self._rest):
            visible += _without_null(self._rest)
        return visible


_NULL = re.compile(rb',\s*"usage"\s*:\s*null|"usage"\s*:\s*null\s*,')


def _without_null(event: bytes) -> bytes:
    """Return an event without a usage that is null; all other bytes stay as they are."""
    if (null := _NULL.search(event)) is None:
        return event
    content = json_object(data_of(event))
    if content is None or content.pop("usage", 0) is not None:
        return event
    without = event[: null.start()] + event[null.end() :]
    return without if json_object(data_of(without)) == content else event


def _is_count(event: bytes) -> bool:
    """Whether an event of a stream holds counts and nothing else."""
    if b'"usage"' not in event:
        return False
    content = json_object(data_of(event))
    if content is None or content.get("choices") != [] or "usage" not in content:
        return False
    # Servers that cannot count send null; Azure's first event is about the prompt instead.
    return bool(content["usage"]) or "prompt_filter_results" not in content
