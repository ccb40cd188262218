"""The adbd of a recorded phone, with which a program's adb server speaks in packets and streams.

Source: AOSP, packages/modules/adb/docs/dev/protocol.md (a packet is a 24-byte header and payload).
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
import struct
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import HostError

if TYPE_CHECKING:
    from asyncio import StreamReader
    from collections.abc import Awaitable, Callable

    # Serves a stream that was opened to a service, to its end.
    Serve = Callable[["Stream", str], Awaitable[None]]


VERSION = 0x01000001  # the first version without checksums
MOST_PAYLOAD = 1 << 20  # bytes

_HEADER = struct.Struct("<4s5I")
_ALL_BITS = 0xFFFFFFFF


class PacketError(Exception):
    """The data received is not an adb packet."""


@dataclass(frozen=True, slots=True)
class Packet:
    """A command (`CNXN`, `OPEN`, `OKAY`, `WRTE`, `CLSE`), its two arguments and its payload."""

    command: bytes
    arg0: int
    arg1: int
    payload: bytes = b""

    def encoded(self) -> bytes:
        """Return the bytes of the packet."""
        magic = int.from_bytes(self.command, "little") ^ _ALL_BITS
        size = len(self.payload)
        return _HEADER.pack(self.command, self.arg0, self.arg1, size, 0, magic) + self.payload


async def read_packet(reader: StreamReader) -> Packet:
    """Return the next packet.

    Raises:
        PacketError: if the bytes are not an adb packet.
        EOFError: if the connection has ended.
        OSError: if the connection broke.
    """
    command, arg0, arg1, size, _, magic = _HEADER.unpack(await reader.readexactly(_HEADER.size))
    if int.from_bytes(command, "little") ^ magic != _ALL_BITS or size > MOST_PAYLOAD:
        raise PacketError(f"not an adb packet: {command!r} with {size} bytes")
    return Packet(command, arg0, arg1, await reader.readexactly(size) if size else b"")


class Stream:
    """A stream that a client of the adb server has opened.

    Data is acknowledged when it is read, so that a sender faster than the phone has to wait.
    `number` is this side's number of the stream, `peer` the adb server's.
    """

    def __init__(
        self, send: Callable[[Packet], None], number: int, peer: int, most_payload: int
    ) -> None:
        self.number, self.peer = number, peer
        self.closed = False
        self._send, self._most_payload = send, most_payload
        self._accepted = False
        self._may_send = False
        self._received: deque[bytes] = deque()
        self._changed = asyncio.Event()
        self._writing = asyncio.Lock()

    def accept(self) -> None:
        """Confirm to the client that the stream is open, unless that was done before."""
        if not self._accepted and not self.closed:
            self._accepted = self._may_send = True
            self._send(Packet(b"OKAY", self.number, self.peer))

    async def read(self) -> bytes:
        """Return the next bytes from the client; empty when it has closed the stream."""
        await self._until(lambda: self._received or self.closed)
        if not self._received:
            return b""
        data = self._received.popleft()
        if not self.closed:
            self._send(Packet(b"OKAY", self.number, self.peer))
        return data or await self.read()

    async def write(self, data: bytes) -> None:
        """Send bytes to the client, waiting until the previous ones are acknowledged.

        Raises:
            BrokenPipeError: if the stream is closed.
        """
        async with self._writing:
            for start in range(0, len(data), self._most_payload):
                await self._until(lambda: self._may_send or self.closed)
                if self.closed:
                    raise BrokenPipeError
                self._may_send = False
                part = data[start : start + self._most_payload]
                self._send(Packet(b"WRTE", self.number, self.peer, part))

    async def finish(self) -> None:
        """Close the stream when the client has received everything."""
        await self._until(lambda: self._may_send or not self._accepted or self.closed)
        self.close()

    async def ended(self) -> None:
        """Wait until either side has closed the stream."""
        await self._until(lambda: self.closed)

    def close(self) -> None:
        """Close the stream at once; this refuses a stream that was not accepted."""
        if not self.closed:
            self.leave()
            self._send(Packet(b"CLSE", self.number if self._accepted else 0, self.peer))

    def acknowledged(self) -> None:
        """Record that the client has acknowledged the last packet."""
        self._may_send = True
        self._changed.set()

    def receive(self, data: bytes) -> None:
        """Add data that the client has sent."""
        self._received.append(data)
        self._changed.set()

    def leave(self) -> None:
        """Record that the stream is closed, or that its client is gone."""
        self.closed = True
        self._changed.set()

    async def _until(self, condition: Callable[[], object]) -> None:
        while not condition():
            self._changed.clear()
            await self._changed.wait()


# Above the ports on which adb servers search for emulators, and below Linux's ephemeral ports. The
# port of an emulator's console is even; its adbd has the next one.
_CONSOLE_PORTS = range(20000, 32766, 2)
_LIMIT = 1 << 20  # bytes that are read ahead


class Adbd:
    """An adbd on a free local port, which describes the device by a `banner`.

    The port before it, where an emulator would have its console, is reserved, so that no program
    can load a snapshot there behind the harness's back.
    """

    def __init__(self, banner: bytes, serve: Serve) -> None:
        self._banner, self._serve = banner, serve
        self._connections: set[Connection] = set()
        self._running: set[asyncio.Task[None] | None] = set()
        self._listening: asyncio.Server | None = None
        self._console: socket.socket | None = None
        self.port = 0

    @property
    def serial(self) -> str:
        """The serial that an adb server assigns to this device, which registers as an emulator."""
        return f"emulator-{self.port - 1}"

    async def start(self) -> None:
        """Start to listen.

        Raises:
            HostError: if no two ports in a row are free.
        """
        self._console, listener = _claim()
        self.port = listener.getsockname()[1]
        self._listening = await asyncio.start_server(self._run, sock=listener, limit=_LIMIT)

    def drop(self) -> None:
        """Close all connections, as if the device had vanished."""
        for connection in self._connections:
            connection.drop()

    async def close(self) -> None:
        """Stop listening, close all connections, and wait until all tasks have ended."""
        if self._listening is not None:
            self._listening.close()
        self.drop()
        await asyncio.gather(*filter(None, self._running), return_exceptions=True)
        if self._console is not None:
            self._console.close()

    async def _run(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = Connection(reader, writer, self._banner, self._serve)
        task = asyncio.current_task()
        self._connections.add(connection)
        self._running.add(task)
        try:
            await connection.run()
        finally:
            await connection.ended()
            self._connections.discard(connection)
            self._running.discard(task)


async def cancel(*tasks: asyncio.Task[None] | asyncio.Task[bool]) -> None:
    """Cancel tasks, and wait until they have ended."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _claim() -> tuple[socket.socket, socket.socket]:
    """Return a socket that reserves a port without listening, and one that listens on the next."""
    for port in random.sample(_CONSOLE_PORTS, len(_CONSOLE_PORTS)):
        with contextlib.ExitStack() as opened, contextlib.suppress(OSError):
            console, listener = (opened.enter_context(_bound(port + each)) for each in (0, 1))
            listener.listen(100)
            opened.pop_all()
            return console, listener
    raise HostError("no two ports in a row are free for the device that is lent to a program")


def _bound(port: int) -> socket.socket:
    # asyncio disables Nagle's algorithm only if the socket's protocol is set explicitly.
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        bound.bind(("127.0.0.1", port))
    except OSError:
        bound.close()
        raise
    return bound


_MOST_STREAMS = 500  # each holds a connection to the device's own adb server
_ENDING_SECONDS = 1.0  # before streams that are still being served are cut off


class Connection:
    """Adbd's side of the protocol over one TCP connection; each stream is `serve`d in its own task.

    It asks for no key: the adb server that leads here asks its clients for none, either.
    """

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        banner: bytes,
        serve: Serve,
    ) -> None:
        self._reader, self._writer = reader, writer
        self._banner, self._serve = banner, serve
        self._most_payload = 0  # announced by the adb server when it connects
        self._streams: dict[int, Stream] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._last_number = 0

    async def run(self) -> None:
        """Receive packets until the adb server is gone or the connection is dropped."""
        with contextlib.suppress(PacketError, EOFError, OSError):
            while True:
                self._take(await read_packet(self._reader))
                await self._writer.drain()
        self.drop()

    def drop(self) -> None:
        """Close the connection, as if the device had vanished."""
        self._writer.close()
        for stream in self._streams.values():
            stream.leave()
        self._streams.clear()

    async def ended(self) -> None:
        """Drop the connection, and wait until its tasks have ended."""
        self.drop()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_ENDING_SECONDS)
        await cancel(*self._tasks)

    def _take(self, packet: Packet) -> None:
        if packet.command == b"CNXN":
            self._most_payload = min(packet.arg1, MOST_PAYLOAD)
            self._send(Packet(b"CNXN", VERSION, MOST_PAYLOAD, self._banner))
        elif packet.command == b"OPEN" and self._most_payload:
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
            pass  # the client or the device has disappeared
        finally:
            stream.close()
            self._streams.pop(stream.number, None)

    def _send(self, packet: Packet) -> None:
        if not self._writer.is_closing():
            self._writer.write(packet.encoded())
