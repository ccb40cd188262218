"""A provider in place of OpenAI that sends bytes, and a program's requests to a recorder."""

from __future__ import annotations

import asyncio
import socket
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .conftest import Recorder

ASKED = b'{"model":"own","messages":[{"role":"user","content":"What now?"}],"stream":true}'
CHUNK = b'data: {"model":"own","choices":[{"index":0,"delta":{"content":"Tap"}}]}\n\n'
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def chunked(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def whole(body: bytes, status: str = "200 OK", more: str = "") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{more}"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


@dataclass
class Provider:
    """A provider that sends bytes; `say` is called for each request and may wait."""

    say: Callable[[Provider, bytes, asyncio.StreamWriter], Awaitable[None]]
    requests: list[bytes] = field(default_factory=list)
    connections: int = 0
    go_on: threading.Event = field(default_factory=threading.Event)
    hung_up: threading.Event = field(default_factory=threading.Event)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while first := await reader.read(1):
                head = first + await reader.readuntil(b"\r\n\r\n")
                length = head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]
                body = await reader.readexactly(int(length or 0))
                self.requests.append(head + body)
                saying = asyncio.ensure_future(self.say(self, head + body, writer))
                while not saying.done():
                    await asyncio.wait({saying}, timeout=0.01)
                    if reader.at_eof():
                        saying.cancel()
                        return
                await saying
                if writer.is_closing():
                    return
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        except asyncio.CancelledError:
            writer.transport.abort()
            raise
        finally:  # also if the loop is stopped during the closing handshake of TLS
            self.hung_up.set()
            try:
                writer.close()
                await writer.wait_closed()
            except ConnectionError:
                pass
            finally:
                writer.transport.abort()


def ask(recorder: Recorder, body: bytes, more: str = "") -> socket.socket:
    path = recorder.models.openai_chat_url.partition("://")[2].partition("/")[2]
    client = socket.create_connection(("127.0.0.1", recorder.port.number), 10)
    again(client, path, body, more)
    return client


def again(client: socket.socket, path: str, body: bytes, more: str = "") -> None:
    head = f"POST /{path} HTTP/1.1\r\nHost: x\r\n{more}Content-Length: {len(body)}\r\n\r\n"
    client.sendall(head.encode() + body)


def receive(client: socket.socket, end: bytes) -> bytes:
    come = b""
    while end not in come:
        data = client.recv(65536)
        assert data, come
        come += data
    return come
