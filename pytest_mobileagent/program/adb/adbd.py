"""The adbd of a recorded phone: what a program's own adb server takes for the device."""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.program.adb.connection import Connection

if TYPE_CHECKING:
    from pytest_mobileagent.program.adb.connection import Knows, Serve

# Above the ports where adb servers look for emulators by themselves, below those that Linux gives
# to anybody. A port of an emulator's console is even, adbd's is the next.
_CONSOLE_PORTS = range(20000, 32766, 2)
_LIMIT = 1 << 20  # bytes that are read ahead


class Adbd:
    """Listens on a free local port, for as long as it is open, to whose signature it `knows`.

    The port before, which would be the emulator's console, is kept from everybody: whoever loads
    a snapshot there would take the phone from under the harness.
    """

    def __init__(self, banner: bytes, serve: Serve, knows: Knows) -> None:
        self._banner = banner
        self._serve = serve
        self._knows = knows
        self._connections: set[Connection] = set()
        self._running: set[asyncio.Task[None] | None] = set()
        self._listening: asyncio.Server | None = None
        self._console: socket.socket | None = None
        self.port = 0

    @property
    def serial(self) -> str:
        """What an adb server calls the device that registers as an emulator."""
        return f"emulator-{self.port - 1}"

    async def start(self) -> None:
        """Listen.

        Raises:
            HostError: no two ports in a row are free.
        """
        self._console, listener = _claim()
        self.port = listener.getsockname()[1]
        self._listening = await asyncio.start_server(self._run, sock=listener, limit=_LIMIT)

    def drop(self) -> None:
        """Close all connections, as a device does that vanishes."""
        for connection in self._connections:
            connection.drop()

    async def close(self) -> None:
        """Stop listening, close all connections, and wait until nothing goes on."""
        if self._listening is not None:
            self._listening.close()
        self.drop()
        await asyncio.gather(*filter(None, self._running), return_exceptions=True)
        if self._console is not None:
            self._console.close()

    async def _run(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = Connection(reader, writer, self._banner, self._serve, self._knows)
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
    """Return a socket that holds a port, deaf, and one that listens on the next."""
    for port in random.sample(_CONSOLE_PORTS, len(_CONSOLE_PORTS)):
        with contextlib.ExitStack() as opened, contextlib.suppress(OSError):
            console, listener = (opened.enter_context(_bound(port + each)) for each in (0, 1))
            listener.listen(100)
            opened.pop_all()
            return console, listener
    msg = "no two ports in a row are free for the device that a program is given"
    raise HostError(msg)


def _bound(port: int) -> socket.socket:
    # asyncio turns Nagle's delay off only where TCP is named.
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        bound.bind(("127.0.0.1", port))
    except OSError:
        bound.close()
        raise
    return bound
