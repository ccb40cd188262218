"""The adbd of a recorded phone, and the connections that a program's adb server makes to it."""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import DeviceError, HostError
from pytest_mobileagent.program.adb.services import register, states
from pytest_mobileagent.program.adb.wire import (
    MOST_PAYLOAD,
    VERSION,
    Packet,
    PacketError,
    Stream,
    read_packet,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pytest_mobileagent.device.device import Address

    # Serves a stream that was opened to a service, to its end.
    Serve = Callable[[Stream, str], Awaitable[None]]

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
        self._banner = banner
        self._serve = serve
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
        self._reader = reader
        self._writer = writer
        self._banner = banner
        self._serve = serve
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
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

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


_RETRY_SECONDS = 0.2
_START_SECONDS = 20.0


class Attachment:
    """Keeps the adbd connected to the program's adb server while the device is available.

    When the device disappears, its connections end, as if it were attached to that server directly.
    When it is back, or the server has restarted, adbd is registered again.
    """

    def __init__(self, address: Address, adbd: Adbd, server_port: int) -> None:
        self._address = address
        self._adbd = adbd
        self._server_port = server_port
        self._there = self._listed = False
        self._changed = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Attach adbd, and keep it attached.

        Raises:
            DeviceError: if the device is not available, or the server does not list it in time.
        """
        keeping = (self._follow_device(), self._follow_list(), self._keep_registered())
        self._tasks = [asyncio.create_task(each) for each in keeping]
        try:
            async with asyncio.timeout(_START_SECONDS):
                while not self._listed:
                    await self._change()
        except TimeoutError:
            msg = f"device {self._address} cannot be lent to a program: no adb server lists it"
            raise DeviceError(msg) from None

    async def close(self) -> None:
        """Stop attaching adbd."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _follow_device(self) -> None:
        while True:
            with contextlib.suppress(DeviceError):
                address = self._address
                async for state in states(address.adb_host, address.adb_port, address.serial):
                    self._there = state == "device"
                    if not self._there:
                        self._adbd.drop()
                    self._changed.set()
            await asyncio.sleep(_RETRY_SECONDS)

    async def _follow_list(self) -> None:
        while True:
            with contextlib.suppress(DeviceError):
                async for state in states("127.0.0.1", self._server_port, self._adbd.serial):
                    self._listed = state == "device"
                    self._changed.set()
            self._listed = False
            self._changed.set()
            await asyncio.sleep(_RETRY_SECONDS)

    async def _keep_registered(self) -> None:
        while True:
            if self._there and not self._listed:
                with contextlib.suppress(DeviceError, OSError):
                    await register(self._server_port, self._adbd.port)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_RETRY_SECONDS):
                        await self._change()
            else:
                await self._change()

    async def _change(self) -> None:
        self._changed.clear()
        await self._changed.wait()
