"""HTTP/1.1 connections with a program, and with the servers that it calls.

As strict as h11. Bodies of responses are passed on in pieces. A proxy that the user sets is used.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import ssl
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import h11

from pytest_mobileagent.urls import by_proxy, proxy_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable


Headers = list[tuple[bytes, bytes]]
Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]

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
        await self._send(h11.Response(status_code=status, headers=list(headers), reason=reason))

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
        pairs = [(name.encode(), text.encode()) for name, text in complete.items()]
        await self.begin(status, pairs)
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


_PORTS = {"http": 80, "https": 443}
_SECONDS = 30.0  # to connect


@dataclass(frozen=True, slots=True)
class Origin:
    """A server: scheme ("http" or "https"), host and port."""

    scheme: str
    host: str
    port: int

    @classmethod
    def of(cls, url: str) -> Origin:
        """Return the server of a URL.

        Raises:
            ValueError: if the URL is not an HTTP URL.
        """
        parts = urlsplit(url)
        if parts.scheme not in _PORTS or not parts.hostname:
            raise ValueError("not an http or https URL")
        return cls(parts.scheme, parts.hostname, parts.port or _PORTS[parts.scheme])

    @property
    def authority(self) -> str:
        """Host and port, as in the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The URL, without a path."""
        return f"{self.scheme}://{self.authority}"


async def ask(
    connection: ServerConnection, origin: Origin, request: h11.Request, target: str, body: bytes
) -> h11.Response:
    """Forward a request from a connection to a server, and return the head of the response.

    `connection.upstream` is reused for the next request, and closed when the client disconnects.

    Raises:
        OSError: if the server cannot be reached, the connection broke, or the answer is not HTTP.
    """
    sent = _addressed(request, origin, target, body)
    if (used := connection.upstream) is not None:
        if used.origin == origin and used.is_free:
            with contextlib.suppress(ConnectionError):  # the server may have closed it meanwhile
                return await used.ask(sent, body)
        used.close()
    upstream = ClientConnection(origin, *await asyncio.wait_for(connect(origin), _SECONDS))
    connection.upstream = upstream
    connection.reader.when_gone = upstream.close
    if connection.reader.is_gone:
        upstream.close()
        raise ConnectionResetError("the client has gone")
    return await upstream.ask(sent, body)


def _addressed(request: h11.Request, origin: Origin, target: str, body: bytes) -> h11.Request:
    headers = passed_on(request, b"host", b"content-length")
    headers.insert(0, (b"Host", origin.authority.encode()))
    if body or request.method in {b"POST", b"PUT", b"PATCH"}:
        headers.append((b"Content-Length", str(len(body)).encode()))
    return h11.Request(method=request.method, target=target.encode("latin-1"), headers=headers)


async def connect(origin: Origin, *, raw: bool = False) -> Ends:
    """Open a connection to a server, through the proxy that the user's environment sets for it.

    A `raw` connection does not use TLS here, because its client does.

    Raises:
        OSError: if the server cannot be reached.
    """
    proxy = proxy_of(origin.url)
    secure = tls() if origin.scheme == "https" and not raw else None
    if not proxy.startswith("http://"):
        host, name = origin.host, origin.host if secure else None
        return await asyncio.open_connection(host, origin.port, ssl=secure, server_hostname=name)
    return await _by_proxy(origin, proxy, secure)


async def _by_proxy(origin: Origin, proxy: str, secure: ssl.SSLContext | None) -> Ends:
    parts, by = urlsplit(proxy), by_proxy(origin.url)
    try:
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port or 80)
    except OSError as error:
        raise ConnectionError(f"{error}{by}") from error
    place = f"{origin.host}:{origin.port}"
    login = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    basic = base64.b64encode(login.encode()).decode()
    about = f"Proxy-Authorization: Basic {basic}\r\n" if parts.username else ""
    writer.write(f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n{about}\r\n".encode())
    try:
        await _accepted(reader, by)
        if secure is not None:
            await writer.start_tls(secure, server_hostname=origin.host)
    except BaseException:
        writer.transport.abort()
        raise
    return reader, writer


async def _accepted(reader: asyncio.StreamReader, by: str) -> None:
    """Wait until a proxy has opened the tunnel; `by` describes it in errors."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
        raise ConnectionResetError(f"the connection was closed{by}") from error
    if head.split(b" ", 2)[1:2] != [b"200"]:
        raise ConnectionRefusedError(f"the connection was refused{by}")


@cache
def tls() -> ssl.SSLContext:
    """Return the TLS context for servers: it trusts this machine's certificates, and certifi's."""
    context = ssl.create_default_context()
    for file in trusted():
        context.load_verify_locations(file)
    return context


def trusted() -> list[str]:
    """Return the files of trusted certificates: certifi's, and the user's own."""
    files = [os.environ.get(name, "") for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")]
    if find_spec("certifi"):
        import certifi  # comes with the SDKs

        files.append(certifi.where())
    else:
        files.append(ssl.get_default_verify_paths().cafile or "")
    return [file for file in dict.fromkeys(files) if Path(file).is_file()]
