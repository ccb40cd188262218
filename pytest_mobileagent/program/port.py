"""The local port through which a program reaches the harness: models, MCP, and a proxy."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import secrets
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

import h11

from pytest_mobileagent.errors import MobileAgentError
from pytest_mobileagent.jsonable import to_line
from pytest_mobileagent.program.connections import (
    ClientReader,
    Origin,
    ServerConnection,
    TooLargeError,
    connect,
    header,
)
from pytest_mobileagent.program.models import context_for
from pytest_mobileagent.program.models.exchange import pass_through
from pytest_mobileagent.urls import is_loopback

if TYPE_CHECKING:
    import socket
    from collections.abc import Awaitable, Callable

    from pytest_mobileagent.program.connections import Ends
    from pytest_mobileagent.program.models import RecordedModels

    Answer = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]  # JSON objects

HOST = "127.0.0.1"
_PIECE = 2**16  # bytes
_LOGIN = "mobileagent"  # the user name in the proxy's URL


class LocalPort:
    """A server on a free port of this machine, for one program in one episode.

    Each path begins with a token, which is also the proxy's password. Only the program knows it, so
    other users of the machine cannot use the port. The port serves
    - `models`: at their routes, and as a proxy for requests to the providers' own hosts;
    - `relay`: another port of this machine; `answer`: a function.
    Connections to other hosts are passed on without being decrypted, or are refused if
    `models.network` is "models". A `socket` to listen on and a `token` may be given.
    """

    def __init__(
        self,
        models: RecordedModels | None = None,
        socket: socket.socket | None = None,
        token: str = "",
    ) -> None:
        self.number = 0
        self._socket = socket
        self.token = token or secrets.token_urlsafe(18)
        self._models = models
        self._relays: dict[str, Callable[[], Awaitable[int]]] = {}
        self._answers: dict[str, Answer] = {}
        self._server: asyncio.Server | None = None
        self._is_closed = False
        self._tasks: set[asyncio.Task[Any]] = set()

    async def start(self) -> None:
        """Start to listen, and prepare the models.

        Raises:
            HostError: if the models cannot be prepared.
            OSError: if no port can be opened.
        """
        loop = asyncio.get_running_loop()

        def protocol() -> asyncio.StreamReaderProtocol:
            reader = ClientReader(limit=_PIECE, loop=loop)
            return asyncio.StreamReaderProtocol(reader, self._accept, loop=loop)

        if self._socket is not None:
            self._server = await loop.create_server(protocol, sock=self._socket)
        else:
            self._server = await loop.create_server(protocol, HOST, 0)
        self.number = self._server.sockets[0].getsockname()[1]
        if self._models is not None:
            proxy = f"http://{_LOGIN}:{self.token}@{HOST}:{self.number}"
            try:
                await self._models.start(self.url, proxy)
            except BaseException:
                await self.close()
                raise

    async def close(self) -> None:
        """Stop listening, end all connections, and close the models; further calls do nothing."""
        self._is_closed = True
        if self._server is not None:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._models is not None:
            await self._models.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def url(self, name: str) -> str:
        """Return the URL at which a name is served."""
        return f"http://{HOST}:{self.number}/{self.token}/{name}"

    def relay(self, name: str, target: Callable[[], Awaitable[int]]) -> None:
        """Serve another port of this machine: /TOKEN/NAME… here is /NAME… there.

        `target` is called at each request and returns the port, so the server there can be started
        by the first request. If it raises an error of this package, the message is the answer.
        """
        self._relays[name] = target

    def answer(self, name: str, handler: Answer) -> None:
        """Serve a function that takes a JSON object and returns one."""
        self._answers[name] = handler

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert isinstance(reader, ClientReader)
        if self._is_closed:  # the connection arrived while the port was closing
            writer.transport.abort()
            return
        task = asyncio.get_running_loop().create_task(self._connection(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connection(self, reader: ClientReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._requests(ServerConnection(reader, writer), None)
        except (OSError, EOFError, TooLargeError, h11.ProtocolError):
            pass  # the client has disconnected, or does not speak HTTP
        finally:
            writer.close()

    async def _requests(self, connection: ServerConnection, origin: Origin | None) -> None:
        """Answer the requests of a connection; in a tunnel, `origin` is its server."""
        try:
            while request := await self._next(connection):
                if request.method == b"CONNECT":
                    await self._tunnel(connection, request)
                    return
                await self._answer(connection, request, origin)
        finally:
            connection.close()

    async def _next(self, connection: ServerConnection) -> h11.Request | None:
        try:
            return await connection.request()
        except h11.RemoteProtocolError as error:
            with contextlib.suppress(h11.ProtocolError, OSError):
                await _respond(connection, error.error_status_hint or 400, str(error))
            return None

    async def _answer(
        self, connection: ServerConnection, request: h11.Request, origin: Origin | None
    ) -> None:
        target = request.target.decode("latin-1")
        if origin is not None:
            assert self._models is not None
            await self._models.serve_host(connection, request, origin, target)
        elif target.startswith("/"):
            await self._named(connection, request, target)
        elif self._may_pass(request):
            await self._absolute(connection, request, target)
        else:
            await _refuse_proxy(connection)

    async def _named(self, connection: ServerConnection, request: h11.Request, target: str) -> None:
        """Answer a request to /TOKEN/NAME…."""
        token, _, rest = target[1:].partition("/")
        name = rest.replace("?", "/").partition("/")[0]
        if not secrets.compare_digest(token.encode("latin-1"), self.token.encode()):
            await _respond(connection, 404, "nothing is here")
        elif self._models is not None and name in self._models.routes:
            await self._models.serve_route(connection, request, name, rest[len(name) :])
        elif name in self._relays:
            await self._relay(connection, request, self._relays[name], f"/{rest}")
        elif name in self._answers:
            await self._call(connection, self._answers[name])
        else:
            await _respond(connection, 404, f"nothing is called {name!r} here")

    async def _relay(
        self,
        connection: ServerConnection,
        request: h11.Request,
        port: Callable[[], Awaitable[int]],
        target: str,
    ) -> None:
        data = await connection.body()
        try:
            place = Origin("http", HOST, await port())
        except MobileAgentError as error:
            await _respond(connection, 502, str(error))
            return
        await pass_through(connection, request, place, target, data)

    async def _call(self, connection: ServerConnection, handler: Answer) -> None:
        try:
            body = json.loads(await connection.body() or b"{}")
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            await _respond(connection, 400, "the body must be a JSON object")
            return
        try:
            reply = to_line(await handler(body)).encode()
        except MobileAgentError as error:
            await _respond(connection, 500, str(error))
            return
        await connection.respond(200, {"Content-Type": "application/json"}, reply)

    def _may_pass(self, request: h11.Request) -> bool:
        """Return whether a request to the proxy has its password."""
        scheme, _, login = header(request, "proxy-authorization").partition(" ")
        expected = base64.b64encode(f"{_LOGIN}:{self.token}".encode())
        is_right = secrets.compare_digest(login.strip().encode("latin-1"), expected)
        return self._models is not None and scheme.lower() == "basic" and is_right

    async def _absolute(
        self, connection: ServerConnection, request: h11.Request, target: str
    ) -> None:
        """Answer a request to the proxy for a URL of unencrypted HTTP."""
        assert self._models is not None
        try:
            origin = Origin.of(target)
        except ValueError:
            await _respond(connection, 400, "not an http or https URL")
            return
        parts = urlsplit(target)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        if self._models.is_provider(origin.host):
            await self._models.serve_host(connection, request, origin, path)
        elif self._models.network == "models":
            await _respond(connection, 403, f"{origin.host} is not a provider of models")
        else:
            await pass_through(connection, request, origin, path, await connection.body())

    async def _tunnel(self, connection: ServerConnection, request: h11.Request) -> None:
        """Open a tunnel: to the recorder for a provider's host, otherwise to the host itself."""
        if not self._may_pass(request):
            await _refuse_proxy(connection)
            return
        assert self._models is not None
        try:
            origin = Origin.of(f"https://{request.target.decode('latin-1')}")
        except ValueError:
            await _respond(connection, 400, "no host")
            return
        reader, writer = connection.reader, connection.writer
        if self._models.is_provider(origin.host):
            await connection.accept_tunnel()
            await writer.start_tls(context_for(origin.host))
            await self._requests(ServerConnection(reader, writer), origin)
        elif self._models.network == "models":
            await _respond(connection, 403, f"{origin.host} is not a provider of models")
        else:
            try:
                there = await connect(origin, raw=True)
            except OSError as error:
                await _respond(connection, 502, f"{origin.host} cannot be reached: {error}")
                return
            await connection.accept_tunnel()
            await _splice((reader, writer), there)


class RoutePort(LocalPort):
    """A port of its own for one route of the models, at every path and without a token.

    It is for programs that take a host and a port, or a base URL without a path. Any process of
    this machine may use it during the episode, within its budget; pages in a browser may not.
    """

    def __init__(self, models: RecordedModels, route: str) -> None:
        super().__init__()
        self._leads_to = models, route

    async def _answer(
        self, connection: ServerConnection, request: h11.Request, origin: Origin | None
    ) -> None:
        del origin  # without a proxy there are no tunnels
        models, route = self._leads_to
        target = request.target.decode("latin-1")
        host = header(request, "host").rsplit(":", 1)[0]
        if header(request, "origin") or not is_loopback(host):
            await _respond(connection, 403, "this port is not for web pages")
        elif not target.startswith("/"):
            await _refuse_proxy(connection)
        else:
            await models.serve_route(connection, request, route, target)


async def _respond(connection: ServerConnection, status: int, words: str) -> None:
    headers = {"Content-Type": "text/plain; charset=utf-8", "Connection": "close"}
    await connection.respond(status, headers, words.encode("utf-8", "replace"))


async def _refuse_proxy(connection: ServerConnection) -> None:
    headers = {"Proxy-Authenticate": 'Basic realm="pytest-mobileagent"', "Connection": "close"}
    await connection.respond(407, headers, b"")


async def _splice(here: Ends, there: Ends) -> None:
    """Pass bytes both ways until both ends have closed or one has broken."""
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(_copy(here[0], there[1]))
            group.create_task(_copy(there[0], here[1]))
    except* OSError:
        pass
    finally:
        there[1].transport.abort()


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while data := await source.read(_PIECE):
        target.write(data)
        await target.drain()
    if target.can_write_eof():
        target.write_eof()
