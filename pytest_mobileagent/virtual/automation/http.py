"""An HTTP server, through which test tools on the phone communicate with the computer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, TypeAlias

import h11

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.processes import Connection

MOST_HEAD = 1 << 16  # bytes of the request line and the headers
MOST_BODY = 1 << 26


@dataclass(frozen=True, slots=True)
class Request:
    """A request."""

    method: str
    path: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Response:
    """A response."""

    status: int
    body: bytes = b""
    type: str = "application/json; charset=UTF-8"


Handler: TypeAlias = Callable[[Request], Awaitable[Response]]


class Server:
    """Answers the requests of all connected clients until it is closed."""

    def __init__(self, handle: Handler) -> None:
        self._handle = handle
        self._streams: set[Connection] = set()

    async def serve(self, stream: Connection) -> None:
        """Answer the requests on a connection until the client closes it."""
        self._streams.add(stream)
        try:
            await self._serve(stream, h11.Connection(h11.SERVER, MOST_HEAD))
        finally:
            self._streams.discard(stream)

    def close(self) -> None:
        """Close all connections."""
        for stream in tuple(self._streams):
            stream.drop()

    async def _serve(self, stream: Connection, protocol: h11.Connection) -> None:
        try:
            while request := await _request(stream, protocol):
                await stream.write(_encoded(protocol, await self._handle(request)))
                if protocol.our_state is not h11.DONE:
                    return
                protocol.start_next_cycle()
        except h11.RemoteProtocolError as error:
            refusal = Response(400, f"{error}\n".encode(), "text/plain")
            await stream.write(_encoded(protocol, refusal))


async def _request(stream: Connection, protocol: h11.Connection) -> Request | None:
    """Read a request; return None at the end of the connection."""
    method = path = ""
    body = bytearray()
    while True:
        match protocol.next_event():
            case h11.Request(method=word, target=target):
                method, path = word.decode(), target.decode()
            case h11.Data(data=data) if len(body) + len(data) <= MOST_BODY:
                body += data
            case h11.Data():
                raise h11.RemoteProtocolError("too long")
            case h11.EndOfMessage():
                return Request(method, path, bytes(body))
            case _:
                if not (arrived := await stream.read()):
                    return None
                protocol.receive_data(arrived)


def _encoded(protocol: h11.Connection, response: Response) -> bytes:
    headers = {
        "content-type": response.type,
        "content-length": str(len(response.body)),
        "connection": "keep-alive",  # h11 replaces this if the client asks to close
    }
    code, reason = response.status, HTTPStatus(response.status).phrase
    head = h11.Response(status_code=code, headers=[*headers.items()], reason=reason)
    events = (head, h11.Data(data=response.body), h11.EndOfMessage())
    return b"".join(protocol.send(event) or b"" for event in events)
