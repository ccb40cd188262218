"""The interface of a provider's HTTP API, for a scripted model: reading requests, and answers."""

from __future__ import annotations

import base64
import binascii
import json
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm.model import Image, Request

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_mobileagent.llm.scripted.entries import ScriptedReply

_TYPES = {401: "invalid_request_error", 429: "requests"}
_CODES = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}


@dataclass(frozen=True, slots=True)
class Incoming:
    """An HTTP request: its path without the query, and its body."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    content_type: str = ""
    data: bytes = field(default=b"", repr=False)

    def body(self) -> dict[str, Any]:
        """Return the body, which must be a JSON object.

        Raises:
            ValueError: if it is not a JSON object.
        """
        try:
            body = json.loads(self.data)
        except RecursionError:
            raise ValueError("the body is nested too deeply") from None
        if not isinstance(body, dict):
            raise ValueError("the body must be a JSON object")
        return body


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A request to the model: the request itself, the model's name in it, and the whole body."""

    request: Request
    model: str = ""
    body: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Direct:
    """An answer that needs no model, such as a list of models, as JSON-able data."""

    body: Any


@dataclass(frozen=True, slots=True)
class Outgoing:
    """The model's answer to a request; `number` counts the answers of a server."""

    reply: ScriptedReply
    asked: ModelRequest
    model: str
    number: int


class Api(ABC):
    """One provider's API."""

    @abstractmethod
    def read(self, incoming: Incoming) -> ModelRequest | Direct | None:
        """Return the request; None if the path does not belong to this API.

        Raises:
            ValueError, TypeError, KeyError, AttributeError: if the body is invalid for this API.
        """

    def whole(self, outgoing: Outgoing) -> Any:
        """Return the whole answer, as JSON-able data."""
        raise NotImplementedError

    def stream(self, outgoing: Outgoing) -> Iterator[bytes]:
        """Yield the pieces of a streamed answer."""
        raise NotImplementedError

    def error(self, status: int, words: str, code: str) -> Any:
        """Return the body of an error, as JSON-able data; by default in OpenAI's format."""
        kind = code or _TYPES.get(status) or ("server_error" if status >= 500 else "")
        error = {"message": words, "type": kind or "invalid_request_error", "param": None}
        return {"error": {**error, "code": code or _CODES.get(status)}}

    def stream_type(self, asked: ModelRequest) -> str:
        """Return the media type of a stream."""
        return "text/event-stream"


def event(data: Any, name: str = "") -> bytes:
    """Return one server-sent event: JSON-able data as JSON, or a string unchanged."""
    head = f"event: {name}\n".encode() if name else b""
    return head + b"data: " + (data.encode() if isinstance(data, str) else as_json(data)) + b"\n\n"


def as_json(data: Any) -> bytes:
    """Return data as JSON; lone surrogates, which UTF-8 cannot encode, are escaped."""
    try:
        return json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(data).encode()


def pieces(text: str) -> list[str]:
    """Split text as if each word were a token; joined, the pieces are the text again."""
    return re.findall(r"\S+\s*|\s+", text)


def image_of(url: str, detail: str = "") -> Image | str:
    """Return the picture in a data URL, or any other URL unchanged; nothing is fetched.

    Raises:
        ValueError: if the data are not base64.
    """
    head, comma, data = url.partition(",")
    if not comma or not head.startswith("data:"):
        return url
    return Image(decoded(data), detail)


def decoded(data: str) -> bytes:
    """Return the bytes of a base64 text.

    Raises:
        ValueError: if it is not base64.
    """
    try:
        return base64.b64decode(data, validate=True)
    except binascii.Error as error:
        raise ValueError(f"a picture is not in base64: {error}") from error


def words(value: str | list[str] | None) -> tuple[str, ...]:
    """Return the stop sequences as a tuple."""
    return (value,) if isinstance(value, str) else tuple(value or ())


def rest(body: Mapping[str, Any], known: set[str]) -> dict[str, Any]:
    """Return the fields of a body that are not in `known`."""
    return {name: value for name, value in body.items() if name not in known}


def total(outgoing: Outgoing) -> tuple[int, int, int, int]:
    """Return the numbers of input, cached, output and total tokens; 0 if they are not scripted.

    Providers always report counts, and programs read them without checking that they exist. Our
    metering treats a request of 0 tokens as not counted.
    """
    usage = outgoing.reply.usage
    given, output = usage.input or 0, usage.output or 0
    return given, usage.cached or 0, output, given + output
