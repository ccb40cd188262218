"""An HTTP server on a stream: what test tools on a phone speak with the computer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol, TypeAlias

import h11

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
    """A request."""

    method: str
    path: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Response:
    """An answer."""

    status: int
    body: bytes = b""
    type: str = "application/json; charset=UTF-8"


Handler: TypeAlias = Callable[[Request], Awaitable[Response]]


async def serve(channel: Channel, handle: Handler) -> None:
    """Answer the requests on one connection until the client ends it."""
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=MOST_HEAD)
    try:
        while request := await _request(channel, connection):
            await channel.write(_encoded(connection, await handle(request)))
            if connection.our_state is not h11.DONE:
                return
            connection.start_next_cycle()
    except h11.RemoteProtocolError as error:
        refusal = Response(400, f"{error}\n".encode(), "text/plain")
        await channel.write(_encoded(connection, refusal))


async def _request(channel: Channel, connection: h11.Connection) -> Request | None:
    """Read a request; None at the end."""
    method = path = ""
    body = bytearray()
    while True:
        match connection.next_event():
            case h11.Request(method=word, target=target):
                method, path = word.decode(), target.decode()
            case h11.Data(data=data) if len(body) + len(data) <= MOST_BODY:
                body += data
            case h11.Data():
                raise h11.RemoteProtocolError("too long")
            case h11.EndOfMessage():
                return Request(method, path, bytes(body))
            case _:
                if not (arrived := await channel.read()):
                    return None
                connection.receive_data(arrived)


def _encoded(connection: h11.Connection, response: Response) -> bytes:
    headers = {
        "content-type": response.type,
        "content-length": str(len(response.body)),
        "connection": "keep-alive",  # which h11 replaces where the client wants no more
    }
    events = (
        h11.Response(
            status_code=response.status,
            headers=[*headers.items()],
            reason=HTTPStatus(response.status).phrase,
        ),
        h11.Data(data=response.body),
        h11.EndOfMessage(),
    )
    return b"".join(connection.send(event) or b"" for event in events)
