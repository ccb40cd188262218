"""Connections to the servers that a program calls, through the user's proxy if one is set."""

from __future__ import annotations

import asyncio
import base64
import os
import ssl
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import h11

from pytest_mobileagent.program.http1 import ClientConnection, passed_on
from pytest_mobileagent.urls import by_proxy, proxy_of

if TYPE_CHECKING:
    from pytest_mobileagent.program.http1 import ServerConnection

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

    The connection to the server, `connection.upstream`, is reused for the next request; it is
    closed when the client disconnects.

    Raises:
        OSError: if the server cannot be reached, the connection broke, or the answer is not HTTP.
    """
    open_one = connection.upstream
    if open_one is not None and not (open_one.origin == origin and open_one.is_free):
        open_one.close()
        open_one = connection.upstream = None
    sent = _addressed(request, origin, target, body)
    if open_one is not None:
        try:
            return await open_one.ask(sent, body)
        except ConnectionError:  # the server may have closed it in the meantime
            open_one.close()
    return await _fresh(connection, origin, sent, body)


async def _fresh(
    connection: ServerConnection, origin: Origin, sent: h11.Request, body: bytes
) -> h11.Response:
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


async def connect(
    origin: Origin, *, raw: bool = False
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open a connection to a server, through the proxy that the user's environment sets for it.

    A `raw` connection does not use TLS here, because its client does.

    Raises:
        OSError: if the server cannot be reached.
    """
    proxy = proxy_of(origin.url)
    secure = tls() if origin.scheme == "https" and not raw else None
    if not proxy.startswith("http://"):
        return await asyncio.open_connection(
            origin.host, origin.port, ssl=secure, server_hostname=origin.host if secure else None
        )
    return await _by_proxy(origin, proxy, secure)


async def _by_proxy(
    origin: Origin, proxy: str, secure: ssl.SSLContext | None
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    parts = urlsplit(proxy)
    try:
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port or 80)
    except OSError as error:
        raise ConnectionError(f"{error}{by_proxy(origin.url)}") from error
    place = f"{origin.host}:{origin.port}"
    login = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    basic = base64.b64encode(login.encode()).decode()
    about = f"Proxy-Authorization: Basic {basic}\r\n" if parts.username else ""
    writer.write(f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n{about}\r\n".encode())
    try:
        await _accepted(reader, by_proxy(origin.url))
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


async def pass_through(
    connection: ServerConnection, request: h11.Request, origin: Origin, target: str, data: bytes
) -> None:
    """Forward a request, and return its answer, unrecorded.

    Raises:
        OSError, h11.ProtocolError: if a connection broke.
    """
    try:
        response = await ask(connection, origin, request, target, data)
    except (OSError, TimeoutError) as error:
        if connection.reader.is_gone:
            raise
        words = f"{origin.authority} cannot be reached: {error}".encode()
        await connection.respond(502, {"Content-Type": "text/plain; charset=utf-8"}, words)
        return
    assert connection.upstream is not None
    await connection.begin(response.status_code, passed_on(response), response.reason)
    async for piece, _ in connection.upstream.pieces():
        await connection.write(piece)
    await connection.end()
