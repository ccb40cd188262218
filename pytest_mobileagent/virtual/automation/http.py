"""A small HTTP/1.1 server on a stream: what test tools on a phone speak with the computer."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol, TypeAlias

MOST_HEAD = 1 << 16  # bytes of a request's line and headers
MOST_BODY = 1 << 26


class Channel(Protocol):
    """What requests come from and answers go to, such as an adb stream."""

    async def read(self, n: int = -1) -> bytes:
        """Return at least one byte; b"" at the end."""

    async def write(self, data: bytes) -> None:
        """Send bytes."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request; the names of headers are in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Response:
    """An answer."""

    status: int
    body: bytes = b""
    type: str = "application/json; charset=UTF-8"


Handler: TypeAlias = Callable[[Request], Awaitable[Response]]


class BadRequest(Exception):  # noqa: N818 - HTTP's own words
    """What came is not HTTP, or too much of it."""


async def serve(channel: Channel, handle: Handler) -> None:
    """Answer the requests on one connection until the client ends it."""
    reader = _Reader(channel)
    with contextlib.suppress(EOFError):
        while True:
            try:
                request = await _read_request(reader)
            except BadRequest as error:
                await channel.write(
                    _encode(Response(400, f"{error}\n".encode(), "text/plain"), False)
                )
                return
            response = await handle(request)
            keep = request.headers.get("connection", "").lower() != "close"
            await channel.write(_encode(response, keep))
            if not keep:
                return


class _Reader:
    """Cuts what arrives into lines and blocks."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._buffer = bytearray()

    async def until(self, end: bytes, most: int) -> bytes:
        """Return everything before `end`, which is taken too."""
        while (at := self._buffer.find(end)) < 0:
            if len(self._buffer) > most:
                raise BadRequest("too long")
            await self._more()
        data = bytes(self._buffer[:at])
        del self._buffer[: at + len(end)]
        return data

    async def exactly(self, size: int) -> bytes:
        """Return that many bytes."""
        while len(self._buffer) < size:
            await self._more()
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        return data

    async def _more(self) -> None:
        data = await self._channel.read()
        if not data:
            raise EOFError
        self._buffer += data


async def _read_request(reader: _Reader) -> Request:
    line, *fields = (await reader.until(b"\r\n\r\n", MOST_HEAD)).decode("latin-1").split("\r\n")
    words = line.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):
        raise BadRequest("not an HTTP request")
    headers: dict[str, str] = {}
    for text in fields:
        name, colon, value = text.partition(":")
        if not colon:
            raise BadRequest("not a header")
        headers[name.strip().lower()] = value.strip()
    return Request(words[0], words[1], headers, await _read_body(reader, headers))


async def _read_body(reader: _Reader, headers: dict[str, str]) -> bytes:
    if headers.get("transfer-encoding", "").lower() != "chunked":
        return await reader.exactly(_size(headers.get("content-length", "0"), 10))
    body = bytearray()
    while True:
        line = await reader.until(b"\r\n", MOST_HEAD)
        size = _size(line.partition(b";")[0].decode("latin-1").strip(), 16)
        if size + len(body) > MOST_BODY:
            raise BadRequest("too long")
        body += await reader.exactly(size)
        await reader.until(b"\r\n", MOST_HEAD)
        if not size:
            return bytes(body)


def _size(text: str, base: int) -> int:
    try:
        size = int(text, base)
    except ValueError:
        raise BadRequest("not a length") from None
    if not 0 <= size <= MOST_BODY:
        raise BadRequest("too long")
    return size


def _encode(response: Response, keep: bool) -> bytes:
    phrase = HTTPStatus(response.status).phrase
    head = (
        f"HTTP/1.1 {response.status} {phrase}\r\n"
        f"content-type: {response.type}\r\n"
        f"content-length: {len(response.body)}\r\n"
        f"connection: {'keep-alive' if keep else 'close'}\r\n\r\n"
    )
    return head.encode("latin-1") + response.body
