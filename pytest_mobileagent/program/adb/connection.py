"""One adb server that is connected to our adbd, and the streams that its clients open."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from typing import TYPE_CHECKING

from pytest_mobileagent.program.adb.keys import TOKEN_BYTES
from pytest_mobileagent.program.adb.packets import (
    MOST_PAYLOAD,
    VERSION,
    Packet,
    PacketError,
    read_packet,
)
from pytest_mobileagent.program.adb.stream import Stream

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    # Serves a stream that was opened to a service, to its end.
    Serve = Callable[[Stream, str], Awaitable[None]]
    # Whether a signature, the first, is one of a token by a key that is known.
    Knows = Callable[[bytes, bytes], bool]

_MOST_STREAMS = 500  # each holds a connection to the device's own adb server
_TOKEN, _SIGNATURE = 1, 2  # what an AUTH brings
_ENDING_SECONDS = 1.0  # what was passed on has, until it is cut off


class Connection:
    """Speaks adbd's side of the protocol over one TCP connection.

    `banner` is what it says of the device, once its peer has signed a token with a key that it
    `knows`: every user of the machine can connect. Each stream is `serve`d in a task of its own.
    """

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        banner: bytes,
        serve: Serve,
        knows: Knows,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._banner = banner
        self._serve = serve
        self._knows = knows
        self._most_payload = 0  # until the adb server has introduced itself
        self._token = b""  # which it has to sign
        self._is_known = False
        self._streams: dict[int, Stream] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._last_number = 0

    async def run(self) -> None:
        """Take packets until the adb server is gone, or the connection is dropped."""
        with contextlib.suppress(PacketError, EOFError, OSError):
            while True:
                self._take(await read_packet(self._reader))
                await self._writer.drain()
        self.drop()

    def drop(self) -> None:
        """Close the connection, as a device does that vanishes."""
        self._writer.close()
        for stream in self._streams.values():
            stream.leave()
        self._streams.clear()

    async def ended(self) -> None:
        """Drop the connection, and wait until nothing of it goes on."""
        self.drop()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_ENDING_SECONDS)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _take(self, packet: Packet) -> None:
        if packet.command == b"CNXN":
            self._most_payload = min(packet.arg1, MOST_PAYLOAD)
            self._welcome()
        elif not self._is_known:
            self._take_proof(packet)
        elif packet.command == b"OPEN":
            self._open(packet.arg0, packet.payload)
        elif stream := self._streams.get(packet.arg1):
            match packet.command:
                case b"OKAY":
                    stream.acknowledged()
                case b"WRTE":
                    stream.receive(packet.payload)
                case b"CLSE":
                    del self._streams[packet.arg1]
                    stream.leave()

    def _take_proof(self, packet: Packet) -> None:
        """Look whether a peer that is not known yet has signed its token; ignore all else."""
        if packet.command == b"AUTH" and packet.arg0 == _SIGNATURE and self._token:
            self._is_known = self._knows(packet.payload, self._token)
            self._welcome()

    def _welcome(self) -> None:
        """Say what device this is to a peer that is known, and ask another for its proof."""
        if self._is_known:
            self._send(Packet(b"CNXN", VERSION, MOST_PAYLOAD, self._banner))
        else:  # it may have other keys
            self._token = secrets.token_bytes(TOKEN_BYTES)
            self._send(Packet(b"AUTH", _TOKEN, 0, self._token))

    def _open(self, peer: int, payload: bytes) -> None:
        if len(self._streams) >= _MOST_STREAMS:
            self._send(Packet(b"CLSE", 0, peer))
            return
        self._last_number += 1
        stream = Stream(self._send, self._last_number, peer, self._most_payload)
        self._streams[stream.number] = stream
        service = payload.rstrip(b"\0").decode("utf-8", "surrogateescape")
        task = asyncio.create_task(self._serve_to_end(stream, service))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve_to_end(self, stream: Stream, service: str) -> None:
        try:
            await self._serve(stream, service)
        except OSError:
            pass  # the client, or the device, has gone in the middle
        finally:
            stream.close()
            self._streams.pop(stream.number, None)

    def _send(self, packet: Packet) -> None:
        if not self._writer.is_closing():
            self._writer.write(packet.encoded())
