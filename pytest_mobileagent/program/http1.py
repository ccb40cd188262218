"""HTTP/1.1 over asyncio's streams, as strict as h11; response bodies are passed on in pieces."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

import h11

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable

Headers = list[tuple[bytes, bytes]]

_PIECE = 2**16  # bytes
_LARGEST_HEAD = 2**17  # bytes
_LARGEST_BODY = 2**28  # bytes; providers of models accept less
_BROKE_OFF = "the connection broke off in the middle of the answer"
# Headers that concern one connection, and not the message.
_HOP = {b"connection", b"keep-alive", b"proxy-connection", b"proxy-authorization", b"te"}
_HOP |= {b"transfer-encoding", b"upgrade", b"trailer", b"expect"}


class TooLargeError(Exception):
    """The body of a request is too large to be passed on."""


class ClientReader(asyncio.StreamReader):
    """Reads a client's data; `when_gone` is called when the client closes the connection."""

    is_gone = False
    when_gone: Callable[[], None] | None = None

    def feed_eof(self) -> None:
        """Record that the client has left."""
        super().feed_eof()
        self._left()

    def set_exception(self, exc: Any) -> None:
        """Record that the connection has broken."""
        super().set_exception(exc)
        self._left()

    def _left(self) -> None:
        self.is_gone = True
        if self.when_gone is not None:
            self.when_gone()


class ServerConnection:
    """The server's side of a connection that carries one request after another."""

    def __init__(self, reader: ClientReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.upstream: ClientConnection | None = None  # that the last request used
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=_LARGEST_HEAD)

    async def request(self) -> h11.Request | None:
        """Return the next request; None if the connection has ended.

        Raises:
            h11.RemoteProtocolError: if the data is not HTTP.
            ConnectionError: if the connection broke.
        """
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
        if self._http.our_state is not h11.IDLE:
            return None
        event = await self._next()
        return event if isinstance(event, h11.Request) else None

    async def body(self) -> bytes:
        """Return the whole body of the request.

        Raises:
            TooLargeError: if the body is too large.
        """
        pieces: list[bytes] = []
        size = 0
        while isinstance(event := await self._next(), h11.Data):
            pieces.append(bytes(event.data))
            size += len(event.data)
            if size > _LARGEST_BODY:
                raise TooLargeError
        return b"".join(pieces)

    async def _next(self) -> Any:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            if self._http.they_are_waiting_for_100_continue:
                await self._send(h11.InformationalResponse(status_code=100, headers=[]))
            self._http.receive_data(await self.reader.read(_PIECE))
        return event

    async def begin(
        self, status: int, headers: Iterable[tuple[bytes, bytes]], reason: bytes = b""
    ) -> None:
        """Send the head of a response."""
        response = h11.Response(status_code=status, headers=list(headers), reason=reason)
        await self._send(response)

    async def write(self, data: bytes) -> None:
        """Send a piece of the response's body."""
        if data:
            await self._send(h11.Data(data=data))

    async def end(self) -> None:
        """End the response."""
        await self._send(h11.EndOfMessage())

    async def respond(self, status: int, headers: dict[str, str], body: bytes) -> None:
        """Send a complete response, after the whole request has arrived."""
        if self._http.their_state is h11.SEND_BODY:  # a client that still sends would not read it
            await self.body()
        complete = {**headers, "Content-Length": str(len(body))}
        await self.begin(
            status, [(name.encode(), text.encode()) for name, text in complete.items()]
        )
        await self.write(body)
        await self.end()

    async def accept_tunnel(self) -> None:
        """Accept a CONNECT request: from now on, the connection's bytes are for another server."""
        self.writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await self.writer.drain()

    async def _send(self, event: Any) -> None:
        if data := self._http.send(event):
            self.writer.write(data)
            await self.writer.drain()

    def close(self) -> None:
        """Close the connection, and the one to the server that its requests went to."""
        if self.upstream is not None:
            self.upstream.close()
        self.writer.close()


class ClientConnection:
    """The client's side of a connection to `origin`."""

    def __init__(
        self, origin: object, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.origin = origin
        self._reader, self._writer = reader, writer
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_LARGEST_HEAD)

    @property
    def is_free(self) -> bool:
        """Whether another request can be sent."""
        states = {self._http.our_state, self._http.their_state}
        return states == {h11.DONE} and not self._reader.at_eof() and not self._writer.is_closing()

    async def ask(self, request: h11.Request, body: bytes) -> h11.Response:
        """Send a request, and return the head of its response.

        Raises:
            ConnectionError: if the connection broke, or the response is not HTTP.
        """
        if self._http.our_state is h11.DONE:
            self._http.start_next_cycle()
        sent = [self._http.send(request)]
        if body:
            sent.append(self._http.send(h11.Data(data=body)))
        sent.append(self._http.send(h11.EndOfMessage()))
        self._writer.write(b"".join(each for each in sent if each))
        await self._writer.drain()
        while not isinstance(event := await self._next(), h11.Response):
            if not isinstance(event, h11.InformationalResponse):
                raise ConnectionResetError("the connection was closed without an answer")
        return event

    async def pieces(self) -> AsyncIterator[tuple[bytes, bool]]:
        """Yield the pieces of the response's body, each with whether it is the last one.

        Raises:
            ConnectionError: if the connection was lost in the middle, or the data is not HTTP.
        """
        while True:
            event = await self._next()
            received: list[bytes] = []
            while isinstance(event, h11.Data):
                received.append(bytes(event.data))
                event = self._http.next_event()
            is_last = isinstance(event, h11.EndOfMessage)
            if not is_last and event is not h11.NEED_DATA:
                raise ConnectionResetError(_BROKE_OFF)
            yield b"".join(received), is_last
            if is_last:
                return

    async def _next(self) -> Any:
        try:
            while (event := self._http.next_event()) is h11.NEED_DATA:
                self._http.receive_data(await self._reader.read(_PIECE))
        except h11.RemoteProtocolError as error:
            if self._reader.at_eof():
                raise ConnectionResetError(_BROKE_OFF) from error
            raise ConnectionAbortedError(f"the answer is not HTTP: {error}") from error
        return event

    def close(self) -> None:
        """Close the connection at once."""
        with contextlib.suppress(OSError):
            self._writer.transport.abort()


def header(message: h11.Request | h11.Response, name: str) -> str:
    """Return a header's value; empty if there is none."""
    wanted = name.lower().encode()
    return next((value.decode("latin-1") for key, value in message.headers if key == wanted), "")


def with_headers(request: h11.Request, headers: Headers) -> h11.Request:
    """Return a request with other headers."""
    method, target, version = request.method, request.target, request.http_version
    return h11.Request(method=method, target=target, headers=headers, http_version=version)


def passed_on(message: h11.Request | h11.Response, *without: bytes) -> Headers:
    """Return the headers that are passed on, spelled as received, except for those in `without`."""
    named = header(message, "connection").lower().encode("latin-1")
    hop = _HOP | {each.strip() for each in named.split(b",")} | set(without)
    return [(raw, value) for raw, value in message.headers.raw_items() if raw.lower() not in hop]
